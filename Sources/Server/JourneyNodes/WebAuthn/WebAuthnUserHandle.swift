internal import Bytes
internal import Crypto
internal import JourneyStore

/// The user id that authenticators keep with a credential.
enum WebAuthnUserHandle {
  /// Most bytes that authenticators take (WebAuthn L3 §5.4.3).
  private static let maximumBytes = 64

  /// As the callbacks carry it: Base64URL of the name, whose UTF-8 bytes are the handle. A longer name is
  /// replaced by its SHA-256.
  static func text(of user: UserRecord) -> String {
    let text = Base64URL.encode(Array(user.username.utf8))
    guard text.utf8.count > maximumBytes else { return text }
    return Base64URL.encode(Array(SHA256.hash(data: Array(user.username.utf8))))
  }

  /// The name that a handle stands for; `nil` for one that is not valid base64url of text.
  static func username(_ handle: [UInt8]) -> String? {
    guard handle.count <= maximumBytes, let text = String(validating: handle, as: UTF8.self),
      let name = Base64URL.decode(text)
    else { return nil }
    return String(validating: name, as: UTF8.self)
  }
}
