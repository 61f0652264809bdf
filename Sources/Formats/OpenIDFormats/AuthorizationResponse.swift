internal import Bytes
internal import StrictJSON

/// The redirect with which a provider answers an authorization request (RFC 6749 §4.1.2).
public enum AuthorizationResponse {
  /// The expectations that the redirect must meet to answer our request.
  public struct Expectations: Sendable {
    /// The address that the request named; the redirect goes there and nowhere else.
    public var redirectURI: String
    /// The request's `state`.
    public var state: String
    /// The provider that was asked; `nil` when it is not known.
    public var issuer: String?
    /// Whether the answer must name the issuer (RFC 9207 §2.4).
    public var requiresIssuer: Bool

    public init(redirectURI: String, state: String, issuer: String?, requiresIssuer: Bool = false) {
      self.redirectURI = redirectURI
      self.state = state
      self.issuer = issuer
      self.requiresIssuer = requiresIssuer
    }
  }

  /// The largest redirect that is read, in bytes.
  public static let maximumBytes = 16 << 10

  /// The code in the redirect `address`.
  ///
  /// - Throws: ``OpenIDError``: ``OpenIDError/Code/otherRequest`` for another address or state,
  ///   ``OpenIDError/Code/otherParty`` for another issuer (mix-up), ``OpenIDError/Code/refused`` when the provider refuses.
  public static func code(in address: String, expecting expected: Expectations) throws(OpenIDError) -> String
  {
    guard address.utf8.count <= maximumBytes else {
      throw OpenIDError(.malformed, "The redirect is too long.")
    }
    let parts = address.prefix { $0 != "#" }.split(
      separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    let ownParts = expected.redirectURI.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    guard let place = parts.first, let own = ownParts.first, String(place).hasSameBytes(as: String(own))
    else {
      throw OpenIDError(.otherRequest, "The provider redirected to another address than the request's.")
    }
    return try code(of: parameters(parts.count == 2 ? parts[1] : ""), expecting: expected)
  }

  /// The code among the redirect's `parameters`, which came to the right address.
  public static func code(
    of parameters: [String: String], expecting expected: Expectations
  ) throws(OpenIDError) -> String {
    // Checked first, because an answer to somebody else's request says nothing about ours.
    guard let state = parameters["state"], ConstantTime.areEqual(state.utf8, expected.state.utf8) else {
      throw OpenIDError(.otherRequest, "The redirect answers another request (state).")
    }
    if let issuer = parameters["iss"] {
      guard let own = expected.issuer, ProviderMetadata.areSame(issuer, own) else {
        throw OpenIDError(.otherParty, "The redirect is another provider's (iss).")
      }
    } else if expected.requiresIssuer {
      throw OpenIDError(
        .otherParty, "The redirect does not name the provider (iss), and this one always does.")
    }
    if let error = parameters["error"] {
      throw OpenIDError.refused(error, parameters["error_description"])
    }
    guard let code = parameters["code"], !code.isEmpty, code.utf8.count <= 4096 else {
      throw OpenIDError(.malformed, "The redirect has no code.")
    }
    return code
  }

  /// The parameters of a query; each may occur once (RFC 6749 §3.1).
  public static func parameters(_ query: some StringProtocol) throws(OpenIDError) -> [String: String] {
    var result: [String: String] = [:]
    for item in query.split(separator: "&") {
      let pair = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = decoded(pair[0]), let value = decoded(pair.count == 2 ? pair[1] : "") else {
        throw OpenIDError(.malformed, "The redirect's query is not percent-encoded text.")
      }
      guard result.updateValue(value, forKey: name) == nil else {
        throw OpenIDError(.malformed, "The redirect has a parameter twice.")
      }
    }
    return result
  }

  private static func decoded(_ text: some StringProtocol) -> String? {
    PercentEncoding.decode(String(text.map { $0 == "+" ? " " : $0 }))
  }
}

extension OpenIDError {
  /// The provider refused, with its error code and perhaps a text; both are shortened to one line.
  static func refused(_ error: String, _ text: String?) -> OpenIDError {
    let code = String(error.onOneLine.prefix(100))
    let detail = text.map { ": " + String($0.onOneLine.prefix(300)) } ?? ""
    return OpenIDError(.refused, "The provider answered \(code)\(detail).", providerError: code)
  }
}
