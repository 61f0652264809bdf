public import Bytes
internal import Crypto

/// Secret bytes shared by two parties. Never printed; compared in constant time.
public struct SymmetricSecret: Sendable, Equatable, Redacted {
  let key: SymmetricKey

  /// A secret of these bytes.
  ///
  /// - Parameter minimumBitCount: The required number of bits. RFC 7518 §3.2 requires 256, the length of HS256's hash. A protocol whose
  ///   servers give out shorter secrets may allow them, but none below 128 bits, which could be guessed.
  /// - Throws: ``JOSEError/Code/invalidKey`` for a shorter secret.
  public init(_ bytes: some Sequence<UInt8>, minimumBitCount: Int = 256) throws(JOSEError) {
    key = SymmetricKey(data: Array(bytes))
    let minimum = max(minimumBitCount, Self.floor)
    guard key.bitCount >= minimum else {
      throw JOSEError(.invalidKey, "The shared secret has \(key.bitCount) bits, fewer than \(minimum).")
    }
  }

  private static let floor = 128

  /// A secret of any length, for a published interface that takes shorter ones than RFC 7518 §3.2 asks for.
  ///
  /// - Throws: ``JOSEError/Code/invalidKey`` when there are no bytes.
  package init(insecure bytes: some Sequence<UInt8>) throws(JOSEError) {
    key = SymmetricKey(data: Array(bytes))
    guard key.bitCount > 0 else { throw JOSEError(.invalidKey, "The shared secret is empty.") }
  }

  /// The raw bytes, no longer protected.
  package func reveal() -> [UInt8] { key.withUnsafeBytes { Array($0) } }

  /// How many bits the secret has.
  public var bitCount: Int { key.bitCount }
}
