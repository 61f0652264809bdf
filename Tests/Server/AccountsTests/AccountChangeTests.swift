@testable import Accounts
import BindingFormats
import Concurrency
import Foundation
import JourneyStore
import SecurityEvents
import StrictJSON
import Testing

@Suite("What an account becomes, and what is told of it") struct AccountChangeTests {
  private static let run = AccountActor.journey(
    AccountActor.JourneyFacts(
      journey: "Profile", realm: "alpha", username: "ada", authenticatedAt: World.now, authLevel: 1))

  private func change(
    _ world: World, by actor: AccountActor, _ set: (inout AccountChange) -> Void
  ) async throws -> UserRecord {
    var change = AccountChange()
    set(&change)
    return try await world.accounts.change(World.ada, by: actor) { _ in change }
  }

  /// A change, and the events that it leaves whoever makes it.
  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let set: @Sendable (inout AccountChange) -> Void
    let events: [SecurityEvent.Kind]
  }

  static let cases = [
    Case(testDescription: "a password", set: { $0.password = "new long secret" }, events: [.passwordReset]),
    Case(
      testDescription: "the status", set: { $0.isActive = false },
      events: [.accountDeactivated, .accountChanged]),
    Case(testDescription: "mail", set: { $0.mail = ["new@example.com"] }, events: [.accountChanged]),
    Case(
      testDescription: "links", set: { $0.attributes = .setting(["aliasList": ["https://idp.example bob"]]) },
      events: [.accountChanged]),
    Case(testDescription: "nothing", set: { $0.isActive = true }, events: []),
  ]

  @Test(arguments: cases, [true, false])
  func `the event is of what has changed, whoever changed it and whatever they called it`(
    example: Case, isAdministrator: Bool
  ) async throws {
    let world = try await World()
    let other = AccountActor.journey(AccountActor.JourneyFacts(journey: "Script", realm: "alpha"))
    let actor = isAdministrator ? try await world.session(.administrator) : other
    _ = try await change(world, by: actor, example.set)
    #expect(world.events == example.events)
    for event in world.recorded.withLock({ $0 }) {
      #expect(event.account == "ada" && event.realm == "alpha")
      #expect(event.actor == (isAdministrator ? "alice@alpha" : nil))
      #expect(event.journey == (isAdministrator ? nil : "Script"))
    }
  }

  @Test func `whoever proves the current password changes it, and their other sessions end`() async throws {
    let world = try await World()
    let (session, other) = (try await world.record(.owner), try await world.record(.owner, level: 2))
    let changed = try await change(world, by: .session(session)) {
      $0.password = "new long secret"
      $0.proof = { $0.passwordVersion }
    }
    #expect(changed.passwordHash == "hash of new long secret" && !changed.mustChangePassword)
    #expect(world.events == [.passwordChanged])
    #expect(try await world.store.session(tokenHash: session.tokenHash, now: World.now) != nil)
    #expect(try await world.store.session(tokenHash: other.tokenHash, now: World.now) == nil)
  }

  @Test func `a session alone does not change its own password, an administrator's neither`() async throws {
    for person in [World.Person.owner, .administrator] {
      let world = try await World()
      let actor = try await world.session(person)
      for proof in [nil, { _ in nil }] as [(@Sendable (UserRecord) async throws -> Int?)?] {
        await #expect(throws: AccountRefusal.self) {
          try await world.accounts.change(person.account, by: actor) { _ in
            var change = AccountChange()
            change.password = "new long secret"
            change.proof = proof
            return change
          }
        }
      }
      #expect(world.events.isEmpty)
    }
  }

  @Test func `the current password is asked for last, so that nobody guesses it where the change is refused`()
    async throws
  {
    let world = try await World(.fresh)
    let asked = Locked(false)
    let actor = try await world.session(.owner, age: 301)
    await #expect(throws: AccountRefusal.self) {
      try await world.accounts.change(World.ada, by: actor) { _ in
        var change = AccountChange()
        change.password = "new long secret"
        change.proof = { user in
          asked.withLock { $0 = true }
          return user.passwordVersion
        }
        return change
      }
    }
    #expect(!asked.withLock { $0 })
  }

  @Test(arguments: ["ada", "ada.lovelace", "new.address"])
  func `a password may not be made of name or address, old or new, at any door`(text: String) async throws {
    for actor in [Self.run, .operator] {
      let world = try await World()
      _ = try await change(world, by: .operator) { $0.mail = ["ada.lovelace@example.com"] }
      await #expect(throws: AccountRefusal.self) {
        try await change(world, by: actor) {
          $0.password = "\(text)1234"
          $0.mail = ["new.address@example.com"]
        }
      }
    }
  }

  @Test func `the help desk sets a password, after which the person chooses another, and nothing else`()
    async throws
  {
    let world = try await World()
    let actor = try await world.session(.helpDesk)
    let user = try await world.user
    let changed = try await change(world, by: actor) {
      $0.attributes = .replacing(user.attributes)
      $0.mail = user.mail
      $0.password = "new long secret"
    }
    #expect(changed.mustChangePassword && world.events == [.passwordReset])
    for set: @Sendable (inout AccountChange) -> Void in [
      { $0.mustChangePassword = false },
      { $0.mail = ["thief@example.com"] }, { $0.isActive = false }, { $0.passwordExpiry = .at(World.now) },
      { $0.attributes = .replacing(["givenName": "Eve"]) },
    ] {
      await #expect(throws: AccountRefusal.self) {
        try await change(world, by: actor) {
          $0.password = "newest long secret"
          set(&$0)
        }
      }
    }
    let after = try await world.user
    #expect(after.mail == ["ada@example.com"] && after.mustChangePassword)
    #expect(after.passwordHash == "hash of new long secret")
    #expect(world.events == [.passwordReset])
  }

  @Test(arguments: [true, false])
  func
    `an administrator's new password leaves it to the administrator whether the person must choose another`(
      isSession: Bool
    ) async throws
  {
    let world = try await World()
    let actor = isSession ? try await world.session(.administrator) : AccountActor.operator
    _ = try await change(world, by: actor) { $0.mustChangePassword = true }
    #expect(try await change(world, by: actor) { $0.password = "new long secret" }.mustChangePassword)
    let owner = try await world.session(.owner)
    let own = try await change(world, by: owner) {
      $0.password = "newer long secret"
      $0.proof = { $0.passwordVersion }
    }
    #expect(!own.mustChangePassword)
  }

  @Test func `a link that is opened after the account is gone tells of nothing`() async throws {
    let world = try await World()
    let user = try await world.user
    _ = try await world.store.deleteUser(World.ada)
    try await world.accounts.confirmMail("ada@example.com", id: user.id, realm: "alpha", by: .operator)
    #expect(world.events.isEmpty)
  }

  @Test(arguments: ["aliasList", "kbaInfo", "loginCount", "mailState", "persistentCookieEpoch", "unknownOne"])
  func `an owner sets none of what the server or administrators keep`(name: String) async throws {
    let world = try await World()
    let actor = try await world.session(.owner)
    await #expect(throws: AccountRefusal.self) {
      try await change(world, by: actor) {
        $0.attributes = .replacing([name: ["x"]])
        $0.mail = ["ada@example.com"]
      }
    }
    #expect(try await world.user.attributes[name] == nil)
  }

  @Test(arguments: ["mailState", "persistentCookieEpoch"])
  func `what the server notes for itself is set by no script`(name: String) async throws {
    let world = try await World()
    await #expect(throws: AccountRefusal.self) {
      try await change(world, by: Self.run) { $0.attributes = .setting([name: 1]) }
    }
  }

  @Test func `a change that meets another one is made again, and loses neither`() async throws {
    let world = try await World()
    let first = Locked(true)
    let store = world.store
    let changed = try await world.accounts.change(World.ada, by: .operator) { user in
      let isFirst = first.withLock { first in
        defer { first = false }
        return first
      }
      if isFirst {
        var update = UserChange(of: user)
        update.attributes = ["loginCount": 7]
        _ = try await store.updateUser(update)
      }
      var change = AccountChange()
      change.attributes = .setting(["givenName": "Ada"])
      return change
    }
    #expect(changed.attributes["loginCount"] == 7 && changed.attributes["givenName"] == "Ada")
  }

  @Test func `with a revision, the second of two changes is refused`() async throws {
    let world = try await World()
    let revision = try await world.user.revision
    _ = try await change(world, by: .operator) {
      $0.attributes = .setting(["givenName": "Ada"])
      $0.revision = revision
    }
    await #expect(throws: AccountRefusal.self) {
      try await change(world, by: .operator) {
        $0.attributes = .setting(["givenName": "Eve"])
        $0.revision = revision
      }
    }
  }

  @Test func `an account that was deleted and made again meanwhile is not changed`() async throws {
    let world = try await World()
    let (store, id) = (world.store, try await world.user.id)
    await #expect(throws: AccountRefusal.self) {
      try await world.accounts.change(id: id, realm: "alpha", by: .operator) { _ in
        _ = try await store.deleteUser(World.ada)
        try await store.createUser(UserRecord(realm: "alpha", username: "ada", createdAt: World.now))
        var change = AccountChange()
        change.password = "new long secret"
        return change
      }
    }
    #expect(try await world.user.passwordHash == nil)
  }

  @Test func `a role, a deletion and the end of all sessions leave their events and end what they end`()
    async throws
  {
    let world = try await World()
    let actor = try await world.session(.administrator)
    let session = try await world.record(.owner)
    let version = try await world.user.passwordVersion
    try await world.accounts.endSessions(of: World.ada, by: actor)
    #expect(try await world.store.session(tokenHash: session.tokenHash, now: World.now) == nil)
    #expect(try await world.user.passwordVersion == version + 1)
    _ = try await world.accounts.change(.auditor, isGrant: true, of: World.ada, by: actor)
    #expect(try await world.user.passwordVersion == version + 2, "cookies and grants of before end, too")
    _ = try await world.accounts.change(.auditor, isGrant: false, of: World.ada, by: actor)
    #expect(try await world.user.passwordVersion == version + 2)
    _ = try await world.accounts.delete(World.ada, by: actor)
    #expect(world.events == [.sessionEnded, .roleGranted, .roleRevoked, .accountDeleted])
  }
}

