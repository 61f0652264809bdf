import CommonFixtures
import Bytes
import DeviceKeys
import Foundation
import Testing

/// The key stays, its PIN changes; whatever goes wrong, the old PIN or the new one unlocks it.
@Suite struct ChangePINTests {
  enum Kind: CaseIterable {
    case software, memory
  }

  let folder = TemporaryFolder()
  let time = ManualDate()
  let old = PIN("4711")
  let new = PIN("483716")

  func softwareStore() throws -> SoftwareKeyStore {
    try SoftwareKeyStore(directory: folder.url, scrypt: ScryptCost(rounds: 16), clock: { [time] in time.now })
  }

  func store(_ kind: Kind) throws -> any DeviceKeyStore {
    switch kind {
    case .software: try softwareStore()
    case .memory: MemoryKeyStore(clock: { [time] in time.now })
    }
  }

  @Test(arguments: Kind.allCases)
  func `the key stays and only the new PIN unlocks it`(kind: Kind) async throws {
    let store = try store(kind)
    let key = try await store.createKey(tag: "k", protection: .applicationPIN, unlock: .pin(old))
    let before = try await store.keys()
    time.advance(by: 60)
    try await store.changePIN(tag: "k", from: old, to: new)
    #expect(try await store.openKey(tag: "k", unlock: .pin(new)).publicKey == key.publicKey)
    await #expect(throws: DeviceKeyError.wrongPIN(tag: "k")) {
      try await store.openKey(tag: "k", unlock: .pin(old))
    }
    #expect(try await store.keys() == before)
  }

  @Test(arguments: Kind.allCases)
  func `wrong PINs are counted here too`(kind: Kind) async throws {
    let store = try store(kind)
    _ = try await store.createKey(tag: "k", protection: .applicationPIN, unlock: .pin(old))
    for _ in 0..<4 {
      await #expect(throws: DeviceKeyError.wrongPIN(tag: "k")) {
        try await store.changePIN(tag: "k", from: PIN("4712"), to: new)
      }
    }
    await #expect(throws: DeviceKeyError.lockedOut(tag: "k", retryAfter: 15)) {
      try await store.changePIN(tag: "k", from: old, to: new)
    }
    await #expect(throws: DeviceKeyError.lockedOut(tag: "k", retryAfter: 15)) {
      try await store.openKey(tag: "k", unlock: .pin(old))
    }
    time.advance(by: 15)
    try await store.changePIN(tag: "k", from: old, to: new)
    await #expect(throws: DeviceKeyError.wrongPIN(tag: "k")) {
      try await store.openKey(tag: "k", unlock: .pin(old))
    }
    _ = try await store.openKey(tag: "k", unlock: .pin(new))
  }

  @Test(arguments: Kind.allCases)
  func `only a key with a PIN has one to change`(kind: Kind) async throws {
    let store = try store(kind)
    _ = try await store.createKey(tag: "none", protection: .none, unlock: .nothing)
    _ = try await store.createKey(
      tag: "finger", protection: .biometricOnly, unlock: .authorization(AuthorizationValue()))
    for tag in ["none", "finger"] {
      let error = await #expect(throws: DeviceKeyError.self) {
        try await store.changePIN(tag: tag, from: old, to: new)
      }
      guard case .unsupported = error else { Issue.record("\(String(describing: error))"); return }
    }
    await #expect(throws: DeviceKeyError.notFound(tag: "other")) {
      try await store.changePIN(tag: "other", from: old, to: new)
    }
  }

  @Test(arguments: Kind.allCases)
  func `an empty PIN is refused before the old one is tried`(kind: Kind) async throws {
    let store = try store(kind)
    _ = try await store.createKey(tag: "k", protection: .applicationPIN, unlock: .pin(old))
    for _ in 0..<12 {
      await #expect(throws: DeviceKeyError.self) {
        try await store.changePIN(tag: "k", from: PIN("4712"), to: PIN(""))
      }
    }
    _ = try await store.openKey(tag: "k", unlock: .pin(old))
  }

  @Test func `everything that encrypts is fresh`() async throws {
    let store = try softwareStore()
    _ = try await store.createKey(tag: "k", protection: .applicationPIN, unlock: .pin(old))
    let file = try #require(try folder.keyFiles().first)
    let before = try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any]
    // Even for the same PIN.
    try await store.changePIN(tag: "k", from: old, to: old)
    let after = try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any]
    for member in ["salt", "nonce", "ciphertext", "mac"] {
      #expect(before?[member] as? String != after?[member] as? String)
    }
    #expect(try mode(of: file) == 0o600)
    #expect(try folder.names().filter { $0.hasSuffix(".tmp") }.isEmpty)
  }

  /// The places that a change writes to, in this order; a folder in the way makes the write fail.
  @Test(arguments: ["NAME.tries.lock", ".keys.lock", ".NAME.tries.tmp", "NAME.tries", ".NAME.tmp"])
  func `a write that fails leaves the old PIN`(place: String) async throws {
    let store = try softwareStore()
    let key = try await store.createKey(tag: "k", protection: .applicationPIN, unlock: .pin(old))
    let file = try #require(try folder.keyFiles().first)
    let before = try Data(contentsOf: file)
    let obstacle = folder.url.appendingPathComponent(
      place.replacingOccurrences(of: "NAME", with: file.lastPathComponent))
    try FileManager.default.createDirectory(at: obstacle, withIntermediateDirectories: false)

    await #expect(throws: DeviceKeyError.self) { try await store.changePIN(tag: "k", from: old, to: new) }
    #expect(try Data(contentsOf: file) == before)
    try FileManager.default.removeItem(at: obstacle)
    #expect(try await softwareStore().openKey(tag: "k", unlock: .pin(old)).publicKey == key.publicKey)
    try await store.changePIN(tag: "k", from: old, to: new)
  }

  @Test func `a crash before the rename leaves the old PIN and the next change cleans up`() async throws {
    let store = try softwareStore()
    _ = try await store.createKey(tag: "k", protection: .applicationPIN, unlock: .pin(old))
    let file = try #require(try folder.keyFiles().first)
    try Data("half a k".utf8).write(
      to: folder.url.appendingPathComponent(".\(file.lastPathComponent).tmp"))
    _ = try await softwareStore().openKey(tag: "k", unlock: .pin(old))
    try await store.changePIN(tag: "k", from: old, to: new)
    _ = try await softwareStore().openKey(tag: "k", unlock: .pin(new))
    #expect(try folder.names().filter { $0.hasSuffix(".tmp") }.isEmpty)
  }

  @Test func `whoever changes at the same time one PIN is right`() async throws {
    let stores = try (0..<4).map { _ in try softwareStore() }
    _ = try await stores[0].createKey(tag: "k", protection: .applicationPIN, unlock: .pin(old))
    let changed = await withTaskGroup(of: Int?.self) { group in
      for (index, store) in stores.enumerated() {
        group.addTask { [old] in
          do {
            try await store.changePIN(tag: "k", from: old, to: PIN("new \(index)"))
            return index
          } catch { return nil }
        }
      }
      return await group.reduce(into: [Int]()) { all, index in all += index.map { [$0] } ?? [] }
    }
    #expect(changed.count == 1)
    time.advance(by: 3600)
    _ = try await softwareStore().openKey(tag: "k", unlock: .pin(PIN("new \(try #require(changed.first))")))
  }

  @Test func `a key that is deleted meanwhile does not come back`() async throws {
    let folder = folder
    let deleted = TestCounter()
    let store = try SoftwareKeyStore(
      directory: folder.url,
      randomBytes: { count in
        // The salt of the new envelope is drawn between reading the old one and writing the new one.
        if deleted.value > 0, let file = try? folder.keyFiles().first {
          try? FileManager.default.removeItem(at: file)
        }
        return SystemRandom.bytes(count)
      }, scrypt: ScryptCost(rounds: 16))
    _ = try await store.createKey(tag: "k", protection: .applicationPIN, unlock: .pin(old))
    deleted.increment()
    await #expect(throws: DeviceKeyError.notFound(tag: "k")) {
      try await store.changePIN(tag: "k", from: old, to: new)
    }
    #expect(try folder.keyFiles().isEmpty)
  }
}
