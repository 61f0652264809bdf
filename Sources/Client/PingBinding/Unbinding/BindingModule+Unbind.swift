public import DeviceKeys
internal import Foundation
internal import PingLogger
public import UserVerification

extension BindingModule {
  /// Unbinds this device: deletes the server's record of `key`, and then the key.
  ///
  /// Calling it again is safe, also after an interruption at any point. A record that the server does not have (404, and not
  /// in the user's list) counts as deleted.
  ///
  /// ```swift
  /// let server = DeviceClient(config: DeviceClientConfig(serverUrl: url, realm: "alpha", ssoToken: token))
  /// try await BindingModule.unbind(key, on: server)
  /// ```
  ///
  /// - Parameters:
  ///   - key: One of ``getAllKeys(userKeyStorage:)``.
  ///   - server: Who keeps the record, with a session of the key's user or of an administrator: a `DeviceClient`.
  ///   - forceDelete: Deletes the key although the server refuses or cannot be reached. That is still reported as an error.
  ///     A cancelled task deletes nothing.
  ///   - userKeyStorage: Where descriptions are kept; `nil` is the default.
  ///   - keyStore: Where private keys are kept; `nil` is the default.
  ///   - authorizationVault: What unlocks biometric keys; `nil` is the default.
  /// - Throws: What is left, and why. After a status 401 sign in again; after 403 sign in as the key's user.
  @discardableResult
  public static func unbind(
    _ key: UserKey, on server: any DeviceUnbinding, forceDelete: Bool = false,
    userKeyStorage: UserKeyStorageConfig? = nil, keyStore: (any DeviceKeyStore)? = nil,
    authorizationVault: AuthorizationVault? = nil
  ) async throws(UnbindingError) -> UnbindingResult {
    let store: any DeviceKeyStore
    do { store = try keyStore ?? StandardStores.keyStore() } catch {
      throw UnbindingError(record: .untouched, isKeyDeleted: false, keyError: error)
    }
    let storage = UserKeysStorage(config: userKeyStorage ?? UserKeyStorageConfig())
    let logger = logger(for: nil)
    return try await UnbindFlow(
      server: server, storage: storage,
      removal: KeyRemoval(
        keyStore: store, vault: authorizationVault ?? StandardStores.vault(), storage: storage, logger: logger
      ),
      logger: logger
    ).unbind(key, forceDelete: forceDelete)
  }
}
