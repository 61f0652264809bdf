internal import Bytes
internal import Crypto

/// The hashes that tokens are stored and named by.
package enum OpenIDHash {
  /// What is stored of a client's secret, which has 256 random bits, or of a sealed text, which has at least the 224 of its salt and its
  /// nonce: both are too many to be guessed, so that a plain hash protects them.
  package static func stored(_ token: String) -> [UInt8] { Array(SHA256.hash(data: Array(token.utf8))) }

  /// `sid` of a session: not the session's token, nor anything that can be presented as one.
  package static func sessionID(_ tokenHash: [UInt8]) -> String {
    Base64URL.encode(SHA256.hash(data: Array("sid".utf8) + tokenHash).prefix(16))
  }
}
