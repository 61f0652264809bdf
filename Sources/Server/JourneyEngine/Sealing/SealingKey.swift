public import Bytes
internal import Crypto

/// The key under which journeys' positions are sealed, the same on all servers of a cluster.
public struct SealingKey: Sendable, Redacted {
  /// The part of the pseudo-random key of HKDF (RFC 5869 §2.2) in the expansion of each step's own key, worked out once.
  private let expansion: HMAC<SHA256>

  /// Derives the key from a long-lived secret of the server: at least 32 random bytes.
  public init(serverSecret: [UInt8]) {
    let root = HKDF<SHA256>.extract(
      inputKeyMaterial: SymmetricKey(data: serverSecret), salt: Array("sealring authId 1".utf8))
    expansion = HMAC<SHA256>(key: SymmetricKey(data: root))
  }

  /// The AES-256 key for one step.
  ///
  /// Each step has its own, so that no number of journeys under one secret comes near the limit that
  /// random nonces set for a single key (NIST SP 800-38D §8.3).
  func key(forStep id: [UInt8]) -> SymmetricKey {
    // HKDF-Expand of one block (RFC 5869 §2.3), for which swift-crypto's general form takes three times as long.
    var block = expansion
    block.update(data: id + [1])
    return SymmetricKey(data: block.finalize())
  }
}
