internal import Concurrency
internal import Foundation
internal import PingBinding
internal import PingLogger

/// Stores the descriptions of bound keys. The calls block their thread until they are done.
public protocol DeviceBindingRepository {
  /// Stores `userKey`, in place of one with the same key id.
  func persist(userKey: UserKey) throws
  /// All keys, newest first; empty when they cannot be read, and the reason is logged.
  func getAllKeys() -> [UserKey]
  /// Removes a key and its private part from this device. Succeeds when it is not there.
  func delete(userKey: UserKey) throws
  /// Removes all keys from this device.
  func deleteAllKeys() throws
}

/// The keys of this device, in PingBinding's storage.
public struct LocalDeviceBindingRepository: DeviceBindingRepository, Sendable {
  public init() {}

  public func persist(userKey: UserKey) throws {
    let key = userKey.described
    try Blocking.run {
      try await BindingModule.keep(key, in: FRDeviceBinding.configuration().userKeyStorage)
    }
  }

  public func getAllKeys() -> [UserKey] { FRUserKeys().loadAll() }

  public func delete(userKey: UserKey) throws {
    try Blocking.run { try await FRDeviceBinding.remove { $0.kid == userKey.kid } }
  }

  public func deleteAllKeys() throws {
    try Blocking.run { try await FRDeviceBinding.remove { _ in true } }
  }
}
