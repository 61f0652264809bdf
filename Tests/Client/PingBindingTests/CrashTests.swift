import Concurrency
import DeviceKeys
import Foundation
import PingBinding
import PingStorage
import Testing

/// The process dies after the n-th write to either place: nothing after that happens.
@Suite struct CrashTests {
  /// More writes than a binding makes.
  static let writes = 0..<12

  @Test(arguments: writes, [false, true])
  func `a crash leaves the old key or the new one and the next bind cleans up`(
    after writes: Int, isRebind: Bool
  ) async throws {
    let device = BindingDevice()
    if isRebind { await device.bind() }
    let old = try await device.keys.first

    let crash = Crash(after: writes)
    var dying = device
    dying.keyStore = DyingKeyStore(keyStore: device.keyStore, crash: crash)
    dying.storage = DyingStorage(storage: try #require(device.storage as? Memory<[UserKey]>), crash: crash)
    let outcome = await dying.bind()

    // After the restart, there is at most one key, and it signs.
    let keys = try await device.keys
    #expect(keys.count <= 1)
    if isRebind { #expect(keys.count == 1) }
    if outcome.status == nil { #expect(keys.count == 1 && keys.first != old) }
    if !keys.isEmpty { _ = try await device.sign().token() }

    #expect(await device.bind().status == nil)
    try await device.expectNothingLeftOver(count: 1)
    _ = try await device.sign().token()
  }

  @Test(arguments: writes)
  func `a write that fails is rolled back`(number: Int) async throws {
    let device = BindingDevice()
    await device.bind()
    let old = try #require(try await device.keys.first)

    // This write alone fails; what is done about it works.
    let crash = Crash(after: number, lasts: false)
    var failing = device
    failing.keyStore = DyingKeyStore(keyStore: device.keyStore, crash: crash)
    failing.storage = DyingStorage(storage: try #require(device.storage as? Memory<[UserKey]>), crash: crash)
    let outcome = await failing.bind()

    let keys = try await device.keys
    #expect(keys.count == 1)
    if outcome.status != nil { #expect(keys == [old]) }
    _ = try await device.sign().token()
    #expect(await device.bind().status == nil)
    try await device.expectNothingLeftOver(count: 1)
  }

  @Test(arguments: writes)
  func `a write that is reported as failed and took place is rolled back`(number: Int) async throws {
    let device = BindingDevice()
    await device.bind()
    let crash = Crash(after: number, lasts: false, takesPlace: true)
    var failing = device
    failing.keyStore = DyingKeyStore(keyStore: device.keyStore, crash: crash)
    failing.storage = DyingStorage(storage: try #require(device.storage as? Memory<[UserKey]>), crash: crash)
    await failing.bind()

    #expect(try await device.keys.count == 1)
    _ = try await device.sign().token()
    #expect(await device.bind().status == nil)
    try await device.expectNothingLeftOver(count: 1)
  }
}

/// Lets a number of writes through, and then none, or all but one.
private final class Crash: Sendable {
  struct Dead: Error {}

  private let remaining: Locked<Int>
  private let lasts: Bool
  /// Whether the write that fails takes place nevertheless.
  let takesPlace: Bool

  init(after writes: Int, lasts: Bool = true, takesPlace: Bool = false) {
    remaining = Locked(writes)
    self.lasts = lasts
    self.takesPlace = takesPlace
  }

  func write<Result>(_ body: () async throws -> Result) async throws -> Result {
    let left = remaining.withLock { remaining in
      remaining -= 1
      return remaining
    }
    let fails = lasts ? left < 0 : left == -1
    if !fails { return try await body() }
    if takesPlace { _ = try await body() }
    throw Dead()
  }
}

private struct DyingKeyStore: DeviceKeyStore {
  let keyStore: any DeviceKeyStore
  let crash: Crash

  var kind: KeyStoreKind { keyStore.kind }
  func supports(_ protection: KeyProtection) -> Bool { keyStore.supports(protection) }
  func createKey(tag: String, protection: KeyProtection, unlock: KeyUnlock) async throws -> any DeviceKey {
    try await crash.write { try await keyStore.createKey(tag: tag, protection: protection, unlock: unlock) }
  }
  func openKey(tag: String, unlock: KeyUnlock) async throws -> any DeviceKey {
    try await keyStore.openKey(tag: tag, unlock: unlock)
  }
  func deleteKey(tag: String) async throws {
    try await crash.write { try await keyStore.deleteKey(tag: tag) }
  }
  func keys() async throws -> [StoredKey] { try await keyStore.keys() }
}

private struct DyingStorage: UpdatableStorage {
  let storage: Memory<[UserKey]>
  let crash: Crash

  func save(item: [UserKey]) async throws { try await crash.write { try await storage.save(item: item) } }
  func get() async throws -> [UserKey]? { try await storage.get() }
  func delete() async throws { try await crash.write { try await storage.delete() } }
  func update<Result: Sendable>(
    _ change: @Sendable (inout [UserKey]?) throws -> Result
  ) async throws -> Result {
    try await crash.write { try await storage.update(change) }
  }
}
