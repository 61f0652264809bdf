internal import Bytes
internal import StrictJSON

/// The claims with which a device answers a message.
public struct PushAnswer: Sendable, Hashable {
  /// The answer to the message's challenge; see ``PushSecret/response(to:)``.
  public var response: String
  /// Whether the person refused.
  public var isDenied: Bool
  /// The number or code that the person entered.
  public var challengeResponse: String?
  /// Why the person refused, in the app's words or their own. This claim is ours, and is written on a denial only. Cut to
  /// ``PushFormatLimits/reasonCharacters``.
  public var reason: String?

  public init(
    response: String, isDenied: Bool = false, challengeResponse: String? = nil, reason: String? = nil
  ) {
    self.response = response
    self.isDenied = isDenied
    self.challengeResponse = challengeResponse
    self.reason = reason.map { String($0.prefix(PushFormatLimits.reasonCharacters)) }
  }

  /// Reads the claims of a device's token.
  ///
  /// `deny` that is absent, `false` or `null` is not a denial; any other value is one. A number is accepted for
  /// `challengeResponse` as well as text. A reason loses its control characters and is cut to ``PushFormatLimits/reasonCharacters``: it
  /// must not prevent a denial.
  /// - Throws: ``PushFormatError``. The caller still has to compare ``response``, with ``PushSecret/isResponse(_:to:)``,
  ///   and ``challengeResponse``.
  public init(verifying token: String, secret: PushSecret) throws(PushFormatError) {
    let claims = try secret.claims(of: token)
    response = try claims.required("response", limit: 128)
    // A registration is not an answer.
    guard claims["mechanismUid"] == nil else {
      throw PushFormatError(.malformed, "The token was made for another purpose.")
    }
    isDenied =
      switch claims["deny"] {
      case nil, .null, .bool(false): false
      default: true
      }
    if let number = claims["challengeResponse"]?.integerValue {
      challengeResponse = String(number)
    } else {
      challengeResponse = try claims.optional("challengeResponse", limit: 32).map(trimmed)
    }
    // Words for a log must not prevent a denial, whatever they are.
    reason = claims["reason"]?.stringValue.map {
      trimmed(String($0.onOneLine.prefix(PushFormatLimits.reasonCharacters)))
    }
  }

  /// The signed token. `deny` is written on a denial only: servers test whether it is there.
  public func token(secret: PushSecret) async throws -> String {
    var claims: JSONObject = ["response": .string(response)]
    claims["challengeResponse"] = challengeResponse.map { .string($0) }
    if isDenied {
      claims["deny"] = true
      claims["reason"] = reason.map { .string($0) }
    }
    return try await secret.sign(claims)
  }
}
