import Accounts
import BindingFormats
import Bytes
import CommonFixtures
import Foundation
import HTTPTypes
import JourneyStore
import SecurityEvents
import StrictJSON
import Testing

@testable import Assembly
@testable import Operations
@testable import ServerHTTP

/// Every way over HTTP by which somebody acts upon an account.
@Suite("Doors to accounts, over HTTP") struct AccountDoorsTests {
  /// Who knocks.
  enum Caller: String, CaseIterable, Sendable {
    /// The person whose account it is, and the administrator: proven just now, with their second factor.
    case owner, administrator

    /// The same by the password alone, and long ago.
    case weakOwner, staleOwner, weakAdministrator, staleAdministrator
    case otherPerson, otherRealmsAdministrator, nobody

    static let bad: [Caller] = [
      .weakOwner, .staleOwner, .weakAdministrator, .staleAdministrator, .otherPerson,
      .otherRealmsAdministrator,
      .nobody,
    ]
  }

  /// One act by one door.
  struct Knock: Sendable, CustomTestStringConvertible {
    let act: AccountAct
    let door: AccountDoor

    /// Who may.
    let by: Caller

    /// Sends the request; whether the answer says that it was done.
    let send: @Sendable (AccountDoorsTests.House, String?) async throws -> Bool

    /// Its event, where it is another than the act's.
    var event: SecurityEvent.Kind { act.event }
    var testDescription: String { "\(act), \(door.rawValue)" }
  }

  /// A server with a second factor for everybody, and sessions for each caller.
  struct House: Sendable {
    let server: LocalServer
    let events: RecordedEvents
    static let users = "\(LocalServer.alpha)/users"

    var keyID: String { "key of ada" }

    func put(_ body: JSONValue, _ token: String?, _ path: String = "/ada") async throws -> Bool {
      try await server.call(.put, Self.users + path, token: token, body: body).status == 200
    }

    func post(_ path: String, _ body: JSONValue, _ token: String?) async throws -> Bool {
      let answer = try await server.call(.post, path, token: token, body: body)
      return answer.status == 200 || answer.status == 201
    }

    /// Reads a page and sends its form. What came of it, only the account and the events tell.
    func page(_ path: String, _ fields: [String: String], _ token: String?, to target: String? = nil)
      async throws
      -> Bool
    {
      let reader = PageReader(server, token: token)
      let read = try await reader.get(path)
      // Whoever never gets to see the page sends the form all the same, with a token of another page.
      let form = read.field("token") ?? "x"
      _ = try await reader.post(target ?? path, token: form, fields)
      return false
    }

    func addKey(_ name: String, realm: String) async throws {
      _ = try await server.store.addBoundDevice(
        BoundDeviceRecord(
          uuid: "key of \(name)", realm: realm, username: name, deviceID: "d \(name)", deviceName: "Phone",
          key: ["kty": "EC"], thumbprint: "t \(name) \(realm)", createdDate: LocalServer.morning,
          lastAccessDate: LocalServer.morning), limit: 0)
    }

    func token(_ caller: Caller) async throws -> String? {
      let (name, realm, level, age): (String, String, Int, TimeInterval)
      switch caller {
      case .owner: (name, realm, level, age) = ("ada", "alpha", 2, 0)
      case .weakOwner: (name, realm, level, age) = ("ada", "alpha", 1, 0)
      case .staleOwner: (name, realm, level, age) = ("ada", "alpha", 2, 600)
      case .administrator: (name, realm, level, age) = ("amAdmin", "root", 2, 0)
      case .weakAdministrator: (name, realm, level, age) = ("amAdmin", "root", 1, 0)
      case .staleAdministrator: (name, realm, level, age) = ("amAdmin", "root", 2, 600)
      case .otherPerson: (name, realm, level, age) = ("bob", "alpha", 2, 0)
      case .otherRealmsAdministrator: (name, realm, level, age) = ("berta", "beta", 2, 0)
      case .nobody: return nil
      }
      let token = SessionToken(randomBytes: SystemRandom.bytes)
      let moment = server.clock.now.addingTimeInterval(-age)
      let record = SessionRecord(
        tokenHash: token.hash, handle: "shandle:\(UUID().uuidString)", realm: realm, username: name,
        createdAt: moment, latestAccess: server.clock.now, maximumIdle: 1800,
        expiresAt: server.clock.now + 7200, properties: [:], authLevel: level, authenticatedAt: moment)
      _ = try await server.store.openSession(NewSession(record, now: server.clock.now), by: nil)
      return token.text
    }
  }

