public import DeviceKeys
public import UserVerification

extension BindingModule {
  /// Unbinds this device: deletes the server's record of `key`, then the key itself.
  ///
  /// Calling it again is safe, even after an interruption at any point. A record that the server does not have (404, and not
  /// in the user's list) counts as deleted.
  ///
  /// ```swift
  /// let server = DeviceClient(config: DeviceClientConfig(serverUrl: url, realm: "alpha", ssoToken: token))
  /// try await BindingModule.unbind(key, on: server)
  /// ```
  ///
  /// - Parameters:
  ///   - key: One of ``getAllKeys(userKeyStorage:)``.
  ///   - server: The server that keeps the record, with a session of the key's user or of an administrator: a `DeviceClient`.
  ///   - forceDelete: Deletes the key even when the server refuses or cannot be reached. The failure is still thrown.
  ///     A cancelled task deletes nothing.
  ///   - userKeyStorage: Where descriptions are kept; `nil` is the default.
  ///   - keyStore: Where private keys are kept; `nil` is the default.
  ///   - authorizationVault: The vault of the values that unlock biometric keys; `nil` is the default.
  /// - Throws: An error that says what is left and why. After status 401 sign in again; after 403 sign in as the key's user.
  @discardableResult
  public static func unbind(
    _ key: UserKey, on server: any DeviceUnbinding, forceDelete: Bool = false,
    userKeyStorage: UserKeyStorageConfig? = nil, keyStore: (any DeviceKeyStore)? = nil,
    authorizationVault: AuthorizationVault? = nil
  ) async throws(UnbindingError) -> UnbindingResult {
    let removal: KeyRemoval
    do { removal = try self.removal(userKeyStorage, keyStore, authorizationVault) } catch {
      throw UnbindingError(record: .untouched, isKeyDeleted: false, keyError: error)
    }
    return try await UnbindFlow(server: server, removal: removal).unbind(key, forceDelete: forceDelete)
  }
}
