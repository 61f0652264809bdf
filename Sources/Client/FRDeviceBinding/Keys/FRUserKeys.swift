internal import Concurrency
internal import Foundation
internal import PingBinding
internal import PingDeviceClient
internal import PingLogger

/// Lists and removes the keys of this device, as in the earlier SDK: the calls block until they are done, so keep them off the
/// main thread.
public struct FRUserKeys: UserKeyService, Sendable {
  public init() {}

  /// The keys that are bound on this device, newest first; the earlier SDK's keys are migrated first. Empty when they cannot be
  /// read, and the reason is logged.
  public func loadAll() -> [UserKey] {
    do {
      return try Blocking.run {
        let storage = FRDeviceBinding.configuration().userKeyStorage
        await BindingMigration.beforeUse(of: storage, logger: LogManager.logger)
        return try await BindingModule.getAllKeys(userKeyStorage: storage).map { UserKey($0) }
      }
    } catch {
      LogManager.logger.e("The bound keys cannot be read", error: error)
      return []
    }
  }

  /// Removes the key from the server, with the signed-in person's session, and then from this device.
  ///
  /// - Parameters:
  ///   - userKey: The key to remove.
  ///   - forceDelete: Whether to remove the key from this device even when the server did not remove its record; the error is
  ///     thrown anyway.
  /// - Throws: The server's failure, with a description to show, or the reason why the key could not be removed here.
  public func delete(userKey: UserKey, forceDelete: Bool = false) throws {
    try Blocking.run {
      var failure: (any Error)?
      do { try await unbind(kid: userKey.kid) } catch {
        guard forceDelete else { throw error }
        failure = error
      }
      try await FRDeviceBinding.remove { $0.kid == userKey.kid }
      if let failure { throw failure }
    }
  }

  /// Asks the server to remove the device that has the key.
  private func unbind(kid: String) async throws {
    // The server finds the record by the key id; the other members are not sent.
    let device = BoundDevice(
      id: kid, deviceName: "", deviceId: "", uuid: kid, createdDate: 0, lastAccessDate: 0)
    _ = try await FRAuth.signedInDevices(for: .DELETE_BINDING).bound.delete(device).get()
  }
}
