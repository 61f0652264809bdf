package import JOSE

/// A registered client. The member names in its file are those of RFC 7591 and of the specifications that extend it.
package struct OpenIDClient: Sendable, Hashable {
  /// How the client proves itself at the token endpoint.
  package enum Authentication: String, Sendable, Hashable, CaseIterable {
    /// A public client: an app or a page, which can keep no secret.
    case none
    case clientSecretBasic = "client_secret_basic"
    /// The secret as a parameter of the form. Only for older clients, because forms end up in more logs than headers.
    case clientSecretPost = "client_secret_post"
    case privateKeyJWT = "private_key_jwt"
  }

  package enum Grant: String, Sendable, Hashable, CaseIterable {
    case authorizationCode = "authorization_code"
    case refreshToken = "refresh_token"
    /// For the client itself, without a person (RFC 6749 §4.4).
    case clientCredentials = "client_credentials"
    case ciba = "urn:openid:params:grant-type:ciba"
    /// For a device on which nobody can sign in (RFC 8628).
    case deviceCode = "urn:ietf:params:oauth:grant-type:device_code"
  }

  /// The algorithm that signs the client's ID tokens and logout tokens. Access tokens always have ES256.
  package enum SigningAlgorithm: String, Sendable, Hashable, CaseIterable {
    case es256 = "ES256"
    /// For older clients that support nothing else.
    case rs256 = "RS256"

    package var jws: JWSAlgorithm {
      switch self {
      case .es256: .es256
      case .rs256: .rs256
      }
    }
  }

  package enum AccessTokenFormat: String, Sendable, Hashable, CaseIterable { case jwt, opaque }

  package var id: String
  package var realm: String

  /// What people read when they are asked for consent.
  package var name: String
  package var authentication: Authentication

  /// SHA-256 of the secret.
  package var secretHash: [UInt8]?

  /// The keys that sign the client's assertions.
  package var keys: [JWK] = []
  package var redirectURIs: [String] = []
  package var postLogoutURIs: [String] = []
  package var backchannelLogoutURI: String?
  package var grants: Set<Grant> = [.authorizationCode, .refreshToken]
  package var scopes: Set<String> = ["openid"]

  /// `aud` of access tokens; the issuer when empty.
  package var audience: [String] = []
  package var accessTokenFormat = AccessTokenFormat.jwt

  /// Seconds.
  package var accessTokenLifetime = 300
  package var idTokenLifetime = 300
  package var refreshTokenLifetime = 30 * 86_400

  /// Whether tokens are only given out bound to a key (RFC 9449 §5.2).
  package var requiresDPoP = false

  /// Whether authorization requests must be pushed (RFC 9126 §6).
  package var requiresPushedRequests = false

  /// Whether the person is asked before the client gets anything.
  package var requiresConsent = true

  /// `id_token_signed_response_alg`.
  package var idTokenAlgorithm = SigningAlgorithm.es256

  /// Whether the ID token has the claims of the scopes, too, and not only userinfo.
  package var putsClaimsInIDToken = false

  /// The client's own `acr` values, which override the provider's.
  package var contexts: [String: AuthenticationContext] = [:]

  package var isPublic: Bool { authentication == .none }

  /// The scope with which PingAM lets a client introspect the tokens of other clients.
  package static let introspectsAll = "am-introspect-all-tokens"
}
