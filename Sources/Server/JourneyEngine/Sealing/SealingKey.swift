public import Bytes
internal import Crypto

/// The key under which journeys' positions are sealed, the same on all servers of a cluster.
public struct SealingKey: Sendable, Redacted {
  /// Pseudo-random key of HKDF (RFC 5869 §2.2), from which each step's own key is expanded.
  let root: SymmetricKey

  /// Derives the key from a long-lived secret of the server: at least 32 random bytes.
  public init(serverSecret: [UInt8]) {
    root = SymmetricKey(
      data: HKDF<SHA256>.extract(
        inputKeyMaterial: SymmetricKey(data: serverSecret), salt: Array("sealring authId 1".utf8)))
  }

  /// The AES-256 key for one step.
  ///
  /// Each step has its own, so that no number of journeys under one secret comes near the limit that
  /// random nonces set for a single key (NIST SP 800-38D §8.3).
  func key(forStep id: [UInt8]) -> SymmetricKey {
    // HKDF-Expand of one block (RFC 5869 §2.3), for which swift-crypto's general form takes three times as long.
    SymmetricKey(data: HMAC<SHA256>.authenticationCode(for: id + [1], using: root))
  }
}
