import Accounts
import BindingFormats
import Foundation
import JourneyStore
import Testing

@Suite("Who may do what to an account") struct PermitTests {
  static let owners: Set<AccountAct> = [
    .changeAttributes, .changeMail, .confirmMail, .changePassword, .addMethod, .renameMethod, .removeMethod,
    .resetMethods, .skipMethods, .makeRecoveryCodes, .changeLinks, .changeSecurityQuestions, .endSessions,
    .certifyKey, .revokeCertificates, .delete,
  ]
  static let helpDesks: Set<AccountAct> = [
    .resetPassword, .unlock, .removeMethod, .resetMethods, .endSessions, .revokeCertificates,
  ]
  static let administrators = helpDesks.union([
    .create, .changeAttributes, .changeMail, .setPasswordState, .activate, .deactivate, .grantRole,
    .revokeRole, .renameMethod, .skipMethods, .changeLinks, .changeSecurityQuestions, .delete,
  ])

  @Test(arguments: World.Person.allCases)
  func `each act is allowed to these and nobody else`(person: World.Person) async throws {
    let world = try await World()
    let actor = try await world.session(person)
    let allowed: Set<AccountAct> =
      switch person {
      case .owner: Self.owners
      case .helpDesk: Self.helpDesks
      case .administrator, .rootAdministrator: Self.administrators
      case .otherPerson, .auditor, .otherRealmsAdministrator: []
      }
    for act in AccountAct.allCases {
      #expect(
        try await Verdict.of(act, by: actor, in: world) == (allowed.contains(act) ? .allowed : .forbidden),
        "\(act) by \(person)")
    }
  }

  @Test func `the help desk has accounts with a role not in its care`() async throws {
    let world = try await World()
    let actor = try await world.session(.helpDesk)
    for person in [World.Person.administrator, .auditor, .helpDesk] where person.account != World.ada {
      for act in Self.helpDesks where person != .helpDesk || !act.isForOwner {
        await #expect(throws: AccountRefusal.self, "\(act) of \(person)") {
          try await world.accounts.permit(act, person.account, by: actor)
        }
      }
    }
  }

  @Test func `nobody grants a role to themselves, not even an administrator`() async throws {
    let world = try await World()
    for person in World.Person.allCases {
      let actor = try await world.session(person)
      await #expect(throws: AccountRefusal.self) {
        try await world.accounts.change(.administrator, isGrant: true, of: person.account, by: actor)
      }
    }
    #expect(world.events.isEmpty)
  }

  @Test(arguments: FactorChangePolicy.Requirement.allCases, [World.Person.administrator, .helpDesk])
  func `a role counts only in a session that has proven what its account can`(
    requirement: FactorChangePolicy.Requirement, person: World.Person
  ) async throws {
    let world = try await World(requirement)
    try await world.addKey(person)
    let (weak, strong) = (try await world.session(person), try await world.session(person, level: 2))
    for act in person == .helpDesk ? Self.helpDesks : Self.administrators {
      #expect(try await Verdict.of(act, by: weak, in: world) == .stepUp, "\(act)")
      #expect(try await Verdict.of(act, by: strong, in: world) == .allowed, "\(act)")
    }
  }

  @Test
  func `what a weak session's role would read is refused, too, and by which journey to prove more is said`()
    async throws
  {
    var world = try await World()
    try await world.addKey(.rootAdministrator)
    let weak = try await world.record(.rootAdministrator)
    var accounts = world.accounts
    accounts.stepUpJourney = { level, realm in "Up\(level)\(realm)" }
    for capability in [Capability.readAccounts, .readFactors, .readAudit, .readConfiguration] {
      #expect(try await !accounts.allows(capability, weak, of: "alpha"))
      do {
        try await accounts.require(capability, weak, of: "alpha")
        Issue.record("\(capability)")
      } catch AccountRefusal.stepUp(let needed, _, let journey) {
        #expect(needed.authLevel == 2 && journey == "Up2root")
      }
    }
    world = try await World()
    #expect(
      try await world.accounts.allows(.readAudit, world.record(.rootAdministrator), of: "alpha"),
      "without a second factor there is nothing more to prove")
  }

  static let factorActs: Set<AccountAct> = [
    .changeMail, .changePassword, .resetPassword, .grantRole, .addMethod, .removeMethod, .resetMethods,
    .skipMethods, .makeRecoveryCodes, .changeLinks, .changeSecurityQuestions, .delete,
  ]

  @Test(arguments: FactorChangePolicy.Requirement.allCases)
  func `what signs in, lets in again or gives power asks the owner for a fresh and strong proof`(
    requirement: FactorChangePolicy.Requirement
  ) async throws {
    let world = try await World(requirement)
    try await world.addKey(.owner)
    let sessions: [(AccountActor, isFresh: Bool, isStrong: Bool)] = [
      (try await world.session(.owner, level: 1, age: 0), true, false),
      (try await world.session(.owner, level: 1, age: 301), false, false),
      (try await world.session(.owner, level: 2, age: 300), true, true),
      (try await world.session(.owner, level: 2, age: 301), false, true),
    ]
    for act in Self.owners {
      for (actor, isFresh, isStrong) in sessions {
        let isEnough =
          switch requirement {
          case .any: true
          case .fresh: isFresh
          case .strong: isFresh && isStrong
          }
        let expected: Verdict = Self.factorActs.contains(act) && !isEnough ? .stepUp : .allowed
        #expect(
          try await Verdict.of(act, by: actor, in: world) == expected,
          "\(act), fresh: \(isFresh), strong: \(isStrong)")
      }
    }
  }

  @Test(arguments: [World.Person.administrator, .rootAdministrator])
  func `who acts on others proves themselves afresh for the same acts`(person: World.Person) async throws {
    let world = try await World(.fresh)
    let old = try await world.session(person, age: 301)
    for act in Self.administrators {
      #expect(
        try await Verdict.of(act, by: old, in: world) == (Self.factorActs.contains(act) ? .stepUp : .allowed),
        "\(act)")
    }
  }

  // MARK: Journeys

  private func run(
    of name: String? = "ada", age: TimeInterval? = 0, level: Int = 2, session: [UInt8]? = nil,
    realm: String = "alpha"
  ) -> AccountActor {
    .journey(
      AccountActor.JourneyFacts(
        journey: "Own", realm: realm, username: name,
        authenticatedAt: age.map { World.now.addingTimeInterval(-$0) }, authLevel: level, sessionHash: session
      ))
  }

  @Test func `a run changes the factors of the person whom it has proven, as well as sessions do`()
    async throws
  {
    let world = try await World(.strong)
    try await world.addKey(.owner)
    let weak = try await world.record(.owner)
    let strong = try await world.record(.owner, level: 2)
    let bobs = try await world.record(.otherPerson, level: 2)
    for act in Self.factorActs {
      for (actor, expected) in [
        (run(), Verdict.allowed), (run(age: 301), .stepUp), (run(age: nil), .stepUp),
        (run(level: 1), .stepUp),
        (run(of: "bob"), .stepUp), (run(of: nil), .stepUp), (run(realm: "beta"), .stepUp),
        (run(age: nil, session: strong.tokenHash), .allowed),
        (run(age: nil, session: weak.tokenHash), .stepUp), (run(age: nil, session: bobs.tokenHash), .stepUp),
        (run(age: nil, session: [1, 2, 3]), .stepUp),
      ] {
        #expect(try await Verdict.of(act, by: actor, in: world) == expected, "\(act) by \(actor)")
      }
    }
  }

  @Test func `a session that has ended meanwhile proves nothing for a run`() async throws {
    let world = try await World(.fresh)
    let session = try await world.record(.owner)
    try await world.store.endSessions(.one(session.tokenHash), of: session.account, now: World.now)
    let actor = run(age: nil, session: session.tokenHash)
    #expect(try await Verdict.of(.changeMail, by: actor, in: world) == .stepUp)
  }
}
