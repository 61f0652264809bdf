internal import Bytes
internal import Crypto

/// The hashes that tokens are stored and named by.
package enum OpenIDHash {
  /// The stored hash of a client's secret or of a sealed text. A secret has 256 random bits, and a sealed text at least the 224 of its salt
  /// and nonce. Both are too many to be guessed, so a plain hash protects them.
  package static func stored(_ token: String) -> [UInt8] { Array(SHA256.hash(data: Array(token.utf8))) }

  /// The `sid` of a session, which cannot be presented as the session's token.
  package static func sessionID(_ tokenHash: [UInt8]) -> String {
    Base64URL.encode(SHA256.hash(data: Array("sid".utf8) + tokenHash).prefix(16))
  }
}
