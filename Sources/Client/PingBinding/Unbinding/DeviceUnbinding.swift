public import PingDeviceClient

/// The server's side of unbinding: deletes its record of a bound key, after which it refuses the key's signatures.
///
/// `DeviceClient` conforms to it.
public protocol DeviceUnbinding: Sendable {
  /// Deletes the server's record of `key`.
  ///
  /// - Returns: Whether there was a record to delete; `false` after an earlier call, for example.
  /// - Throws: The reason why the record still exists, or may.
  func deleteRecord(of key: UserKey) async throws -> Bool

  /// The server's address and the realm whose records it deletes, to be compared with the key's; `nil`, the default, when they are
  /// not known.
  var place: (server: String, realm: String)? { get }
}

extension DeviceUnbinding {
  public var place: (server: String, realm: String)? { nil }
}

extension DeviceClient: DeviceUnbinding {
  /// Deletes the server's record of `key`, which may belong to another user than the session when the server permits that.
  ///
  /// - Throws: `DeviceError`.
  public func deleteRecord(of key: UserKey) async throws -> Bool {
    try await deleteBinding(kid: key.kid, userId: key.userId)
  }

  /// The server and realm of its configuration.
  public var place: (server: String, realm: String)? { address }
}
