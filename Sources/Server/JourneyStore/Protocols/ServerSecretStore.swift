/// Long-lived secrets of the server, such as the one that seals `authId`; created on first use.
public protocol ServerSecretStore: Sendable {
  /// The secret of that name; `generate` is called, and its result stored, if there is none. All servers on one
  /// database get the same bytes.
  func secret(named name: String, generate: @Sendable () -> [UInt8]) async throws -> [UInt8]
}