  private static let devices = "\(House.users)/ada/devices/2fa"
  private static let adminPage = "/am/admin/users/ada?realm=/alpha"

  static let knocks: [Knock] = [
    Knock(act: .create, door: .rest, by: .administrator) {
      try await $0.post(
        "\(House.users)?_action=create", ["username": "eve", "userpassword": "seven grey herons"], $1)
    },
    Knock(act: .changeAttributes, door: .rest, by: .owner) {
      try await $0.put(["mail": ["ada@example.com"], "givenName": "Augusta"], $1)
    },
    Knock(act: .changeMail, door: .rest, by: .owner) { try await $0.put(["mail": ["new@example.com"]], $1) },
    Knock(act: .changePassword, door: .rest, by: .owner) {
      try await $0.put(
        [
          "mail": ["ada@example.com"], "UserPassword": "seven grey herons", "currentpassword": "ada-password",
        ], $1)
    },
    Knock(act: .resetPassword, door: .rest, by: .administrator) {
      try await $0.put(["mail": ["ada@example.com"], "UserPassword": "seven grey herons"], $1)
    },
    Knock(act: .setPasswordState, door: .rest, by: .administrator) {
      try await $0.put(["mail": ["ada@example.com"], "pwdReset": true], $1)
    },
    Knock(act: .deactivate, door: .rest, by: .administrator) {
      try await $0.put(["mail": ["ada@example.com"], "inetuserstatus": ["Inactive"]], $1)
    },
    Knock(act: .unlock, door: .rest, by: .administrator) {
      try await $0.post("\(House.users)/ada?_action=unlock", [:], $1)
    },
    Knock(act: .grantRole, door: .rest, by: .administrator) {
      try await $0.post("\(House.users)/ada/roles?_action=grant", ["role": "auditor"], $1)
    },
    Knock(act: .revokeRole, door: .rest, by: .administrator) {
      try await $0.post("\(House.users)/ada/roles?_action=revoke", ["role": "auditor"], $1)
    },
    Knock(act: .renameMethod, door: .rest, by: .owner) {
      try await $0.put(["deviceName": "Desk"], $1, "/ada/devices/2fa/binding/\($0.keyID)")
    },
    Knock(act: .removeMethod, door: .rest, by: .owner) {
      let path = "\(devices)/binding/\($0.keyID)"
      return try await $0.server.call(.delete, path, token: $1).status == 200
    },
    Knock(act: .resetMethods, door: .rest, by: .owner) {
      try await $0.post("\(devices)/push?_action=reset", [:], $1)
    },
    Knock(act: .skipMethods, door: .rest, by: .owner) {
      try await $0.post("\(devices)/push?_action=skip", ["value": true], $1)
    },
    Knock(act: .changeLinks, door: .rest, by: .administrator) {
      try await $0.put(["mail": ["ada@example.com"], "aliasList": ["https://idp.example eve"]], $1)
    },
    Knock(act: .endSessions, door: .rest, by: .administrator) {
      try await $0.post("\(LocalServer.alpha)/sessions?_action=logoutByUser", ["username": "ada"], $1)
    },
    Knock(act: .delete, door: .rest, by: .administrator) {
      try await $0.server.call(.delete, "\(House.users)/ada", token: $1).status == 200
    },
    Knock(act: .create, door: .administrationPages, by: .administrator) {
      try await $0.page(
        "/am/admin/users?realm=/alpha", ["username": "eve", "password": "seven grey herons"], $1)
    },
    Knock(act: .deactivate, door: .administrationPages, by: .administrator) {
      try await $0.page(adminPage, ["do": "deactivate", "reason": "left"], $1)
    },
    Knock(act: .resetPassword, door: .administrationPages, by: .administrator) {
      try await $0.page(
        adminPage, ["do": "password", "password": "seven grey herons", "reason": "forgotten"], $1)
    },
    Knock(act: .endSessions, door: .administrationPages, by: .administrator) {
      try await $0.page(adminPage, ["do": "sessions", "reason": "a lost phone"], $1)
    },
    Knock(act: .grantRole, door: .administrationPages, by: .administrator) {
      try await $0.page(adminPage, ["do": "grant", "role": "auditor", "reason": "audit"], $1)
    },
    Knock(act: .revokeRole, door: .administrationPages, by: .administrator) {
      try await $0.page(adminPage, ["do": "revoke", "role": "auditor", "reason": "audit over"], $1)
    },
    Knock(act: .removeMethod, door: .administrationPages, by: .administrator) {
      try await $0.page(
        adminPage, ["do": "remove", "kind": "binding", "device": $0.keyID, "reason": "lost"], $1)
    },
    Knock(act: .delete, door: .administrationPages, by: .administrator) {
      try await $0.page(adminPage, ["do": "delete", "name": "ada", "reason": "left"], $1)
    },
    Knock(act: .unlock, door: .administrationPages, by: .administrator) {
      try await $0.page(adminPage, ["do": "unlock"], $1)
    },
    Knock(act: .resetMethods, door: .administrationPages, by: .administrator) {
      try await $0.page(adminPage, ["do": "reset", "kind": "binding", "reason": "lost"], $1)
    },
    Knock(act: .changePassword, door: .accountPages, by: .owner) {
      try await $0.page(
        "/am/account/password",
        ["current": "ada-password", "new": "seven grey herons", "again": "seven grey herons"], $1)
    },
    Knock(act: .renameMethod, door: .accountPages, by: .owner) {
      try await $0.page(
        "/am/account/methods/key/\($0.keyID.replacing(" ", with: "%20"))", ["name": "Desk"], $1)
    },
    Knock(act: .removeMethod, door: .accountPages, by: .owner) {
      try await $0.page(
        "/am/account/methods/key/\($0.keyID.replacing(" ", with: "%20"))/remove", [:], $1)
    },
  ]

