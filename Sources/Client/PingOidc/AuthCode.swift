public import Bytes

/// What an ``Agent`` got for the person: a code to be exchanged for tokens. Secrets: the description omits them.
public struct AuthCode: Codable, Sendable {
  /// The authorization code. A secret.
  public let code: String
  /// The verifier of the request that the code answers (RFC 7636). A secret.
  public let codeVerifier: String?
  /// The nonce of that request, which the ID token has to have; `nil` when only the configuration's counts.
  public let nonce: String?

  public init(code: String = "", codeVerifier: String? = nil, nonce: String? = nil) {
    self.code = code
    self.codeVerifier = codeVerifier
    self.nonce = nonce
  }
}

extension AuthCode: Redacted {}
