public import Bytes

/// The authorization code that an ``Agent`` obtained, to be exchanged for tokens. The description omits the secrets.
public struct AuthCode: Codable, Sendable {
  /// The authorization code. A secret.
  public let code: String
  /// The verifier of the request that the code answers (RFC 7636). A secret.
  public let codeVerifier: String?
  /// The nonce of that request, which the ID token must contain; `nil` to use the configuration's nonce.
  public let nonce: String?

  public init(code: String = "", codeVerifier: String? = nil, nonce: String? = nil) {
    self.code = code
    self.codeVerifier = codeVerifier
    self.nonce = nonce
  }
}

extension AuthCode: Redacted {}