  private func open(_ knock: Knock, _ body: @Sendable (House) async throws -> Void) async throws {
    try await LocalServer.recording({
      $0.factorChanges = .init(standard: .strong)
      $0.realms = ["root", "alpha", "beta"]
    }) { server, events in
      let house = House(server: server, events: events)
      try await house.addKey("ada", realm: "alpha")
      try await house.addKey("amAdmin", realm: "root")
      try await server.store.createUser(
        UserRecord(
          realm: "beta", username: "berta", createdAt: server.clock.now, roles: [.administrator]))
      if knock.act == .revokeRole {
        _ = try await server.store.changeRole(
          RoleChange(.auditor, isGrant: true, username: "ada", realm: "alpha"), by: nil)
      }
      try await body(house)
    }
  }

  @Test(arguments: knocks)
  func `what one door refuses all refuse, and each success leaves the act's event`(knock: Knock) async throws
  {
    #expect(knock.act.doors.contains(knock.door), "the table says so")
    try await open(knock) { house in
      let before = try await house.server.store.user(named: "ada", realm: "alpha")
      for caller in Caller.bad {
        // An act that asks for no fresh proof is not refused to an old session, nor one that is no change of factors to a weak one of its owner.
        let isFine =
          switch caller {
          case .weakOwner, .staleOwner: knock.act.isForOwner && !knock.act.changesFactors
          case .staleAdministrator: knock.act.capability != nil && !knock.act.changesFactors
          default: false
          }
        guard !isFine else { continue }
        let happened = try await knock.send(house, house.token(caller))
        #expect(!happened && house.events.of(knock.event).isEmpty, "\(caller)")
      }
      if knock.act != .create {
        var after = try await house.server.store.user(named: "ada", realm: "alpha")
        after?.revision = before?.revision ?? 0
        #expect(after == before)
      }
      _ = try await knock.send(house, house.token(knock.by))
      let event = try #require(house.events.of(knock.event).first)
      #expect(event.realm == "alpha" && (event.account == "ada" || event.account == "eve"))
      #expect(event.actor == (knock.by == .administrator ? "amAdmin@root" : nil))
      #expect(house.events.areDurable(knock.event))
    }
  }

