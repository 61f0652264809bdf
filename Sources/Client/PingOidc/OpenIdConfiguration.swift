/// The addresses of an OpenID provider (OpenID Connect Discovery 1.0 §3).
public struct OpenIdConfiguration: Codable, Sendable, Hashable {
  public let authorizationEndpoint: String
  public let tokenEndpoint: String
  public let userinfoEndpoint: String
  public let endSessionEndpoint: String
  public let revocationEndpoint: String
  /// Ends a session at PingOne without a token of the person.
  public let pingEndsessionEndpoint: String?

  private enum CodingKeys: String, CodingKey {
    case authorizationEndpoint = "authorization_endpoint"
    case tokenEndpoint = "token_endpoint"
    case userinfoEndpoint = "userinfo_endpoint"
    case endSessionEndpoint = "end_session_endpoint"
    case revocationEndpoint = "revocation_endpoint"
    case pingEndsessionEndpoint = "ping_end_idp_session_endpoint"
  }
}
