import CBOR
import CommonFixtures
import CTAP
import Crypto
import DeviceKeys
import Foundation
import PersonPrompts
import Testing
import WebAuthnAuthenticator

@testable import CTAPAuthenticator

struct PersonTests {
  @Test func `the question names the relying party and the account`() async throws {
    let scene = try SecurityKeyScene()
    #expect(try await scene.register("bank.example").status == .success)
    #expect(
      scene.person.questions == [
        SecurityKeyQuestion(.register, relyingParty: "bank.example", account: "ada (Ada Lovelace)").shown
      ])
    _ = try await scene.register("bank.example", user: [8], options: ["rk": true])
    _ = try await scene.signIn("bank.example")
    #expect(
      scene.person.questions.last
        == SecurityKeyQuestion(.signIn, relyingParty: "bank.example", account: "ada").shown)
  }

  @Test func `with nobody to ask everything that needs a person is denied`() async throws {
    let scene = try SecurityKeyScene(prompt: NobodyThere())
    #expect(try await scene.register().status == .operationDenied)
    #expect(try await scene.send(0x0B).status == .operationDenied)
    #expect(try await scene.send(0x07).status == .operationDenied)
    #expect(try await scene.send(0x04).status == .success)
    #expect(try await scene.store.keys().isEmpty)
  }

  @Test(arguments: [PersonAnswer.no, .pin(PIN("739184"))])
  func `what is not a yes makes nothing`(answer: PersonAnswer) async throws {
    let scene = try SecurityKeyScene(person: SecurityKeyPerson([answer]))
    #expect(try await scene.register().status == .operationDenied)
    #expect(try await scene.store.keys().isEmpty)
  }

  @Test func `a yes does not stand for the PIN`() async throws {
    let scene = try SecurityKeyScene(person: SecurityKeyPerson([.yes]))
    try await scene.setPIN()
    #expect(try await scene.register(options: ["uv": true]).status == .operationDenied)
    #expect(try await scene.register(options: ["uv": true]).status == .success)
  }

  // Which finger it was is not known: `SecurityKeyFingers` tells that.
  @Test func `a finger that the prompt took is a yes, and does not stand for the PIN`() async throws {
    let scene = try SecurityKeyScene(person: SecurityKeyPerson([.finger, .finger]))
    #expect(try await scene.register().status == .success)
    try await scene.setPIN()
    #expect(try await scene.register(options: ["uv": true]).status == .operationDenied)
  }

  @Test func `nobody is asked any more for a while after three refusals in a row`() async throws {
    let scene = try SecurityKeyScene(person: SecurityKeyPerson([.no, .no, .no]))
    for _ in 0..<5 { #expect(try await scene.register().status == .operationDenied) }
    #expect(scene.person.questions.count == 3)
    scene.later(by: .seconds(59))
    #expect(try await scene.register().status == .operationDenied)
    scene.later(by: .seconds(1))
    #expect(try await scene.register().status == .success)
  }

  @Test
  func `an answer that does not come is a timeout, and a request that is cancelled takes its question away`()
    async throws
  {
    let scene = try SecurityKeyScene()
    let task = Task { try await scene.register("wait.example").status }
    try await eventually("somebody is asked") { scene.key.isAsking }
    task.cancel()
    #expect(try await task.value == .keepaliveCancel)
    #expect(!scene.key.isAsking)
    let late = try SecurityKeyScene(person: SecurityKeyPerson([.no]))
    late.date.advance(by: 100)
    #expect(try await late.register().status == .operationDenied)
  }

  // An answer that was meant for another question would be taken for the next one.
  @Test(arguments: [0, 2, 59])
  func `questions that are taken away count as refused, at once or later`(seconds: Int) async throws {
    let scene = try SecurityKeyScene()
    for _ in 0..<3 {
      let task = Task { try await scene.register("wait.example").status }
      try await eventually("somebody is asked") { scene.key.isAsking }
      scene.later(by: .seconds(seconds))
      task.cancel()
      #expect(try await task.value == .keepaliveCancel)
    }
    #expect(try await scene.register().status == .operationDenied)
    #expect(scene.person.questions.count == 3)
  }

  // A yes to one account would be taken for another one, which the program names later.
  @Test(arguments: [
    (
      CTAPPermissions.makeCredential, SecurityKeyQuestion.Purpose.register,
      "any account of this site" as String?
    ),
    (.getAssertion, .signIn, "any account of this site"), (.credentialManagement, .verify, nil),
  ])
  func `the question for a token says that it is good for any account`(
    permissions: CTAPPermissions, purpose: SecurityKeyQuestion.Purpose, account: String?
  ) async throws {
    let scene = try SecurityKeyScene()
    try await scene.setPIN()
    #expect(try await scene.token(permissions, party: "bank.example") == .success)
    #expect(
      scene.person.questions == [
        SecurityKeyQuestion(purpose, relyingParty: "bank.example", account: account, needsPIN: true).shown
      ])
  }

  // The question for it says nothing of passkeys that are made or used.
  @Test(arguments: [CTAPPermissions.makeCredential, .getAssertion])
  func `a token to manage passkeys is good for nothing else`(other: CTAPPermissions) async throws {
    let scene = try SecurityKeyScene()
    try await scene.setPIN()
    #expect(
      try await scene.token([.credentialManagement, other], party: "bank.example") == .unauthorizedPermission)
    #expect(scene.person.questions.isEmpty)
    #expect(try await scene.token(.credentialManagement) == .success)
    #expect(scene.person.questions.first?["Good for"]?.hasPrefix("10 minutes") == true)
  }

  // A program would learn without a person that there is one.
  @Test func `a passkey for verified persons only is not told from none before somebody is verified`()
    async throws
  {
    let scene = try SecurityKeyScene()
    try await scene.setPIN()
    #expect(try await scene.signIn(options: ["uv": true]).status == .noCredentials)
    #expect(
      scene.person.questions == [
        SecurityKeyQuestion(
          .signIn, relyingParty: "example.com", account: "any account of this site", needsPIN: true
        ).shown
      ])
    let made = try await scene.register(options: ["rk": true, "uv": true], extensions: ["credProtect": 3])
    let id = try SecurityKeyScene.id(made)
    let asked = scene.person.questions.count
    // Nor by options that do not go together.
    for allowed in [[id], [[UInt8](repeating: 4, count: 16)]] {
      #expect(
        try await scene.signIn(options: ["uv": true, "up": false], allowed: allowed).status
          == .unsupportedOption)
      #expect(try await scene.signIn(options: ["up": false], allowed: allowed).status == .noCredentials)
    }
    #expect(scene.person.questions.count == asked)
    #expect(try await scene.signIn(options: ["uv": true], allowed: [id]).status == .success)
  }

  @Test func `without a list nothing is told silently, and of a list no account`() async throws {
    let scene = try SecurityKeyScene()
    let id = try SecurityKeyScene.id(try await scene.register(options: ["rk": true]))
    #expect(try await scene.signIn(options: ["up": false]).status == .noCredentials)
    let found = try await scene.signIn(options: ["up": false], allowed: [id])
    #expect(found.status == .success && found.map[4] == nil)
    #expect(scene.person.questions.count == 1)
    #expect(try await scene.signIn().map[4] != nil)
  }

  @Test func `the question says which passkey a new one takes the place of`() async throws {
    let scene = try SecurityKeyScene()
    for _ in 0..<2 { #expect(try await scene.register(options: ["rk": true]).status == .success) }
    _ = try await scene.register(user: [8], options: ["rk": true])
    let replaced = scene.person.questions.map { $0["Replaces"] }
    #expect(replaced[0] == nil && replaced[2] == nil)
    #expect(replaced[1]?.hasPrefix("the passkey made on 20") == true)
    #expect(replaced[1]?.hasSuffix(" for ada") == true)
  }

  @Test func `no PIN is asked for that would not be looked at`() async throws {
    let wrong = PersonAnswer.pin(PIN("000000"))
    let scene = try SecurityKeyScene(person: SecurityKeyPerson([wrong, wrong, wrong]))
    try await scene.setPIN()
    for _ in 0..<3 {
      #expect(try await scene.register(options: ["uv": true]).status == .pinAuthBlocked)
    }
    #expect(scene.person.questions.count == 3)
    // The store takes the next one after a while only.
    let again = try SecurityKeyScene(
      store: scene.store, person: SecurityKeyPerson([wrong]), folder: scene.folder)
    for _ in 0..<2 {
      #expect(try await again.register(options: ["uv": true]).status == .pinAuthBlocked)
    }
    #expect(again.person.questions.count == 1)
  }

  @Test func `a question that ends in blocked PINs counts as refused`() async throws {
    let wrong = PersonAnswer.pin(PIN("000000"))
    let scene = try SecurityKeyScene(person: SecurityKeyPerson([.no, .no, wrong, wrong, wrong]))
    try await scene.setPIN()
    for _ in 0..<2 { #expect(try await scene.register().status == .operationDenied) }
    #expect(try await scene.register(options: ["uv": true]).status == .pinAuthBlocked)
    #expect(try await scene.register().status == .operationDenied)
    #expect(scene.person.questions.count == 5)
  }

  // A full disk, another key of the records: the others, and deleting everything, do not depend on it.
  @Test func `a passkey whose record cannot be read is left out, and deleted with all others`() async throws {
    let scene = try SecurityKeyScene()
    let broken = try SecurityKeyScene.id(try await scene.register(options: ["rk": true]))
    let folder = scene.folder.url.appending(path: "passkeys")
    func records() throws -> [URL] {
      try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        .filter { $0.pathExtension == "credential" }
    }
    try Data("{".utf8).write(to: try #require(try records().first))
    #expect(try await scene.send(4).map[0x14] == 200)
    let good = try SecurityKeyScene.id(try await scene.register(user: [8], options: ["rk": true]))
    #expect(try await scene.signIn(allowed: [broken, good]).status == .success)
    #expect(try await scene.signIn(allowed: [broken]).status == .noCredentials)
    #expect(try await scene.send(7).status == .success)
    #expect(try records().isEmpty)
    #expect(try await scene.store.keys().isEmpty)
  }

  @Test func `wrong PINs at the question are counted, and the third is the last until the next start`()
    async throws
  {
    let wrong = PersonAnswer.pin(PIN("000000"))
    let scene = try SecurityKeyScene(person: SecurityKeyPerson([wrong, wrong, wrong]))
    try await scene.setPIN()
    #expect(try await scene.register(options: ["uv": true]).status == .pinAuthBlocked)
    #expect(scene.person.questions.map { $0.remark != nil } == [false, true, true])
    #expect(try await scene.store.pinTries(tag: ClientPINKey.tag)?.wrong == 3)
    #expect(try await scene.register(options: ["uv": true]).status == .pinAuthBlocked)
    #expect(try await scene.store.pinTries(tag: ClientPINKey.tag)?.wrong == 3, "a PIN was tried")
  }

  @Test func `starting again does not give wrong PINs back`() async throws {
    let wrong = PersonAnswer.pin(PIN("000000"))
    let policy = PINAttemptPolicy(failuresUntilDisabled: 5, delays: [])
    let store = MemoryKeyStore(pinAttempts: policy)
    let first = try SecurityKeyScene(store: store, person: SecurityKeyPerson([wrong, wrong, wrong]))
    try await first.setPIN()
    #expect(try await first.register(options: ["uv": true]).status == .pinAuthBlocked)
    let second = try SecurityKeyScene(
      store: store, person: SecurityKeyPerson([wrong, wrong]), folder: first.folder)
    #expect(try await second.send(6, [2: 1]).map[3] == 2)
    #expect(try await second.register(options: ["uv": true]).status == .pinBlocked)
    let third = try SecurityKeyScene(store: store, folder: first.folder)
    #expect(try await third.register(options: ["uv": true]).status == .pinBlocked, "the right PIN is taken")
  }

  @Test func `everything is deleted only just after the start, and only when a person agrees`() async throws {
    let scene = try SecurityKeyScene(person: SecurityKeyPerson([.yes, .no]))
    try await scene.setPIN()
    _ = try await scene.register()
    #expect(try await scene.send(7).status == .operationDenied)
    #expect(try await scene.store.keys().count == 2)
    scene.later(by: .seconds(10))
    #expect(try await scene.send(7).status == .notAllowed)
    let again = try SecurityKeyScene(store: scene.store, folder: scene.folder)
    #expect(try await again.send(7).status == .success)
    #expect(again.person.wasAsked([.reset]))
    #expect(try await again.store.keys().isEmpty)
    #expect(try await again.signIn().status == .noCredentials)
  }

  @Test func `a passkey of this program is not there for others`() async throws {
    let scene = try SecurityKeyScene()
    let records = CredentialStore(
      directory: scene.folder.url.appending(path: "passkeys"), encryption: PlainRecords())
    let own = Authenticator(keyStore: scene.store, credentials: records)
    let made = try await own.makeCredential(
      MakeCredentialRequest(
        clientDataHash: SecurityKeyScene.hash, relyingPartyID: "example.com", relyingPartyName: "Example",
        userHandle: [1], userName: "ada", userDisplayName: "Ada", algorithms: [-7],
        requiresResidentKey: true, verifiesUser: false), consent: Agreeing())
    #expect(try await scene.signIn().status == .noCredentials)
    let listed: CBORMap = [
      1: "example.com", 2: .bytes(SecurityKeyScene.hash),
      3: [["id": .bytes(made.source.id), "type": "public-key"]],
    ]
    #expect(try await scene.send(2, listed).status == .noCredentials)
    #expect(try await scene.send(7).status == .success)
    #expect(try await records.credentials().map(\.id) == [made.source.id])
  }
}

private struct Agreeing: AuthenticatorConsent {
  func mayRevealExcludedCredential() async -> Bool { true }
  func mayCreate(_ credential: CredentialDescription) async -> Bool { true }
  func choose(among credentials: [PublicKeyCredentialSource]) async -> PublicKeyCredentialSource? {
    credentials.first
  }
}

/// There is nobody: every answer is no.
private struct NobodyThere: PersonPrompt {
  func ask(_ question: PersonQuestion, until end: Date) async -> PersonAnswer {
    .nobody("there is neither a terminal nor a pinentry")
  }
}
