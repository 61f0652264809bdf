internal import Concurrency
internal import Foundation
internal import PingBinding
internal import PingDeviceClient
internal import PingLogger

/// Lists and removes the keys of this device, as the earlier SDK does: the calls block their thread until they are done,
/// so keep them off the main thread.
public struct FRUserKeys: UserKeyService, Sendable {
  public init() {}

  /// The keys that are bound on this device, newest first; those of the earlier SDK are migrated first. When they cannot be
  /// read, there are none and the log says why.
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

  /// Removes the key from the server, then from this device, with the session of the person who has signed in.
  ///
  /// - Parameters:
  ///   - userKey: The key to remove.
  ///   - forceDelete: Whether the key on this device goes also when the server did not remove its own; the error is
  ///     thrown all the same.
  /// - Throws: What kept the server from removing it, in words to show; or why it could not be removed here.
  public func delete(userKey: UserKey, forceDelete: Bool = false) throws {
    try Blocking.run {
      let unbound = await unbind(kid: userKey.kid)
      if case .failure = unbound, !forceDelete { return try unbound.get() }
      try await FRDeviceBinding.remove { $0.kid == userKey.kid }
      try unbound.get()
    }
  }

  /// Asks the server to remove the device that has the key.
  private func unbind(kid: String) async -> Result<Void, any Error> {
    guard let options = FRAuth.shared?.options else { return .failure(ConfigError.invalidSDKState) }
    let client = DeviceClient(
      config: DeviceClientConfig(
        serverUrl: options.url, realm: options.realm, cookieName: options.cookieName,
        ssoToken: FRSession.currentSession?.sessionToken?.value ?? "",
        allowsInsecureHTTP: options.allowsInsecureHTTP))
    // The server finds the record by the key id; nothing else of it is sent.
    let device = BoundDevice(
      id: kid, deviceName: "", deviceId: "", uuid: kid, createdDate: 0, lastAccessDate: 0)
    return await client.bound.delete(device).map { _ in }.mapError { $0 }
  }
}
