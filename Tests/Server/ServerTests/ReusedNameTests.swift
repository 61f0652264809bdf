import Assembly
import AuthenticatorFixtures
import BindingFormats
import Bytes
import CommonFixtures
import EvidenceLedger
import Foundation
import HTTPTypes
import HummingbirdTesting
import JourneyStore
import PasswordHashing
import StrictJSON
import Testing

@testable import ServerHTTP

/// An account is deleted, and somebody else gets its name.
@Suite("The next account of a name") struct ReusedNameTests {
  private static let ada = UniversalID(username: "ada", realm: "alpha")

  /// Deletes ada by REST, as an administrator does, and creates the next one.
  private func recreate(_ server: LocalServer) async throws {
    let administrator = try await server.signInAdministrator()
    server.clock.advance(by: 60)
    let path = "\(LocalServer.alpha)/users"
    #expect(try await server.call(.delete, "\(path)/ada", token: administrator).status == 200)
    let created = try await server.call(
      .post, "\(path)?_action=create", token: administrator,
      body: ["username": "ada", "userpassword": "quite another phrase"])
    #expect(created.status == 201, "\(created.json)")
    server.clock.advance(by: 60)
  }

  /// What the first ada leaves: a signed payment, and a denied push; each once as a server of an earlier version notes it.
  private func leave(_ server: LocalServer, _ word: String) async throws {
    let ada = try #require(try await server.store.user(Self.ada))
    for (number, account) in [(1, ada.id), (2, nil)] as [(Int, String?)] {
      let record = EvidenceRecord(
        kind: .sign, time: server.clock.now.millisecondsSince1970, realm: "alpha", journey: "Run of \(word)",
        nodeID: "n", username: "ada", userID: ada.universalID, accountID: account, device: "d1",
        key: ["kty": "EC"], transaction: ["fields": ["payee": .string("Doctor of \(word)")]], jws: "a.b.c")
      _ = try await server.store.addEvidence(
        record, once: OnceKey(key: Array("\(word)\(number)".utf8), expiry: .distantFuture))
    }
    let id = "AUTHENTICATE:\(word)"
    let secret = StoredSecret([1])
    try await server.store.openPushEnrolment(
      PushMessageRecord(
        id: "REGISTER:\(word)", realm: "alpha", username: "ada", kind: .registration, challenge: secret,
        enrolment: .init(uuid: "uuid of m-\(word)", issuer: "Bank", sharedSecret: secret, deviceLimit: 0),
        sentAt: server.clock.now, expiresAt: server.clock.now.addingTimeInterval(60)))
    _ = try await server.store.completePushEnrolment(
      id: "REGISTER:\(word)",
      device: PushDeviceRecord(
        uuid: "uuid of m-\(word)", realm: "alpha", username: "ada", deviceName: "Phone",
        mechanismUID: "m-\(word)", issuer: "Bank", sharedSecret: secret, communicationType: "poll",
        communicationID: "t", deviceType: "linux", deviceToken: "t", createdDate: server.clock.now,
        lastAccessDate: server.clock.now), now: server.clock.now)
    let question = PushMessageRecord(
      id: id, realm: "alpha", username: "ada", kind: .authentication, challenge: StoredSecret([1]),
      sentAt: server.clock.now, expiresAt: server.clock.now.addingTimeInterval(60))
    #expect(try await server.store.openPushMessage(question, inboxes: [], limits: .standard) == .opened)
    #expect(
      try await server.store.decidePushMessage(
        id: id, realm: "alpha", as: .denied, by: "m-\(word)", reason: nil, now: server.clock.now))
  }

  @Test func `it sees no signature, proof or activity of the one before, and its own from then on`()
    async throws
  {
    let folder = try TemporaryFolder.make()
    try await LocalServer.run {
      // A ledger in memory has no proofs.
      $0.dataDirectory = folder.url.appending(path: "data")
    } body: { server in
      try await leave(server, "Mira")
      let before = try await PageReader.signedIn("ada", server)
      for page in ["signatures", "activity"] {
        let shown = try await before.get("/am/account/\(page)?realm=/alpha")
        #expect(shown.contains(page == "signatures" ? "Doctor of Mira" : "Run of Mira"), "\(shown.html)")
      }
      #expect(try await before.get("/am/account/activity?realm=/alpha").contains("denied"))
      for number in 1...2 {
        #expect(try await before.get("/am/account/signatures/\(number)?realm=/alpha").status == 200)
      }

      try await recreate(server)
      let token = try await server.signIn("ada", password: "quite another phrase")
      let ada = PageReader(server, token: token)
      for page in ["", "signatures", "activity", "methods", "sessions"] {
        let shown = try await ada.get("/am/account/\(page)?realm=/alpha")
        #expect(shown.status == 200 && !shown.contains("Mira") && !shown.contains("denied"), "\(page)")
      }
      for number in 1...2 {
        #expect(try await ada.get("/am/account/signatures/\(number)?realm=/alpha").status == 404)
      }
      #expect(try await before.get("/am/account/signatures?realm=/alpha").status == 303, "signed out")

      try await leave(server, "Nora")
      let own = try await ada.get("/am/account/signatures?realm=/alpha")
      #expect(own.contains("Doctor of Nora") && !own.contains("Mira"))
      #expect(try await ada.get("/am/account/signatures/3?realm=/alpha").status == 200)
      #expect(try await ada.get("/am/account/signatures/1?realm=/alpha").status == 404)
    }
  }

  @Test func `administrators see all, and which account each was of`() async throws {
    try await LocalServer.run { server in
      try await leave(server, "Mira")
      let first = try #require(try await server.store.user(Self.ada)).id
      try await recreate(server)
      try await leave(server, "Nora")
      let second = try #require(try await server.store.user(Self.ada)).id
      let administrator = try await server.signInAdministrator()
      let filter = "_queryFilter=username%20eq%20%22ada%22"
      let evidence = try await server.call(
        .get, "\(LocalServer.alpha)/audit/evidence?\(filter)", token: administrator)
      let accounts = evidence["result"]?.arrayValue?.map { $0["account"]?.stringValue }
      #expect(accounts == [nil, second, nil, first])
      let push = try await server.call(
        .get, "\(LocalServer.alpha)/audit/push?\(filter)", token: administrator)
      #expect(push["result"]?.arrayValue?.map { $0["accountId"]?.stringValue } == [second, first])
    }
  }

  /// The same name, and even the same password.
  private func recreateAlike(_ server: LocalServer) async throws {
    let old = try #require(try await server.store.deleteUser(Self.ada))
    try await server.store.createUser(
      UserRecord(
        realm: "alpha", username: "ada", passwordHash: old.passwordHash, createdAt: server.clock.now))
  }

  @Test func `a passkey whose registration the person before had begun is not added to it`() async throws {
    try await LocalServer.run(.router, LocalServer.bundled) { server in
      let authenticator = SoftAuthenticator()
      let step = try await server.startRegistration()
      let proof = try authenticator.register(challenge: step.challenge)
      try await recreateAlike(server)
      let answer = try await server.answer(step, proof)
      #expect(answer.status == 401, "\(answer.json)")
      #expect(server.logContains("another one has its name"))
      #expect(try await server.store.webAuthnDevices.all(of: Self.ada).isEmpty)
      // The next one's own is.
      let own = try await server.startRegistration()
      _ = try await server.answer(own, try authenticator.register(challenge: own.challenge))
      #expect(try await server.store.webAuthnDevices.all(of: Self.ada).count == 1)
    }
  }

  @Test func `a session that the person before had nearly reached is not made for it`() async throws {
    try await LocalServer.run { server in
      var step = try await server.start("TwoSteps")
      for text in ["ada", "ada-password"] {
        step = try await server.call(
          .post, "\(LocalServer.alpha)/authenticate", body: LocalServer.reply(to: step, text))
      }
      try await recreateAlike(server)
      let answer = try await server.call(
        .post, "\(LocalServer.alpha)/authenticate", body: LocalServer.reply(to: step, "more"))
      #expect(answer.status == 401)
      #expect(try await server.store.sessions(of: Self.ada, now: server.clock.now).isEmpty)
    }
  }

  /// An auditor of realm beta with the name `guard`, with a session.
  private func auditor(_ server: LocalServer) async throws -> String {
    let hash = try await PasswordHasher(cost: Argon2Cost(memoryKiB: 8, iterations: 1)).hash("guard-password")
    try await server.store.createUser(
      UserRecord(
        realm: "beta", username: "guard", passwordHash: hash, createdAt: server.clock.now, roles: [.auditor]))
    return try await server.signIn("guard", realm: Self.beta)
  }

  private static let beta = "/am/json/realms/root/realms/beta"

  @Test
  func `auditors of a realm see nothing of another that had its name before; those of the root realm do`()
    async throws
  {
    try await LocalServer.run { server in
      let root = try await server.signInAdministrator()
      func create() async throws {
        let answer = try await server.call(
          .post, "\(LocalServer.root)/global-config/realms?_action=create", token: root,
          body: ["name": "beta"])
        #expect(answer.status == 201)
      }
      func numbers(_ token: String) async throws -> [JSONValue?]? {
        try await server.call(.get, "\(Self.beta)/audit/evidence?_queryFilter=true", token: token)[
          "result"]?.arrayValue?.map { $0["number"] }
      }
      func sign(_ number: UInt8) async throws {
        let record = EvidenceRecord(
          kind: .sign, time: server.clock.now.millisecondsSince1970, realm: "beta", journey: "J", nodeID: "n",
          username: "mira", userID: "mira", device: "d", key: ["kty": "EC"], jws: "a.b.c")
        _ = try await server.store.addEvidence(
          record, once: OnceKey(key: [number], expiry: .distantFuture))
      }
      try await create()
      try await sign(1)
      #expect(try await numbers(auditor(server)) == [1])
      let deleted = try await server.call(
        .delete, "\(LocalServer.root)/global-config/realms/beta?force=true", token: root)
      #expect(deleted.status == 200)
      server.clock.advance(by: 60)
      try await create()
      let auditor = try await auditor(server)
      try await sign(2)
      #expect(try await numbers(auditor) == [2])
      #expect(try await numbers(root) == [2, 1])
      for (number, token, status) in [(1, auditor, 404), (2, auditor, 200), (1, root, 200)] {
        let answer = try await server.call(.get, "\(Self.beta)/audit/evidence/\(number)", token: token)
        #expect(answer.status == status, "\(number)")
      }
      for query in ["&since=0", "&kind=sign", "&_pageSize=1"] {
        let answer = try await server.call(
          .get, "\(Self.beta)/audit/evidence?_queryFilter=true\(query)", token: auditor)
        #expect(answer["result"]?.arrayValue?.count == 1, "\(query)")
      }
    }
  }
}