@Suite("What clients were granted") struct GrantEndingTests {
  /// Grants in the session `kept`, in another one, in one that is over, and in none.
  private func grants(in world: World, kept: SessionRecord) async throws -> StoredGrants {
    let grants = StoredGrants(world.store)
    let user = try await world.user
    let (other, over) = (try await world.record(.owner, age: 10), try await world.record(.owner, age: 20))
    for (id, session) in [("kept", kept), ("other", other), ("over", over), ("device", nil)] {
      #expect(
        try await grants.openGrant(
          GrantRecord(
            key: GrantKey(account: World.ada, id: id), mark: PasswordMark(user), clientID: "app",
            sessionHash: session?.tokenHash, details: GrantDetails(scopes: ["openid"]), createdAt: World.now,
            expiresAt: World.now + 3600, ticketHash: [1], ticketExpiry: World.now + 60)))
    }
    _ = try await world.accounts.end(over, by: .session(over))
    return grants
  }

  private func left(_ grants: StoredGrants, _ world: World) async throws -> [String] {
    let version = try await world.user.passwordVersion
    return try await grants.grants(of: World.ada, now: World.now).filter { $0.mark.version == version }
      .map(\.key.id).sorted()
  }

  @Test func `whoever ends all other sessions keeps what was granted in the own one, and nothing else`()
    async throws
  {
    let world = try await World()
    let kept = try await world.record(.owner)
    let grants = try await grants(in: world, kept: kept)
    #expect(try await left(grants, world) == ["device", "kept", "other"])
    #expect(try await world.accounts.endOtherSessions(of: kept) == 1)
    #expect(try await left(grants, world) == ["kept"])
    #expect(try await world.store.session(tokenHash: kept.tokenHash, now: World.now) != nil)
    try await world.accounts.endSessions(of: World.ada, by: .operator)
    #expect(try await left(grants, world) == [])
  }

  @Test(arguments: ["deactivated for a while", "a role"])
  func `what was granted before does not come back`(cause: String) async throws {
    let world = try await World()
    let grants = try await grants(in: world, kept: try await world.record(.owner))
    let administrator = try await world.session(.administrator)
    if cause == "a role" {
      _ = try await world.accounts.change(.helpDesk, isGrant: true, of: World.ada, by: administrator)
    } else {
      for isActive in [false, true] {
        var change = UserChange(of: try await world.user)
        change.isActive = isActive
        _ = try await world.store.updateUser(change)
      }
    }
    #expect(try await left(grants, world) == [])
  }
}

