internal import Bytes
internal import Crypto
internal import ServerHTTP

/// The proof that a form was read from a page of this server in the same session: a random number and its MAC under the session's token,
/// which no other site or session has.
struct FormToken: Sendable {
  private static let nonceCount = 16
  private static let length = 64  // 48 bytes in base64url

  let text: String

  /// Makes a token for the pages of the session.
  init(session: SessionToken, randomBytes: (Int) -> [UInt8]) {
    let nonce = randomBytes(Self.nonceCount)
    text = Base64URL.encode(nonce + Self.code(nonce, session))
  }

  /// The token that a form brought; `nil` unless it was made for the session.
  init?(presented text: String?, session: SessionToken) {
    guard let text, text.utf8.count == Self.length, let bytes = Base64URL.decode(text),
      bytes.count == Self.nonceCount + SHA256.byteCount
    else { return nil }
    let nonce = Array(bytes.prefix(Self.nonceCount))
    guard ConstantTime.areEqual(Array(bytes.dropFirst(Self.nonceCount)), Self.code(nonce, session)) else {
      return nil
    }
    self.text = text
  }

  /// The key by which the store remembers a form that may count only once.
  var onceKey: [UInt8] { Array(SHA256.hash(data: Array("sealring form \(text)".utf8))) }

  private static func code(_ nonce: [UInt8], _ session: SessionToken) -> [UInt8] {
    var code = HMAC<SHA256>(key: SymmetricKey(data: Array(session.text.utf8)))
    code.update(data: Array("sealring form".utf8))
    code.update(data: nonce)
    return Array(code.finalize())
  }
}
