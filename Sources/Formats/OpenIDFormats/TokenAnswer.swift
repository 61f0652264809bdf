public import Bytes
internal import StrictJSON

/// The answer of a token endpoint (RFC 6749 §5.1). Contains secrets.
public struct TokenAnswer: Sendable, Redacted {
  public let accessToken: String
  /// `Bearer` or `DPoP`, in the server's spelling.
  public let tokenType: String
  /// Seconds from now; `nil` when the server does not say.
  public let expiresIn: Int64?
  public let refreshToken: String?
  public let idToken: String?
  public let scope: String?

  /// The largest answer that is read, in bytes.
  public static let maximumBytes = 256 << 10
  /// The largest token, in bytes.
  static let maximumTokenBytes = 64 << 10

  /// Reads the body of an answer with `status`.
  ///
  /// - Parameter isBound: whether the request proved a key (RFC 9449). A token that is not bound to that key is then refused,
  ///   because a thief could use it.
  /// - Throws: ``OpenIDError/Code/refused`` when the server says why, ``OpenIDError/Code/malformed`` when it is not a token answer.
  public init(parsing body: some Sequence<UInt8>, status: Int, isBound: Bool = false) throws(OpenIDError) {
    let json = try JSONObject(
      parsingAnswer: body, limit: Self.maximumBytes,
      orFail: "The token endpoint's answer (HTTP \(status)) is not a JSON object")
    // An answer with an error is an error, even if it looks like a success.
    if let error = json["error"]?.stringValue {
      throw OpenIDError.refused(error, json["error_description"]?.stringValue)
    }
    guard status == 200 else { throw OpenIDError(.malformed, "The token endpoint answered HTTP \(status).") }
    guard let accessToken = try Self.token("access_token", in: json) else {
      throw OpenIDError(.malformed, "The token endpoint's answer has no access_token.")
    }
    self.accessToken = accessToken
    refreshToken = try Self.token("refresh_token", in: json)
    idToken = try Self.token("id_token", in: json)
    scope = json["scope"]?.stringValue
    tokenType = json["token_type"]?.stringValue ?? ""
    guard tokenType.lowercased() == (isBound ? "dpop" : "bearer") else {
      throw OpenIDError(
        .malformed,
        isBound
          ? "The token is not bound to this device's key, although a proof was sent (token_type)."
          : "The token's type is not Bearer (token_type).")
    }
    // Some servers send the number as text.
    expiresIn = json["expires_in"].flatMap { $0.integerValue ?? $0.stringValue.flatMap(Int64.init) }
  }

  /// The token `name`, which must fit into a header (RFC 6750 §2.1): visible ASCII. `nil` when it is absent.
  private static func token(_ name: String, in json: JSONObject) throws(OpenIDError) -> String? {
    guard let value = json[name], !value.isNull else { return nil }
    guard let text = value.stringValue, (1...maximumTokenBytes).contains(text.utf8.count),
      text.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
    else { throw OpenIDError(.malformed, "The answer's \(name) is not a token.") }
    return text
  }
}
