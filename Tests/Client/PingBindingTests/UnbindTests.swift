import Concurrency
import DeviceKeys
import Foundation
import PingBinding
import PingDeviceClient
import PingStorage
import Testing
import CommonFixtures

/// A server's side of unbinding that does what a test says, and counts.
private final class Records: DeviceUnbinding {
  typealias Behaviour = @Sendable (_ call: Int) async throws -> Bool

  private let behaviour: Behaviour
  private let count = Locked(0)

  init(_ behaviour: @escaping Behaviour) { self.behaviour = behaviour }

  var calls: Int { count.withLock { $0 } }

  func deleteRecord(of key: UserKey) async throws -> Bool {
    let call = count.withLock {
      $0 += 1
      return $0
    }
    return try await behaviour(call)
  }
}

private struct Unreachable: Error {}

/// A key store whose deletions fail until it is mended.
private final class StuckKeyStore: DeviceKeyStore {
  private let store: any DeviceKeyStore = MemoryKeyStore()
  private let isStuck = Locked(true)

  func mend() { isStuck.withLock { $0 = false } }

  var kind: KeyStoreKind { store.kind }
  func supports(_ protection: KeyProtection) -> Bool { store.supports(protection) }
  func createKey(tag: String, protection: KeyProtection, unlock: KeyUnlock) async throws -> any DeviceKey {
    try await store.createKey(tag: tag, protection: protection, unlock: unlock)
  }
  func openKey(tag: String, unlock: KeyUnlock) async throws -> any DeviceKey {
    try await store.openKey(tag: tag, unlock: unlock)
  }
  func deleteKey(tag: String) async throws {
    guard !isStuck.withLock({ $0 }) else { throw DeviceKeyError.unreadable(path: tag, reason: "stuck") }
    try await store.deleteKey(tag: tag)
  }
  func keys() async throws -> [StoredKey] { try await store.keys() }
}

@Suite struct UnbindTests {
  @discardableResult
  private func unbind(
    _ key: UserKey, of device: BindingDevice, on server: Records, forceDelete: Bool = false
  ) async throws(UnbindingError) -> UnbindingResult {
    try await BindingModule.unbind(
      key, on: server, forceDelete: forceDelete,
      userKeyStorage: UserKeyStorageConfig(storage: device.storage), keyStore: device.keyStore)
  }

  private func error(_ body: () async throws(UnbindingError) -> Void) async -> UnbindingError? {
    do { try await body() } catch { return error }
    return nil
  }

  @Test func `the record goes first and then this key alone`() async throws {
    let device = BindingDevice()
    await device.bind()
    await device.bind(bindingCallback(user: "id=noor", username: "noor"))
    let key = try #require(try await device.keys.first { $0.username == "mira" })
    let server = Records { _ in
      let keys = try await device.keys
      #expect(keys.count == 2, "the key is there while the server is asked")
      return true
    }
    #expect(try await unbind(key, of: device, on: server) == .deleted)
    #expect(try await device.keys.map(\.username) == ["noor"])
    try await device.expectNothingLeftOver(count: 1)
    _ = try await device.sign(signingCallback(user: "id=noor")).token()
  }

  @Test func `unbinding again asks and succeeds`() async throws {
    let device = BindingDevice()
    await device.bind()
    let key = try #require(try await device.keys.first)
    let server = Records { $0 == 1 }
    #expect(try await unbind(key, of: device, on: server) == .deleted)
    #expect(try await unbind(key, of: device, on: server) == .alreadyGone)
    try await device.expectNothingLeftOver(count: 0)
  }

  @Test func `a key whose record is kept stays and signs`() async throws {
    let device = BindingDevice()
    await device.bind()
    let key = try #require(try await device.keys.first)
    let error = await error { () async throws(UnbindingError) in
      try await unbind(key, of: device, on: Records { _ in throw Unreachable() })
    }
    guard case .kept(let reason) = error?.record else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(reason is Unreachable)
    #expect(error?.isKeyDeleted == false && error?.keyError == nil)
    #expect(try await device.keys == [key])
    _ = try await device.sign().token()
    #expect(try await unbind(key, of: device, on: Records { _ in true }) == .deleted)
    try await device.expectNothingLeftOver(count: 0)
  }