@Suite("Addresses that mail goes to") struct MailStateTests {
  private func set(_ mail: [String], _ world: World, by actor: AccountActor) async throws -> UserRecord {
    try await world.accounts.change(World.ada, by: actor) { _ in
      var change = AccountChange()
      change.mail = mail
      return change
    }
  }

  @Test func `one that its person wrote counts when it was confirmed, and the one before it until then`()
    async throws
  {
    let world = try await World()
    let owner = try await world.session(.owner)
    let changed = try await set(["new@example.com"], world, by: owner)
    #expect(changed.mail == ["new@example.com"] && changed.countingMail == "ada@example.com")
    #expect(
      world.notices.withLock { $0 }
        == [AccountNotice(change: .mail, account: World.ada, address: "ada@example.com")])
    let again = try await set(["newer@example.com"], world, by: owner)
    #expect(again.countingMail == "ada@example.com", "a second change does not make the first one count")
    try await world.accounts.confirmMail("Newer@Example.com", id: again.id, realm: "alpha", by: .operator)
    let confirmed = try await world.user
    #expect(confirmed.countingMail == "newer@example.com")
    #expect(MailState(confirmed).isConfirmed("newer@example.com"))
    #expect(world.events == [.accountChanged, .accountChanged, .mailConfirmed])
  }

  @Test func `a change whose events cannot be written tells the address before, and tries each event`()
    async throws
  {
    let world = try await World()
    let owner = try await world.session(.owner)
    world.isFull.withLock { $0 = true }
    await #expect(throws: SecurityEventError.self) {
      _ = try await world.accounts.change(World.ada, by: owner) { user in
        var change = AccountChange()
        change.mail = ["other@example.com"]
        change.password = "new long secret"
        change.proof = { $0.passwordVersion }
        return change
      }
    }
    #expect(try await world.user.mail == ["other@example.com"])
    #expect(world.notices.withLock { $0.map(\.address) } == ["ada@example.com"])
    #expect(world.events == [.passwordChanged, .accountChanged])
  }

  @Test func `one that was replaced is not confirmed by an old link`() async throws {
    let world = try await World()
    let owner = try await world.session(.owner)
    let user = try await set(["new@example.com"], world, by: owner)
    _ = try await set(["ada@example.com"], world, by: owner)
    try await world.accounts.confirmMail("new@example.com", id: user.id, realm: "alpha", by: .operator)
    #expect(try await !MailState(world.user).isConfirmed("new@example.com"))
    #expect(try await world.user.countingMail == "ada@example.com")
  }

  @Test func `one that an administrator wrote counts at once, and is not called confirmed`() async throws {
    let world = try await World()
    let changed = try await set(["new@example.com"], world, by: world.session(.administrator))
    #expect(changed.countingMail == "new@example.com")
    #expect(!MailState(changed).isConfirmed("new@example.com"))
  }

  @Test func `an account that registers has an address that counts only if its link was opened`() async throws
  {
    for proven in [["e@example.com"], []] as [Set<String>] {
      let world = try await World()
      let run = AccountActor.journey(
        AccountActor.JourneyFacts(journey: "Registration", realm: "alpha", provenMail: proven))
      let user = try await world.accounts.create(
        UserRecord(
          realm: "alpha", username: "eve", mail: ["e@example.com"],
          attributes: ["givenName": "Eve", "sn": "E"], createdAt: World.now),
        password: nil, by: run)
      #expect(user.countingMail == (proven.isEmpty ? nil : "e@example.com"))
    }
  }
}
