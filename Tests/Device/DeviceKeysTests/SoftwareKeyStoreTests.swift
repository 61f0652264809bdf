import CommonFixtures
import DeviceKeys
import Foundation
import JOSE
import StrictJSON
import Testing

@Suite struct SoftwareKeyStoreTests {
  let folder = TemporaryFolder()

  func makeKey(_ tag: String = "k", pin: String? = nil) async throws -> any DeviceKey {
    try await folder.store().createKey(
      tag: tag, protection: pin == nil ? .none : .applicationPIN,
      unlock: pin.map { .pin(PIN($0)) } ?? .nothing)
  }

  /// The one key file, changed by `change` in its JSON form.
  func changeKeyFile(_ change: (inout JSONObject) -> Void) throws -> URL {
    let file = try #require(try folder.keyFiles().first)
    var json = try #require(try JSONValue(parsing: Array(Data(contentsOf: file))).objectValue)
    change(&json)
    try Data(json.serialized).write(to: file)
    return file
  }

  @Test func `files are their owner's alone`() async throws {
    _ = try await makeKey()
    #expect(try mode(of: folder.url) == 0o700)
    #expect(try folder.names().count == 2)
    for name in try folder.names() {
      #expect(try mode(of: folder.url.appendingPathComponent(name)) == 0o600)
    }
  }