  @Test func `force deletes the key and still reports`() async throws {
    let device = BindingDevice()
    await device.bind()
    let key = try #require(try await device.keys.first)
    let error = await error { () async throws(UnbindingError) in
      try await unbind(key, of: device, on: Records { _ in throw Unreachable() }, forceDelete: true)
    }
    guard case .kept(let reason) = error?.record else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(reason is Unreachable)
    #expect(error?.isKeyDeleted == true)
    #expect(error?.localizedDescription.contains("anyway") == true)
    try await device.expectNothingLeftOver(count: 0)
    // The record can still be deleted with the description that the app has kept.
    #expect(try await unbind(key, of: device, on: Records { _ in true }) == .deleted)
  }

  @Test func `a cancelled unbinding forces nothing`() async throws {
    let device = BindingDevice()
    await device.bind()
    let key = try #require(try await device.keys.first)
    let asked = Signal()
    let server = Records { _ in
      asked.fire()
      try await Task.sleep(for: .seconds(600))
      return true
    }
    let task = Task { () -> UnbindingError? in
      await error { () async throws(UnbindingError) in
        try await unbind(key, of: device, on: server, forceDelete: true)
      }
    }
    await asked.wait()
    task.cancel()
    #expect(await task.value?.isKeyDeleted == false)
    #expect(try await device.keys == [key])
  }

  @Test func `cancelling after the server has deleted does not keep the key`() async throws {
    let device = BindingDevice()
    await device.bind()
    let key = try #require(try await device.keys.first)
    let task = Task {
      try await unbind(
        key, of: device,
        on: Records { _ in
          withUnsafeCurrentTask { $0?.cancel() }
          return true
        })
    }
    #expect(try await task.value == .deleted)
    try await device.expectNothingLeftOver(count: 0)
  }

  @Test func `an unbinding that ended after the server's part is completed without the server`() async throws
  {
    let store = StuckKeyStore()
    var device = BindingDevice()
    device.keyStore = store
    await device.bind()
    let key = try #require(try await device.keys.first)
    let server = Records { call in
      guard call == 1 else { throw Unreachable() }
      return true
    }
    let error = await error { () async throws(UnbindingError) in
      try await unbind(key, of: device, on: server)
    }
    guard case .gone = error?.record else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(error?.isKeyDeleted == false && error?.keyError != nil)
    #expect(try await device.keys.isEmpty, "a key that the server refuses is not offered")
    #expect(await device.sign().status == .clientNotRegistered)

    store.mend()
    #expect(try await unbind(key, of: device, on: server) == .alreadyGone)
    #expect(server.calls == 1)
    try await device.expectNothingLeftOver(count: 0)
  }

  @Test func `what an interrupted unbinding leaves goes with the next one and with the next binding`()
    async throws
  {
    for next in ["unbinding", "binding"] {
      let store = StuckKeyStore()
      var device = BindingDevice()
      device.keyStore = store
      await device.bind()
      await device.bind(bindingCallback(user: "id=noor", username: "noor"))
      let keys = try await device.keys
      let mirasKey = try #require(keys.first { $0.username == "mira" })
      _ = await error { () async throws(UnbindingError) in
        try await unbind(mirasKey, of: device, on: Records { _ in true })
      }
      store.mend()
      if next == "unbinding" {
        let noorsKey = try #require(keys.first { $0.username == "noor" })
        try await unbind(noorsKey, of: device, on: Records { _ in true })
        try await device.expectNothingLeftOver(count: 0)
      } else {
        await device.bind(bindingCallback(user: "id=omar", username: "omar"))
        try await device.expectNothingLeftOver(count: 2)
      }
    }
  }

  @Test func `unreadable descriptions are an error before the server is asked`() async throws {
    let folder = TemporaryFolder()
    let file = folder.url.appendingPathComponent("userkeys")
    var device = BindingDevice()
    device.storage = FileStorage<[UserKey]>(file: file)
    await device.bind()
    let key = try #require(try await device.keys.first)
    try Data("damaged".utf8).write(to: file)
    let server = Records { _ in true }
    let error = await error { () async throws(UnbindingError) in
      try await unbind(key, of: device, on: server, forceDelete: true)
    }
    guard case .untouched = error?.record else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(server.calls == 0)
    #expect(error?.localizedDescription.contains(file.path) == true)
    #expect(try Data(contentsOf: file) == Data("damaged".utf8))
  }

  @Test func `unbindings at the same time leave nothing`() async throws {
    let device = BindingDevice()
    await device.bind()
    let key = try #require(try await device.keys.first)
    let server = Records { $0 == 1 }
    let results = try await withThrowingTaskGroup(of: UnbindingResult.self) { group in
      for _ in 0..<8 { group.addTask { try await unbind(key, of: device, on: server) } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(results.count { $0 == .deleted } <= 1)
    try await device.expectNothingLeftOver(count: 0)
  }
}
