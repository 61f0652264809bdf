/// A store whose hardware can keep secret keys that compute HMAC-SHA-256 and are never seen outside.
///
/// The hardware encrypts a key for itself, and whoever needs it keeps that, as the store keeps nothing of it. Nothing unlocks such a key:
/// who may have something computed is for its user to decide.
package protocol MACKeyStore: Sendable {
  /// Makes a key in the hardware where a new key of protection ``KeyProtection/none`` would be made; `nil` when that would be in no
  /// hardware.
  ///
  /// - Returns: What the hardware encrypted for itself, at most ``MACKey/maximumBytes``.
  /// - Throws: ``DeviceKeyError``.
  func makeMACKey() async throws -> [UInt8]?

  /// HMAC-SHA-256 of each message, 32 bytes each.
  ///
  /// - Parameters:
  ///   - messages: At most ``MACKey/maximumMessageBytes`` each.
  ///   - key: What ``makeMACKey()`` returned.
  /// - Throws: ``DeviceKeyError/lost(tag:reason:)`` when the hardware is another one, or was cleared; ``DeviceKeyError``.
  func authenticationCodes(of messages: [[UInt8]], by key: [UInt8]) async throws -> [[UInt8]]
}

/// Limits of ``MACKeyStore``.
package enum MACKey {
  package static let maximumBytes = 2 << 10
  /// Every TPM takes so much at once (TPM 2.0 Library, Part 2, MAX_DIGEST_BUFFER).
  package static let maximumMessageBytes = 1024
}
