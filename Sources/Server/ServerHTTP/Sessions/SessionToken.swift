internal import Bytes
internal import Crypto

/// The text that a signed-in client presents: `sst_` and 32 random bytes in base64url.
///
/// The fixed prefix lets secret scanners find leaked tokens.
package struct SessionToken: Sendable, Redacted {
  private static let mark = "sst_"
  private static let randomCount = 32
  private static let length = mark.utf8.count + 43

  /// The token itself, for its client only.
  package let text: String

  init(randomBytes: (Int) -> [UInt8]) {
    text = Self.mark + Base64URL.encode(randomBytes(Self.randomCount))
  }

  /// What a client presented, unverified; `nil` when it cannot be a token of this server.
  init?(presented text: some StringProtocol) {
    guard text.utf8.count == Self.length, text.hasPrefix(Self.mark) else { return nil }
    self.text = String(text)
  }

  /// What the store keeps: SHA-256 of the text. The token has 256 random bits, so that no salt or slow hash is needed.
  package var hash: [UInt8] { Array(SHA256.hash(data: Array(text.utf8))) }
}
