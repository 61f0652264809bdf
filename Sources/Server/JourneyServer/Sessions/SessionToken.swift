internal import Bytes
internal import Crypto

/// The text that a signed-in client presents: `sst_` and 32 random bytes in base64url.
///
/// The fixed beginning lets secret scanners find tokens that ended up where they should not be.
struct SessionToken: Sendable, Redacted {
  private static let mark = "sst_"
  private static let randomCount = 32
  private static let length = mark.utf8.count + 43

  /// The token itself; only for the client that it belongs to.
  let text: String

  init(randomBytes: (Int) -> [UInt8]) {
    text = Self.mark + Base64URL.encode(randomBytes(Self.randomCount))
  }

  /// Takes what a client presented; `nil` when it cannot be a token of this server. Proves nothing.
  init?(presented text: some StringProtocol) {
    guard text.utf8.count == Self.length, text.hasPrefix(Self.mark) else { return nil }
    self.text = String(text)
  }

  /// What the store keeps: SHA-256 of the text. The token has 256 random bits, so that no salt or slow hash is needed.
  var hash: [UInt8] { Array(SHA256.hash(data: Array(text.utf8))) }
}
