public import PingDeviceClient

/// A server's side of unbinding: deletes its record of a bound key, after which it refuses the key's signatures.
///
/// `DeviceClient` is one.
public protocol DeviceUnbinding: Sendable {
  /// Deletes the server's record of `key`.
  ///
  /// - Returns: `true` when there was one to delete, `false` when the server has none, as after an earlier call.
  /// - Throws: Why the record is, or may be, still there.
  func deleteRecord(of key: UserKey) async throws -> Bool

  /// The server's address and the realm whose records it deletes, to be compared with where the key belongs; `nil`, the default,
  /// when that is not known.
  var place: (server: String, realm: String)? { get }
}

extension DeviceUnbinding {
  public var place: (server: String, realm: String)? { nil }
}

extension DeviceClient: DeviceUnbinding {
  /// Deletes the server's record of `key`, which may be another user's than the session's when the server permits that.
  ///
  /// - Throws: `DeviceError`.
  public func deleteRecord(of key: UserKey) async throws -> Bool {
    try await deleteBinding(kid: key.kid, userId: key.userId)
  }

  /// The server and realm of its configuration.
  public var place: (server: String, realm: String)? { address }
}
