public import PingDeviceClient
public import WebAuthnAuthenticator

/// The keys of this device's own authenticator. Passkeys of the system are not among them: the system manages those.
public struct WebAuthnKeys: Sendable {
  private let config: FidoConfig

  public init(config: FidoConfig = .standard) { self.config = config }

  /// The keys, oldest first; also those that are used only when the server names them.
  ///
  /// - Parameter relyingPartyID: Only those of this relying party.
  /// - Throws: `DeviceKeyError` that names a file which cannot be read.
  public func all(relyingPartyID: String? = nil) async throws -> [WebAuthnKey] {
    try await (config.credentials ?? CredentialStore()).credentials(relyingPartyID: relyingPartyID)
  }

  /// Removes a key from this device, private part and record. The server is not told. Succeeds when it is not there.
  public func delete(_ key: WebAuthnKey) async throws { try await config.authenticator().delete(key) }

  /// Removes the keys that `key` stands in for: the older discoverable ones of the same account, server and realm. For when the
  /// relying party has accepted it; a journey's callbacks do so by themselves.
  ///
  /// - Throws: `DeviceKeyError`.
  public func confirm(_ key: WebAuthnKey) async throws {
    try await config.authenticator().removePredecessors(of: key)
  }

  /// Removes a key on the server and then from this device.
  ///
  /// - Parameters:
  ///   - key: The key to remove.
  ///   - server: The devices of the signed-in user, whose key it is.
  ///   - forceDelete: Whether the key goes from this device although the server's record could not be removed. The failure is
  ///     thrown all the same.
  /// - Returns: Whether the server had a record of it.
  /// - Throws: `DeviceError`, `DeviceKeyError`.
  @discardableResult
  public func delete(
    _ key: WebAuthnKey, on server: DeviceClient, forceDelete: Bool = false
  ) async throws -> Bool {
    let wasKnown: Bool
    do {
      wasKnown = try await Self.deleteRecord(of: key, on: server)
    } catch {
      if forceDelete { try await delete(key) }
      throw error
    }
    try await delete(key)
    return wasKnown
  }

  private static func deleteRecord(of key: WebAuthnKey, on server: DeviceClient) async throws -> Bool {
    let records = try await server.webAuthn.get().get()
    guard let record = records.first(where: { $0.credentialId == key.credentialID }) else { return false }
    _ = try await server.webAuthn.delete(record).get()
    return true
  }
}
