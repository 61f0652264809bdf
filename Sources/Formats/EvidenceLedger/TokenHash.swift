internal import Crypto

/// SHA-256 over the signed content of a compact JWS, its header and payload as they stand (RFC 7515 §5.1), in 32 bytes
/// without further storage: of a large ledger there are millions.
struct TokenHash: Sendable, Hashable {
  private let words: (UInt64, UInt64, UInt64, UInt64)

  /// - Parameter digest: of header and payload with the dot between them.
  init(_ digest: SHA256Digest) {
    words = digest.withUnsafeBytes { digest in
      func word(_ index: Int) -> UInt64 {
        digest.loadUnaligned(fromByteOffset: index * 8, as: UInt64.self)
      }
      return (word(0), word(1), word(2), word(3))
    }
  }

  static func == (one: TokenHash, other: TokenHash) -> Bool { one.words == other.words }

  func hash(into hasher: inout Hasher) { hasher.combine(words.0) }
}
