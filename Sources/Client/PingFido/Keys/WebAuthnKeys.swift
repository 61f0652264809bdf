public import PingDeviceClient
public import WebAuthnAuthenticator

/// A key of this device's own authenticator: list them with ``WebAuthnKeys``.
public typealias WebAuthnKey = PublicKeyCredentialSource

/// The keys of this device's own authenticator. The system's passkeys are not included: the system manages those.
public struct WebAuthnKeys: Sendable {
  private let config: FidoConfig

  public init(config: FidoConfig = .standard) { self.config = config }

  /// The keys, oldest first, including those that are used only when the server names them.
  ///
  /// - Parameter relyingPartyID: Lists only the keys of this relying party.
  /// - Throws: `DeviceKeyError` with the name of a file that cannot be read.
  public func all(relyingPartyID: String? = nil) async throws -> [WebAuthnKey] {
    try await (config.credentials ?? CredentialStore()).credentials(relyingPartyID: relyingPartyID)
  }

  /// Removes a key from this device, private part and record. The server is not told. Succeeds when it is not there.
  public func delete(_ key: WebAuthnKey) async throws { try await config.authenticator().delete(key) }

  /// Removes the keys that `key` replaces: the older discoverable keys of the same account, server and realm. Call it when the
  /// relying party has accepted `key`; a journey's callbacks do so automatically.
  ///
  /// - Throws: `DeviceKeyError`.
  public func confirm(_ key: WebAuthnKey) async throws {
    try await config.authenticator().removePredecessors(of: key)
  }

  /// Removes a key on the server and then from this device.
  ///
  /// - Parameters:
  ///   - key: The key to remove.
  ///   - server: The devices of the signed-in user, who owns the key.
  ///   - forceDelete: Whether to remove the key from this device even when the server's record could not be removed. The failure is
  ///     thrown anyway.
  /// - Returns: Whether the server had a record of it.
  /// - Throws: `DeviceError`, `DeviceKeyError`.
  @discardableResult
  public func delete(
    _ key: WebAuthnKey, on server: DeviceClient, forceDelete: Bool = false
  ) async throws -> Bool {
    let wasKnown: Bool
    do { wasKnown = try await Self.deleteRecord(of: key, on: server) } catch {
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
