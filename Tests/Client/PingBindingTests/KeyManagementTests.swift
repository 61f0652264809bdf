import Concurrency
import DeviceKeys
import Foundation
import PingBinding
import PingLogger
import PingStorage
import Testing

/// Keeps the messages that it gets.
private final class RecordingLogger: Logger {
  private let lines = Locked<[String]>([])

  var messages: [String] { lines.withLock { $0 } }

  func d(_ message: String) {}
  func i(_ message: String) {}
  func w(_ message: String, error: (any Error)?) { lines.withLock { $0.append(message) } }
  func e(_ message: String, error: (any Error)?) { lines.withLock { $0.append(message) } }
}

/// A server that refuses to delete.
private struct Refusing: DeviceUnbinding, Error {
  func deleteRecord(of key: UserKey) async throws -> Bool { throw self }
}

/// The keys of a device, as an app looks after them with `BindingModule`.
@Suite struct KeyManagementTests {
  let device = BindingDevice()

  private var storage: UserKeyStorageConfig { UserKeyStorageConfig(storage: device.storage) }

  private func bind(_ names: String...) async {
    for name in names { await device.bind(bindingCallback(user: "id=\(name)", username: name)) }
  }

  @Test func `all keys of the given storage are listed newest first`() async throws {
    await bind("mira", "noor")
    let keys = try await BindingModule.getAllKeys(userKeyStorage: storage)
    #expect(Set(keys.map(\.username)) == ["mira", "noor"])
    #expect(keys.map(\.createdAt) == keys.map(\.createdAt).sorted(by: >))
    #expect(keys.allSatisfy { $0.id == $0.kid && $0.authType == .none })
    let other = UserKeyStorageConfig(storage: MemoryStorage<[UserKey]>())
    #expect(try await BindingModule.getAllKeys(userKeyStorage: other).isEmpty)
  }

  @Test func `deleting one key touches that key alone`() async throws {
    await bind("mira", "noor", "omar")
    let before = try await device.keys
    let key = try #require(before.first { $0.username == "noor" })
    let tags = try await device.privateKeyTags
    try await BindingModule.deleteKey(key, userKeyStorage: storage, keyStore: device.keyStore)
    #expect(try await device.keys == before.filter { $0 != key })
    #expect(try await Set(device.privateKeyTags) == Set(tags).subtracting([key.keyTag]))
    for name in ["mira", "omar"] { _ = try await device.sign(signingCallback(user: "id=\(name)")).token() }
    #expect(await device.sign(signingCallback(user: "id=noor")).status == .clientNotRegistered)
    // Again, and with a storage that never had it: nothing to do.
    try await BindingModule.deleteKey(key, userKeyStorage: storage, keyStore: device.keyStore)
    try await device.expectNothingLeftOver(count: 2)
  }

  @Test func `two keys of one user are told apart`() async throws {
    // As an app group's storage may hold them: two devices' worth of descriptions for one user.
    await bind("mira")
    let first = try #require(try await device.keys.first)
    let second = UserKey(
      keyTag: "second", userId: first.userId, username: "mira", kid: "second", authType: .none)
    _ = try await device.keyStore.createKey(tag: "second", protection: .none, unlock: .nothing)
    try await device.storage.save(item: [first, second])
    try await BindingModule.deleteKey(second, userKeyStorage: storage, keyStore: device.keyStore)
    #expect(try await device.keys == [first])
    #expect(try await device.privateKeyTags == [first.keyTag])
  }

  @Test func `deleting all leaves nothing`() async throws {
    await bind("mira", "noor")
    try await BindingModule.deleteAllKeys(userKeyStorage: storage, keyStore: device.keyStore)
    try await device.expectNothingLeftOver(count: 0)
    try await BindingModule.deleteAllKeys(userKeyStorage: storage, keyStore: device.keyStore)
    await bind("mira")
    _ = try await device.sign(signingCallback(user: "id=mira")).token()
  }

  @Test func `the logger that the app sets hears of what goes wrong`() async throws {
    let logger = RecordingLogger()
    BindingModule.setLogger(logger)
    defer { BindingModule.setLogger(Logger.none) }
    await bind("mira")
    let key = try #require(try await device.keys.first)
    await #expect(throws: UnbindingError.self) {
      try await BindingModule.unbind(
        key, on: Refusing(), forceDelete: true, userKeyStorage: storage, keyStore: device.keyStore)
    }
    #expect(logger.messages.contains { $0.contains("kept its record") })
    #expect(!logger.messages.contains { $0.contains(key.kid) || $0.contains("mira") })
  }
}
