import CommonFixtures
import Concurrency
import Crypto
import Foundation
import PingLogger
import PingStorage
import PrivateFiles
import Testing

@testable import PingDeviceId

@Suite("Device identifiers")
struct DeviceIdentifierTests {
  private let folder = TemporaryFolder()

  private var home: ClientHome { ClientHome(directory: folder.url.appendingPathComponent("home")) }

  private func file(_ account: String) throws -> URL {
    try home.folder("storage").appendingPathComponent(account)
  }

  @Test func `an installation keeps the identifier that it had before identifiers were made from keys`()
    async throws
  {
    // What was stored, and the identifier that was made of it.
    let earlier = Keychain<Data>(account: "com.sealring.deviceIdentifier", home: home)
    try await earlier.save(item: Data(repeating: 0, count: 32))
    let id = "66687aadf862bd776c8fc18b8e9f8e20089714856ee233b3902a591d0d5f2925"
    #expect(try await DefaultDeviceIdentifier(home: home).id == id)
    // From then on it stands on its own.
    try await earlier.delete()
    #expect(try await DefaultDeviceIdentifier(home: home).id == id)
    // Another account is another identifier.
    let other = DeviceIdentifierConfiguration(keySize: 2048, keychainAccount: "mine")
    #expect(try await DefaultDeviceIdentifier(configuration: other, home: home).id != id)
  }

  @Test func `an earlier identifier that cannot be read is an error, not another device`() async throws {
    try Data("damaged".utf8).write(to: file("com.sealring.deviceIdentifier"))
    await #expect(throws: FileStorageError.self) { try await DefaultDeviceIdentifier(home: home).id }
    #expect(!FileManager.default.fileExists(atPath: try file("com.pingidentity.deviceIdentifier").path))
  }

