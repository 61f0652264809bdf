import CommonFixtures
import DeviceKeys
import Foundation
import JOSE
import Testing

/// What every store does. The folder is removed after the test.
@Suite struct DeviceKeyStoreTests {
  enum Kind: CaseIterable {
    case software, memory
  }

  let folder = TemporaryFolder()

  func store(_ kind: Kind) throws -> any DeviceKeyStore {
    switch kind {
    case .software: try folder.store()
    case .memory: MemoryKeyStore()
    }
  }

  static let unlocks: [(KeyProtection, KeyUnlock)] = [
    (.none, .nothing), (.applicationPIN, .pin(PIN("4711"))),
  ]

  @Test(arguments: Kind.allCases, unlocks)
  func `a new and an opened key sign for the same public key`(kind: Kind, how: (KeyProtection, KeyUnlock))
    async throws
  {
    let store = try store(kind)
    let created = try await store.createKey(tag: "mira", protection: how.0, unlock: how.1)
    let opened = try await store.openKey(tag: "mira", unlock: how.1)
    #expect(created.publicKey == opened.publicKey)
    #expect(created.tag == "mira")
    for key in [created, opened] {
      let token = try await JWS.compact(
        header: JWSHeader(algorithm: .es256), payload: Array("hi".utf8), signer: key)
      let verified = try UnverifiedJWS(compact: token).verified(
        with: VerificationKey(created.publicKey), allowing: [.es256])
      #expect(verified.payload == Array("hi".utf8))
    }
  }

  @Test(arguments: Kind.allCases)
  func `a wrong PIN is told from a missing key`(kind: Kind) async throws {
    let store = try store(kind)
    _ = try await store.createKey(tag: "k", protection: .applicationPIN, unlock: .pin(PIN("4711")))
    await #expect(throws: DeviceKeyError.wrongPIN(tag: "k")) {
      try await store.openKey(tag: "k", unlock: .pin(PIN("4712")))
    }
    await #expect(throws: DeviceKeyError.notFound(tag: "other")) {
      try await store.openKey(tag: "other", unlock: .pin(PIN("4711")))
    }
    _ = try await store.openKey(tag: "k", unlock: .pin(PIN("4711")))
  }

  @Test(arguments: Kind.allCases)
  func `nothing but the PIN unlocks a key made with one`(kind: Kind) async throws {
    let store = try store(kind)
    _ = try await store.createKey(tag: "k", protection: .applicationPIN, unlock: .pin(PIN("4711")))
    await #expect(throws: DeviceKeyError.self) { try await store.openKey(tag: "k", unlock: .nothing) }
    await #expect(throws: DeviceKeyError.self) { try await store.openKey(tag: "k", unlock: .pin(PIN(""))) }
  }

  @Test(arguments: Kind.allCases)
  func `a key is not replaced`(kind: Kind) async throws {
    let store = try store(kind)
    let first = try await store.createKey(tag: "k", protection: .none, unlock: .nothing)
    await #expect(throws: DeviceKeyError.exists(tag: "k")) {
      try await store.createKey(tag: "k", protection: .none, unlock: .nothing)
    }
    #expect(try await store.openKey(tag: "k", unlock: .nothing).publicKey == first.publicKey)
  }

  @Test(arguments: Kind.allCases)
  func `deleting is idempotent and removes one key only`(kind: Kind) async throws {
    let store = try store(kind)
    _ = try await store.createKey(tag: "a", protection: .none, unlock: .nothing)
    _ = try await store.createKey(tag: "b", protection: .none, unlock: .nothing)
    try await store.deleteKey(tag: "a")
    try await store.deleteKey(tag: "a")
    #expect(try await store.keys().map(\.tag) == ["b"])
    await #expect(throws: DeviceKeyError.notFound(tag: "a")) {
      try await store.openKey(tag: "a", unlock: .nothing)
    }
  }

  @Test(arguments: Kind.allCases, [KeyProtection.biometricOnly, .biometricOrCredential])
  func `biometric keys are not made without an authorisation`(kind: Kind, protection: KeyProtection)
    async throws
  {
    let store = try store(kind)
    for unlock in [KeyUnlock.nothing, .pin(PIN("4711")), .systemPrompt(reason: "Sign in")] {
      await #expect(throws: DeviceKeyError.self) {
        try await store.createKey(tag: "k", protection: protection, unlock: unlock)
      }
    }
    #expect(try await store.keys().isEmpty)
  }

  @Test(arguments: Kind.allCases)
  func `the kind of a key is told without unlocking it`(kind: Kind) async throws {
    let store = try store(kind)
    _ = try await store.createKey(tag: "k", protection: .applicationPIN, unlock: .pin(PIN("4711")))
    #expect(try await store.kind(ofKey: "k") == store.kind)
    await #expect(throws: DeviceKeyError.notFound(tag: "other")) { try await store.kind(ofKey: "other") }
  }

  @Test(
    arguments: Kind.allCases,
    ["../../etc/passwd", "a/b", "\u{0}", "🔑 with spaces\n", ".", String(repeating: "x", count: 256)])
  func `tags are any text`(kind: Kind, tag: String) async throws {
    let store = try store(kind)
    let key = try await store.createKey(tag: tag, protection: .none, unlock: .nothing)
    #expect(try await store.openKey(tag: tag, unlock: .nothing).publicKey == key.publicKey)
    #expect(try await store.keys().map(\.tag) == [tag])
    if kind == .software { #expect(try folder.names().count == 2) }
  }

  @Test(arguments: Kind.allCases, ["", String(repeating: "x", count: 257)])
  func `empty and overlong tags are refused`(kind: Kind, tag: String) async throws {
    let store = try store(kind)
    await #expect(throws: DeviceKeyError.self) {
      try await store.createKey(tag: tag, protection: .none, unlock: .nothing)
    }
  }

  @Test func `PINs are compared as they look and never printed`() {
    #expect(PIN("caf\u{e9}") == PIN("cafe\u{301}"))
    #expect(PIN("4711") != PIN("4712"))
    #expect(PIN("4711") != PIN("47111"))
    #expect("\(PIN("4711"))" == "PIN(redacted)")
    var dumped = ""
    dump(KeyUnlock.pin(PIN("4711")), to: &dumped)
    #expect(!dumped.contains("4711") && !dumped.contains("52"))
  }
}