  @Test func `another process finds the key and its description`() async throws {
    let clock = Date(timeIntervalSince1970: 1_767_225_600.25)
    let key = try await SoftwareKeyStore(directory: folder.url, clock: { clock }).createKey(
      tag: "k", protection: .none, unlock: .nothing)
    #expect(
      try await folder.store().keys() == [
        StoredKey(tag: "k", protection: .none, publicKey: key.publicKey, createdAt: clock, kind: .software)
      ])
    #expect(try await folder.store().openKey(tag: "k", unlock: .nothing).publicKey == key.publicKey)
  }

  @Test func `a store without a folder has no keys and makes none`() async throws {
    #expect(try await folder.store().keys().isEmpty)
    try await folder.store().deleteKey(tag: "k")
    await #expect(throws: DeviceKeyError.notFound(tag: "k")) {
      try await folder.store().openKey(tag: "k", unlock: .nothing)
    }
    #expect(!FileManager.default.fileExists(atPath: folder.url.path))
  }

  @Test(
    arguments: [
      ("version", 2), ("tag", "other"), ("protection", "NONE"), ("createdAt", 0),
      ("kdf", ["name": "HKDF-SHA256"]), ("kdf", ["name": "scrypt+HKDF-SHA256", "n": 32, "r": 8, "p": 1]),
      ("kdf", ["name": "scrypt+HKDF-SHA256", "n": 1_099_511_627_776, "r": 8, "p": 1]), ("kdf", "none"),
      ("salt", "AAAAAAAAAAAAAAAAAAAAAA"), ("nonce", "AAAAAAAAAAAAAAAA"), ("ciphertext", "AAAA"),
      ("publicKey", ["kty": "EC"]), ("mac", ""), ("mac", nil),
    ] as [(String, JSONValue?)])
  func `a changed file is reported by path and left alone`(member: String, value: JSONValue?) async throws {
    _ = try await makeKey(pin: "4711")
    let file = try changeKeyFile { $0[member] = value }
    let before = try Data(contentsOf: file)
    _ = try await makeKey("sound")

    let store = try folder.store()
    // The right PIN, so that nothing but the change can be what is wrong.
    let error = await #expect(throws: DeviceKeyError.self) {
      try await store.openKey(tag: "k", unlock: .pin(PIN("4711")))
    }
    guard case .unreadable(file.path, _) = error else { Issue.record("\(String(describing: error))"); return }
    #expect(try #require(error?.errorDescription).contains(file.path))
    await #expect(throws: DeviceKeyError.self) { try await store.keys() }
    let (keys, faults) = try await store.readableKeys()
    #expect(keys.map(\.tag) == ["sound"] && faults.count == 1)
    #expect(try Data(contentsOf: file) == before)
    _ = try await store.openKey(tag: "sound", unlock: .nothing)
  }

  @Test(arguments: ["", "{", "not a key", "{\"version\":1}", String(repeating: " ", count: 9000)])
  func `a damaged file is reported by path`(content: String) async throws {
    _ = try await makeKey()
    let file = try #require(try folder.keyFiles().first)
    try Data(content.utf8).write(to: file)
    let error = await #expect(throws: DeviceKeyError.self) {
      try await folder.store().openKey(tag: "k", unlock: .nothing)
    }
    guard case .unreadable(file.path, _) = error else { Issue.record("\(String(describing: error))"); return }
    await #expect(throws: DeviceKeyError.exists(tag: "k")) { try await makeKey() }
    #expect(try Data(contentsOf: file) == Data(content.utf8))
  }

  @Test func `one key's file is not another's`() async throws {
    _ = try await makeKey("a")
    let file = try #require(try folder.keyFiles().first)
    _ = try await makeKey("b")
    let other = try #require(try folder.keyFiles().first { $0 != file })
    try Data(contentsOf: file).write(to: other)
    let error = await #expect(throws: DeviceKeyError.self) {
      try await folder.store().openKey(tag: "b", unlock: .nothing)
    }
    guard case .unreadable(other.path, _) = error else {
      Issue.record("\(String(describing: error))"); return
    }
  }

  @Test func `a key file is worthless without its device secret`() async throws {
    _ = try await makeKey()
    let file = try #require(try folder.keyFiles().first)
    let elsewhere = TemporaryFolder()
    _ = try await elsewhere.store().createKey(tag: "own", protection: .none, unlock: .nothing)
    try FileManager.default.copyItem(
      at: file, to: elsewhere.url.appendingPathComponent(file.lastPathComponent))
    await #expect(throws: DeviceKeyError.self) {
      try await elsewhere.store().openKey(tag: "k", unlock: .nothing)
    }
  }

  @Test func `a lost device secret is not replaced`() async throws {
    _ = try await makeKey()
    let secret = folder.url.appendingPathComponent("device.secret")
    let saved = try Data(contentsOf: secret)
    try FileManager.default.removeItem(at: secret)
    let error = await #expect(throws: DeviceKeyError.self) { try await makeKey("another") }
    guard case .unreadable(secret.path, _) = error else {
      Issue.record("\(String(describing: error))"); return
    }
    #expect(try folder.keyFiles().count == 1)

    try saved.write(to: secret)
    _ = try await folder.store().openKey(tag: "k", unlock: .nothing)
  }

  @Test(arguments: [0, 31, 33])
  func `a damaged device secret is reported by path`(count: Int) async throws {
    _ = try await makeKey()
    let secret = folder.url.appendingPathComponent("device.secret")
    try Data(repeating: 7, count: count).write(to: secret)
    for attempt in ["k", "new"] {
      let error = await #expect(throws: DeviceKeyError.self) {
        if attempt == "k" { _ = try await folder.store().openKey(tag: "k", unlock: .nothing) }
        if attempt == "new" { _ = try await makeKey("new") }
      }
      guard case .unreadable(secret.path, _) = error else {
        Issue.record("\(String(describing: error))"); return
      }
    }
    #expect(try Data(contentsOf: secret).count == count)
  }

  @Test func `stores that race for the first key end with one secret`() async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for index in 0..<16 {
        let store = try folder.store()
        group.addTask { _ = try await store.createKey(tag: "\(index)", protection: .none, unlock: .nothing) }
      }
      try await group.waitForAll()
    }
    let store = try folder.store()
    for index in 0..<16 { _ = try await store.openKey(tag: "\(index)", unlock: .nothing) }
    #expect(try folder.names().count == 17)
  }

  @Test func `two that make one key at once get one key`() async throws {
    let stores = [try folder.store(), try folder.store()]
    let made = await withTaskGroup(of: JWK?.self) { group in
      for index in 0..<8 {
        group.addTask {
          try? await stores[index % 2].createKey(
            tag: "k", protection: .applicationPIN, unlock: .pin(PIN("\(index)"))
          ).publicKey
        }
      }
      return await group.reduce(into: [JWK]()) { all, key in all += key.map { [$0] } ?? [] }
    }
    #expect(made.count == 1)
    #expect(try await stores[0].keys().map(\.publicKey) == made)
  }

  @Test func `what a crashed write left is ignored and cleaned up`() async throws {
    _ = try await makeKey()
    let dead = folder.url.appendingPathComponent(".dead.key.tmp")
    try Data("half a k".utf8).write(to: dead)
    // Locked, as by a process that is still writing.
    let live = folder.url.appendingPathComponent(".live.key.tmp")
    let descriptor = open(live.path, O_RDWR | O_CREAT, 0o600)
    defer { close(descriptor) }
    #expect(flock(descriptor, LOCK_EX) == 0)

    #expect(try await folder.store().keys().count == 1)
    _ = try await makeKey("next")
    #expect(!FileManager.default.fileExists(atPath: dead.path))
    #expect(FileManager.default.fileExists(atPath: live.path))
  }

  @Test func `an unwritable folder is reported`() async throws {
    // A file in the folder's place.
    try Data().write(to: folder.url)
    let store = try SoftwareKeyStore(directory: folder.file("keys"))
    await #expect(throws: (any Error).self) {
      try await store.createKey(tag: "k", protection: .none, unlock: .nothing)
    }
  }

  @Test(arguments: [
    (0, 8, 1), (1, 8, 1), (3, 8, 1), (1 << 21, 1, 1), (1 << 19, 8, 1), (1 << 15, 0, 1), (1 << 15, 8, 0),
    (1 << 15, 8, 17), (-2, 8, 1), (Int.max, Int.max, Int.max),
  ])
  func `a cost out of bounds is refused`(rounds: Int, blockSize: Int, parallelism: Int) {
    #expect(throws: DeviceKeyError.self) {
      try ScryptCost(rounds: rounds, blockSize: blockSize, parallelism: parallelism)
    }
  }

  /// N in the one key file.
  private func storedRounds() throws -> Int? {
    let text = try String(contentsOf: try #require(try folder.keyFiles().first), encoding: .utf8)
    return [16, 1024].first { text.contains("\"n\":\($0),") }
  }

  @Test func `a right PIN renews a key that costs less and nothing makes one cost less`() async throws {
    let (cheap, dear) = (
      try folder.store(), try SoftwareKeyStore(directory: folder.url, scrypt: ScryptCost(rounds: 1024))
    )
    let key = try await cheap.createKey(tag: "k", protection: .applicationPIN, unlock: .pin(PIN("1")))
    #expect(try storedRounds() == 16)
    await #expect(throws: DeviceKeyError.wrongPIN(tag: "k")) {
      try await dear.openKey(tag: "k", unlock: .pin(PIN("2")))
    }
    #expect(try storedRounds() == 16, "a wrong PIN changes nothing")
    #expect(try await dear.openKey(tag: "k", unlock: .pin(PIN("1"))).publicKey == key.publicKey)
    #expect(try storedRounds() == 1024)
    #expect(try await cheap.openKey(tag: "k", unlock: .pin(PIN("1"))).publicKey == key.publicKey)
    #expect(try storedRounds() == 1024)
    await #expect(throws: DeviceKeyError.wrongPIN(tag: "k")) {
      try await dear.openKey(tag: "k", unlock: .pin(PIN("2")))
    }
  }

  @Test func `new PINs cost OWASP's figure`() {
    #expect(ScryptCost.standard.rounds == 1 << 17 && ScryptCost.standard.blockSize == 8)
    #expect(ScryptCost.standard.parallelism == 1)
  }
}