  @Test func `an installation keeps the UUID that it had before`() async throws {
    let (uuid, earlier, storage) = (UUID(), Memory<UUID>(), Memory<UUID>())
    try await earlier.save(item: uuid)
    for _ in 0..<2 {
      #expect(
        try await UUIDDeviceIdentifier(storage: storage, earlier: [Memory<UUID>(), earlier]).id
          == uuid.uuidString)
    }
    #expect(try await storage.get() == nil)
  }

  @Test func `the identifier of a UUID is its digest`() async throws {
    let uuid = try #require(UUID(uuidString: "00000000-0000-0000-0000-000000000000"))
    let storage = Memory<UUID>()
    let digest = SHA256.hash(data: Data("00000000-0000-0000-0000-000000000000".utf8))
    let expected = digest.map { String(format: "%02x", $0) }.joined()
    #expect(try await UUIDDeviceIdentifier(storage: storage, makeUUID: { uuid }).id == expected)
    #expect(try await UUIDDeviceIdentifier(storage: storage, makeUUID: { UUID() }).id == expected)
    #expect(expected.count == 64)
  }

  @Test func `an earlier UUID that cannot be read is an error, not another device`() async throws {
    actor Broken: Storage {
      struct Failure: Error {}
      func save(item: UUID) throws { throw Failure() }
      func get() throws -> UUID? { throw Failure() }
      func delete() throws { throw Failure() }
    }
    let storage = Memory<UUID>()
    await #expect(throws: Broken.Failure.self) {
      try await UUIDDeviceIdentifier(storage: storage, earlier: [Broken()]).id
    }
    #expect(try await storage.get() == nil)
  }

  @Test func `the identifier is the digest of the public key`() {
    let pair = DeviceIdentifierKeyPair(publicKey: Data("abc".utf8))
    #expect(
      DeviceIdentifierImpl(deviceIdentifierKeyPair: pair).id
        == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
  }

  @Test func `the identifier outlives the process, and is stored encrypted`() async throws {
    let id = try await DefaultDeviceIdentifier(home: home).id
    #expect(try await DefaultDeviceIdentifier(home: home).id == id)
    #expect(id.count == 64)
    #expect(id.allSatisfy { $0.isHexDigit && !$0.isUppercase })
    let stored = try Data(contentsOf: file("com.pingidentity.deviceIdentifier"))
    #expect(stored.range(of: Data(id.utf8)) == nil)
    let other = ClientHome(directory: folder.url.appendingPathComponent("other"))
    #expect(try await DefaultDeviceIdentifier(home: other).id != id)
  }

  @Test func `all who ask first get the same identifier`() async throws {
    let home = home
    let ids = try await withThrowingTaskGroup(of: String.self) { group in
      for _ in 0..<8 { group.addTask { try await DefaultDeviceIdentifier(home: home).id } }
      return try await group.reduce(into: Set<String>()) { $0.insert($1) }
    }
    #expect(ids.count == 1)
  }

  @Test func `a damaged identifier is an error and stays as it is`() async throws {
    let plain = DeviceIdentifierConfiguration(
      keySize: 2048, keychainAccount: "com.pingidentity.deviceIdentifier", useEncryption: false)
    let file = try file(plain.keychainAccount)
    for text in ["damaged", #"{"id":"0123"}"#, "{\"id\":\"\(String(repeating: "G", count: 64))\"}"] {
      try Data(text.utf8).write(to: file)
      await #expect(throws: FileStorageError.self) {
        try await DefaultDeviceIdentifier(configuration: plain, home: home).id
      }
      #expect(try Data(contentsOf: file) == Data(text.utf8))
    }
  }

  @Test func `a storage of the app keeps the identifier, also one that can only save and get`() async throws {
    actor Plain: Storage {
      var item: DeviceIdentifierImpl?
      func save(item: DeviceIdentifierImpl) { self.item = item }
      func get() -> DeviceIdentifierImpl? { item }
      func delete() { item = nil }
    }
    let storages: [any Storage<DeviceIdentifierImpl>] = [Plain(), MemoryStorage<DeviceIdentifierImpl>()]
    for storage in storages {
      let identifier = DefaultDeviceIdentifier(storage: storage, logger: LogManager.none)
      let ids = try await [identifier.id, identifier.id, DefaultDeviceIdentifier(storage: storage).id]
      #expect(Set(ids).count == 1)
    }
  }

  @Test func `a replaced identifier is another one, for everybody who reads the storage again`() async throws
  {
    let storage = Memory<DeviceIdentifierImpl>()
    let (one, two) = (DefaultDeviceIdentifier(storage: storage), DefaultDeviceIdentifier(storage: storage))
    let old = try await one.id
    #expect(try await two.id == old)
    let new = try await one.regenerateIdentifier()
    #expect(new != old)
    #expect(try await one.id == new)
    #expect(try await two.id == old)
    await two.clearCache()
    #expect(try await two.id == new)
  }

  @Test(arguments: [0, -8, 1024, 2049, 8200, 1 << 20])
  func `a key size that no key can have is refused`(bits: Int) async throws {
    let configuration = DeviceIdentifierConfiguration(keySize: bits, keychainAccount: "a")
    let identifier = try DefaultDeviceIdentifier(configuration: configuration, home: home)
    await #expect {
      try await identifier.id
    } throws: { error in
      guard case DeviceIdentifierError.keyGenerationFailed = error else { return false }
      return error.localizedDescription.contains("\(bits) bits")
    }
    await #expect(throws: DeviceIdentifierError.self) {
      try await DefaultDeviceIdentifier(
        configuration: configuration, storage: Memory<DeviceIdentifierImpl>()
      ).id
    }
  }

  @Test func `the published settings`() throws {
    #expect(DeviceIdentifierConfiguration.default.keySize == 2048)
    #expect(DeviceIdentifierConfiguration.default.keychainAccount == "com.pingidentity.deviceIdentifier")
    #expect(DeviceIdentifierConfiguration.highSecurity.keySize == 4096)
    #expect(
      DeviceIdentifierConfiguration.highSecurity.keychainAccount == "com.pingidentity.deviceIdentifier.secure"
    )
    #expect(DeviceIdentifierConfiguration(keySize: 2048, keychainAccount: "a").useEncryption)
    let identifiers: [any DeviceIdentifier] = try [DefaultDeviceIdentifier(), UUIDDeviceIdentifier()]
    #expect(identifiers.count == 2)
  }
}
