/// A store whose hardware can keep secret keys that compute HMAC-SHA-256 and are never seen outside.
///
/// The hardware encrypts each key for itself. The caller keeps the encrypted key, because the store keeps none. Nothing unlocks such a key:
/// its caller decides who may use it.
package protocol MACKeyStore: Sendable {
  /// Makes a key in the hardware that would hold a new key of protection ``KeyProtection/none``; `nil` when no hardware would.
  ///
  /// - Returns: The key as the hardware encrypted it for itself, at most ``MACKey/maximumBytes``.
  /// - Throws: ``DeviceKeyError``.
  func makeMACKey() async throws -> [UInt8]?

  /// HMAC-SHA-256 of each message, 32 bytes each.
  ///
  /// - Parameters:
  ///   - messages: At most ``MACKey/maximumMessageBytes`` each.
  ///   - key: What ``makeMACKey()`` returned.
  /// - Throws: ``DeviceKeyError/lost(tag:reason:)`` when the hardware was replaced or cleared; ``DeviceKeyError``.
  func authenticationCodes(of messages: [[UInt8]], by key: [UInt8]) async throws -> [[UInt8]]
}

/// Limits of ``MACKeyStore``.
package enum MACKey {
  package static let maximumBytes = 2 << 10
  /// Every TPM accepts this many bytes at once (TPM 2.0 Library, Part 2, MAX_DIGEST_BUFFER).
  package static let maximumMessageBytes = 1024
}
