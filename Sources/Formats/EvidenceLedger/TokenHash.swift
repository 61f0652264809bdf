internal import Crypto
internal import Foundation

/// SHA-256 over the signed content of a compact JWS, its header and payload as they stand (RFC 7515 §5.1), in 32 bytes
/// without further storage: of a large ledger there are millions.
struct TokenHash: Sendable, Hashable {
  private let words: (UInt64, UInt64, UInt64, UInt64)

  init(of compact: String) {
    let content =
      compact.utf8.lastIndex(of: UInt8(ascii: ".")).map { compact.utf8[..<$0] } ?? compact.utf8[...]
    var words: [UInt64] = []
    SHA256.hash(data: Data(content)).withUnsafeBytes { digest in
      for index in 0..<4 { words.append(digest.loadUnaligned(fromByteOffset: index * 8, as: UInt64.self)) }
    }
    self.words = (words[0], words[1], words[2], words[3])
  }

  static func == (one: TokenHash, other: TokenHash) -> Bool { one.words == other.words }

  func hash(into hasher: inout Hasher) { hasher.combine(words.0) }
}
