internal import OpenIDFormats

/// The addresses of an OpenID provider (OpenID Connect Discovery 1.0 §3).
public struct OpenIdConfiguration: Codable, Sendable, Hashable {
  public let authorizationEndpoint: String
  public let tokenEndpoint: String
  /// The userinfo endpoint. This one and the next two are `""` when the provider has none.
  public let userinfoEndpoint: String
  public let endSessionEndpoint: String
  public let revocationEndpoint: String
  /// The endpoint that ends a PingOne session without the person's token.
  public let pingEndsessionEndpoint: String?

  /// The provider's name in its ID tokens. Without it, no ID token is accepted.
  public let issuer: String?
  /// The address of the provider's signing keys. Without it, no ID token is accepted.
  public let jwksURI: String?
  /// Whether the provider's redirects name its issuer (RFC 9207).
  public let namesIssuerInResponses: Bool?
  /// The endpoint for devices on which nobody can sign in (RFC 8628 §3.1); `nil` when the provider has none.
  public let deviceAuthorizationEndpoint: String?

  /// The endpoint for pushed authorization requests (RFC 9126); `nil` when the provider has none.
  public let pushedAuthorizationRequestEndpoint: String?

  private enum CodingKeys: String, CodingKey {
    case authorizationEndpoint = "authorization_endpoint"
    case tokenEndpoint = "token_endpoint"
    case userinfoEndpoint = "userinfo_endpoint"
    case endSessionEndpoint = "end_session_endpoint"
    case revocationEndpoint = "revocation_endpoint"
    case pingEndsessionEndpoint = "ping_end_idp_session_endpoint"
    case issuer
    case jwksURI = "jwks_uri"
    case pushedAuthorizationRequestEndpoint = "pushed_authorization_request_endpoint"
    case namesIssuerInResponses = "authorization_response_iss_parameter_supported"
    case deviceAuthorizationEndpoint = "device_authorization_endpoint"
  }

  public init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: CodingKeys.self)
    authorizationEndpoint = try members.decode(String.self, forKey: .authorizationEndpoint)
    tokenEndpoint = try members.decode(String.self, forKey: .tokenEndpoint)
    userinfoEndpoint = try members.decodeIfPresent(String.self, forKey: .userinfoEndpoint) ?? ""
    endSessionEndpoint = try members.decodeIfPresent(String.self, forKey: .endSessionEndpoint) ?? ""
    revocationEndpoint = try members.decodeIfPresent(String.self, forKey: .revocationEndpoint) ?? ""
    pingEndsessionEndpoint = try members.decodeIfPresent(String.self, forKey: .pingEndsessionEndpoint)
    issuer = try members.decodeIfPresent(String.self, forKey: .issuer)
    jwksURI = try members.decodeIfPresent(String.self, forKey: .jwksURI)
    pushedAuthorizationRequestEndpoint = try members.decodeIfPresent(
      String.self, forKey: .pushedAuthorizationRequestEndpoint)
    namesIssuerInResponses = try members.decodeIfPresent(Bool.self, forKey: .namesIssuerInResponses)
    deviceAuthorizationEndpoint = try members.decodeIfPresent(
      String.self, forKey: .deviceAuthorizationEndpoint)
  }

  /// The addresses in a discovery document that was checked.
  init(_ metadata: ProviderMetadata) {
    authorizationEndpoint = metadata.authorizationEndpoint
    tokenEndpoint = metadata.tokenEndpoint
    userinfoEndpoint = metadata.userinfoEndpoint ?? ""
    endSessionEndpoint = metadata.endSessionEndpoint ?? ""
    revocationEndpoint = metadata.revocationEndpoint ?? ""
    pingEndsessionEndpoint = metadata.pingEndSessionEndpoint
    issuer = metadata.issuer
    jwksURI = metadata.jwksURI
    pushedAuthorizationRequestEndpoint = metadata.pushedAuthorizationRequestEndpoint
    namesIssuerInResponses = metadata.namesIssuerInResponses
    deviceAuthorizationEndpoint = metadata.deviceAuthorizationEndpoint
  }
}