  /// S1: the way of somebody who has only the administrator's password.
  @Test(arguments: [FactorChangePolicy.Requirement.any, .strong])
  func `a stolen password of an administrator with a second factor makes no other administrator`(
    requirement: FactorChangePolicy.Requirement
  ) async throws {
    try await LocalServer.recording({ $0.factorChanges = .init(standard: requirement) }) { server, events in
      let house = House(server: server, events: events)
      try await house.addKey("amAdmin", realm: "root")
      let weak = try await server.signInAdministrator()
      for (method, path, body) in [
        (HTTPRequest.Method.post, "\(House.users)?_action=create", ["username": "eve"] as JSONValue?),
        (.get, "\(House.users)?_queryFilter=true", nil), (.get, "\(House.users)/ada", nil),
        (.post, "\(House.users)/ada/roles?_action=grant", ["role": "administrator"]),
        (.get, "\(LocalServer.alpha)/applications?_queryFilter=true", nil),
        (.get, "/am/json/global-config/realms?_queryFilter=true", nil),
        (.post, "/am/json/global-config/realms?_action=create", ["name": "gamma"]),
      ] {
        let answer = try await server.call(method, path, token: weak, body: body)
        #expect(answer.status == 403, "\(path)")
        #expect(
          answer["detail"]?["errorCode"] == "stepUpRequired" && answer["detail"]?["authLevel"] == 2, "\(path)"
        )
      }
      #expect(events.of(.roleGranted).isEmpty && events.of(.accountCreated).isEmpty)
    }
  }

  /// S3: the address that recovery goes to.
  @Test func `a stolen cookie does not change where recovery goes, and the owner hears of a change`()
    async throws
  {
    let knock = Self.knocks[2]
    try await open(knock) { house in
      let server = house.server
      let answer = try await server.call(
        .put, "\(House.users)/ada", token: house.token(.weakOwner), body: ["mail": ["thief@example.com"]])
      #expect(answer.status == 403 && answer["detail"]?["errorCode"] == "stepUpRequired")
      let done = try await server.call(
        .put, "\(House.users)/ada", token: house.token(.owner), body: ["mail": ["new@example.com"]])
      #expect(done.status == 200 && done["mailState"] == nil)
      let user = try #require(try await server.store.user(named: "ada", realm: "alpha"))
      #expect(user.countingMail == "ada@example.com")
    }
  }

  /// S20: a change that was read before another one.
  @Test func `a change of what somebody else changed meanwhile is refused when it says what it has read`()
    async throws
  {
    try await LocalServer.run { server in
      let admin = try await server.signInAdministrator()
      let read = try await server.call(.get, "\(House.users)/ada", token: admin)
      let revision = try #require(read["_rev"]?.stringValue)
      _ = try await server.call(
        .put, "\(House.users)/ada", token: admin, body: ["mail": ["ada@example.com"], "givenName": "Ada"])
      let late = try await server.call(
        .put, "\(House.users)/ada", token: admin, body: ["mail": ["ada@example.com"], "givenName": "Eve"],
        headers: ["If-Match": "\"\(revision)\""])
      #expect(late.status == 412)
      let now = try await server.call(.get, "\(House.users)/ada", token: admin)
      #expect(now["givenName"] == "Ada")
      let again = try await server.call(
        .put, "\(House.users)/ada", token: admin, body: ["mail": ["ada@example.com"], "givenName": "Eve"],
        headers: ["If-Match": now["_rev"]?.stringValue ?? ""])
      #expect(again.status == 200)
    }
  }
}
