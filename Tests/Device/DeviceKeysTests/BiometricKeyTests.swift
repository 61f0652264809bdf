import DeviceKeys
import Foundation
import StrictJSON
import Testing

/// Keys that are unlocked by a value that somebody releases who verified the person.
@Suite struct BiometricKeyTests {
  enum Kind: CaseIterable {
    case software, memory
  }

  let folder = TemporaryFolder()
  let value = AuthorizationValue()

  func store(_ kind: Kind) throws -> any DeviceKeyStore {
    switch kind {
    case .software: try folder.store()
    case .memory: MemoryKeyStore()
    }
  }

  @Test(arguments: Kind.allCases, [KeyProtection.biometricOnly, .biometricOrCredential])
  func itsValueUnlocksTheKeyAndNothingElse(kind: Kind, protection: KeyProtection) async throws {
    let store = try store(kind)
    #expect(store.supports(protection) && !store.verifiesPerson)
    let key = try await store.createKey(tag: "k", protection: protection, unlock: .authorization(value))
    #expect(try await store.openKey(tag: "k", unlock: .authorization(value)).publicKey == key.publicKey)
    #expect(try await store.keys().map(\.protection) == [protection])

    // Mixed up, not guessed: it is not counted either.
    for _ in 0..<12 {
      let error = await #expect(throws: DeviceKeyError.self) {
        try await store.openKey(tag: "k", unlock: .authorization(AuthorizationValue()))
      }
      guard case .unreadable = error else { Issue.record("\(String(describing: error))"); return }
      #expect(try #require(error?.errorDescription).contains("does not belong to this key"))
    }
    for unlock in [KeyUnlock.nothing, .pin(PIN("4711")), .systemPrompt(reason: "Sign in")] {
      let error = await #expect(throws: DeviceKeyError.self) {
        try await store.openKey(tag: "k", unlock: unlock)
      }
      guard case .unsupported = error else { Issue.record("\(String(describing: error))"); return }
    }
    _ = try await store.openKey(tag: "k", unlock: .authorization(value))
  }

  @Test(arguments: Kind.allCases, [KeyProtection.none, .applicationPIN])
  func aValueMakesNoOtherKey(kind: Kind, protection: KeyProtection) async throws {
    let store = try store(kind)
    await #expect(throws: DeviceKeyError.self) {
      try await store.createKey(tag: "k", protection: protection, unlock: .authorization(value))
    }
    #expect(try await store.keys().isEmpty)
  }

  @Test(arguments: [
    (KeyProtection.none, KeyUnlock.nothing, 1), (.applicationPIN, .pin(PIN("4711")), 1),
    (.biometricOnly, .authorization(AuthorizationValue()), 2),
  ])
  func programsThatKnowNoValuesSeeAnotherVersion(
    protection: KeyProtection, unlock: KeyUnlock, version: Int64
  ) async throws {
    _ = try await folder.store().createKey(tag: "k", protection: protection, unlock: unlock)
    let json = try JSONValue(parsing: Array(Data(contentsOf: try #require(folder.keyFiles().first))))
    #expect(json["version"]?.integerValue == version)
  }

  /// Written by a program of version 1.
  @Test func filesOfVersion1AreStillOpened() async throws {
    for (name, content) in Self.version1 {
      try FileManager.default.createDirectory(at: folder.url, withIntermediateDirectories: true)
      try #require(Data(base64Encoded: content)).write(to: folder.url.appendingPathComponent(name))
    }
    let store = try folder.store()
    #expect(try await store.keys().map(\.tag).sorted() == ["plain", "with pin"])
    _ = try await store.openKey(tag: "plain", unlock: .nothing)
    _ = try await store.openKey(tag: "with pin", unlock: .pin(PIN("4711")))
  }

  static let version1: [(String, String)] = [
    // VERSION1
  ]
}
