public import JOSE
internal import StrictJSON
internal import WebAddresses

/// What an OpenID provider publishes about itself (OpenID Connect Discovery 1.0 §3, RFC 8414 §2).
public struct ProviderMetadata: Sendable, Hashable {
  public let issuer: String
  public let authorizationEndpoint: String
  public let tokenEndpoint: String
  /// The address of its signing keys.
  public let jwksURI: String
  public let userinfoEndpoint: String?
  public let endSessionEndpoint: String?
  /// PingOne's own endpoint, which ends a session without the person's token.
  package let pingEndSessionEndpoint: String?
  public let revocationEndpoint: String?
  /// RFC 9126 §5.
  public let pushedAuthorizationRequestEndpoint: String?
  /// RFC 8628 §4.
  public let deviceAuthorizationEndpoint: String?

  /// Whether its authorization responses name the issuer (RFC 9207 §3). A response without it is then somebody else's.
  public let namesIssuerInResponses: Bool

  /// The algorithms of its ID tokens that are understood here: public-key ones only.
  public let idTokenAlgorithms: Set<JWSAlgorithm>

  /// The largest document that is read, in bytes.
  public static let maximumBytes = 256 << 10

  /// The public-key algorithms that ID tokens may have. A client's secret is not a key here: HS256 is refused.
  public static let publicKeyAlgorithms: Set<JWSAlgorithm> = [.es256, .rs256, .rs384, .rs512]

  /// The path below an issuer where its document is (OpenID Connect Discovery 1.0 §4).
  public static let wellKnownPath = "/.well-known/openid-configuration"

  /// Reads the document that was fetched from `address`.
  ///
  /// - Parameters:
  ///   - address: the address; it names the issuer when it ends with ``wellKnownPath``. Otherwise an issuer of the same
  ///     origin is accepted.
  ///   - expected: the issuer, where the address does not say it.
  /// - Throws: ``OpenIDError/Code/otherParty`` when the document names another issuer (§4.3);
  ///   ``OpenIDError/Code/malformed`` when it is not such a document, or has an address that others can read on the way.
  public init(
    parsing document: some Sequence<UInt8>, fetchedFrom address: String, issuer expected: String? = nil
  ) throws(OpenIDError) {
    let json = try JSONObject(
      parsingAnswer: document, limit: Self.maximumBytes,
      orFail: "The provider's document is not a JSON object")
    let issuer = try Self.address("issuer", in: json)
    let isExpected =
      if let expected = expected ?? Self.issuer(ofDocumentAt: address) {
        Self.areSame(issuer, expected)
      } else {
        WebOrigin(address: issuer) == WebOrigin(address: address)
      }
    guard isExpected else {
      throw OpenIDError(
        .otherParty, "The document at \(address.prefix { $0 != "?" }) names another issuer, \(issuer.quoted)."
      )
    }
    self.issuer = issuer
    authorizationEndpoint = try Self.address("authorization_endpoint", in: json)
    tokenEndpoint = try Self.address("token_endpoint", in: json)
    jwksURI = try Self.address("jwks_uri", in: json)
    userinfoEndpoint = try Self.optionalAddress("userinfo_endpoint", in: json)
    endSessionEndpoint = try Self.optionalAddress("end_session_endpoint", in: json)
    pingEndSessionEndpoint = try Self.optionalAddress("ping_end_idp_session_endpoint", in: json)
    revocationEndpoint = try Self.optionalAddress("revocation_endpoint", in: json)
    pushedAuthorizationRequestEndpoint = try Self.optionalAddress(
      "pushed_authorization_request_endpoint", in: json)
    deviceAuthorizationEndpoint = try Self.optionalAddress("device_authorization_endpoint", in: json)
    namesIssuerInResponses = json["authorization_response_iss_parameter_supported"]?.boolValue ?? false
    if let names = json["id_token_signing_alg_values_supported"]?.arrayValue {
      idTokenAlgorithms = Set(names.compactMap { $0.stringValue.flatMap(JWSAlgorithm.init(rawValue:)) })
        .intersection(Self.publicKeyAlgorithms)
    } else {
      idTokenAlgorithms = Self.publicKeyAlgorithms
    }
  }

  /// Whether two issuers are the same: equal except for the scheme's default port, which some servers print, and a slash at the end.
  public static func areSame(_ one: String, _ other: String) -> Bool {
    guard let first = normalized(one), let second = normalized(other) else { return false }
    return first.hasSameBytes(as: second)
  }

  /// The issuer whose document is at `address`; `nil` when `address` does not end with ``wellKnownPath``.
  package static func issuer(ofDocumentAt address: String) -> String? {
    address.hasSuffix(wellKnownPath) ? String(address.dropLast(wellKnownPath.count)) : nil
  }

  /// The form in which issuers are compared; `nil` when it is not a web address without query and fragment.
  package static func normalized(_ issuer: String) -> String? {
    guard let origin = WebOrigin(address: issuer), !issuer.contains(where: { "?#".contains($0) }) else {
      return nil
    }
    // Skips the scheme and "://", which every origin has.
    var path = issuer.drop { $0 != ":" }.dropFirst(3).drop { $0 != "/" }
    if path.hasSuffix("/") { path.removeLast() }
    return origin.description + path
  }

  private static func address(_ name: String, in json: JSONObject) throws(OpenIDError) -> String {
    guard let address = try optionalAddress(name, in: json) else {
      throw OpenIDError(.malformed, "The provider's document has no \(name).")
    }
    return address
  }

  private static func optionalAddress(_ name: String, in json: JSONObject) throws(OpenIDError) -> String? {
    guard let value = json[name], !value.isNull else { return nil }
    guard let text = value.stringValue, text.utf8.count <= 2048, let origin = WebOrigin(address: text),
      !text.contains("#"), text.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
    else { throw OpenIDError(.malformed, "The \(name) of the provider's document is not a web address.") }
    guard origin.isConfidential else {
      throw OpenIDError(.malformed, "The \(name) of the provider's document is not https.")
    }
    return text
  }
}
