internal import Crypto
public import Redaction

/// Secret bytes shared by two parties. Never printed; compared in constant time.
public struct SymmetricSecret: Sendable, Equatable, Redacted {
  let key: SymmetricKey

  /// A secret of these bytes.
  ///
  /// - Throws: ``JOSEError/Code/invalidKey`` below 32 bytes: a shorter secret is weaker than the hash of
  ///   HS256 (RFC 7518 §3.2).
  public init(_ bytes: some Sequence<UInt8>) throws(JOSEError) {
    key = SymmetricKey(data: Array(bytes))
    guard key.bitCount >= Self.minimumBitCount else {
      throw JOSEError(
        .invalidKey, "The shared secret has \(key.bitCount) bits, fewer than \(Self.minimumBitCount).")
    }
  }

  private static let minimumBitCount = 256

  /// How many bits the secret has.
  public var bitCount: Int { key.bitCount }
}
