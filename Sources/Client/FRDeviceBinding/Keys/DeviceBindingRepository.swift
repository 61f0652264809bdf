internal import Concurrency
internal import Foundation
internal import PingBinding
internal import PingLogger

/// Keeps the descriptions of bound keys. The calls block their thread until they are done.
public protocol DeviceBindingRepository {
  /// Keeps `userKey`, in the place of one of the same key id.
  func persist(userKey: UserKey) throws
  /// All keys, newest first; none when they cannot be read, and the log says why.
  func getAllKeys() -> [UserKey]
  /// Removes a key from this device, with its private part. Succeeds when it is not there.
  func delete(userKey: UserKey) throws
  /// Removes all keys from this device.
  func deleteAllKeys() throws
}

/// The keys of this device, where PingBinding keeps them.
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
