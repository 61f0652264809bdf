internal import JourneyStore
internal import OpenIDFormats
internal import StrictJSON

/// The claims of an access token (RFC 9068 §2.2).
struct AccessClaims: Codable {
  let issuer: String
  let subject: String
  let audience: TokenAudience
  let clientID: String
  /// Seconds since 1970, as in all of these claims.
  let issuedAt: Int64
  let expiresAt: Int64
  let id: String
  /// Scopes, with spaces between them.
  var scope: String
  var authenticatedAt: Int64?
  var acr: String?
  var confirmation: Confirmation?

  /// The sealed ``GrantLocator``; only in signed tokens of people.
  var grant: String?

  /// The key that the token is bound to (RFC 9449 §6.1).
  struct Confirmation: Codable {
    let keyThumbprint: String

    enum CodingKeys: String, CodingKey { case keyThumbprint = "jkt" }
  }

  var keyThumbprint: String? { confirmation?.keyThumbprint }
  var scopes: [String] { scope.split(separator: " ").map(String.init) }

  /// The introspection response for resource servers (RFC 7662 §2.2).
  func introspection() throws -> JSONObject {
    var open = self
    open.grant = nil
    var answer = try JSONObject(parsing: StoredJSON.bytes(of: open))
    answer["active"] = true
    answer["token_type"] = confirmation == nil ? "Bearer" : "DPoP"
    return answer
  }

  private enum CodingKeys: String, CodingKey {
    case issuer = "iss", subject = "sub", audience = "aud", clientID = "client_id", issuedAt = "iat"
    case expiresAt = "exp", id = "jti", scope, authenticatedAt = "auth_time", acr, confirmation = "cnf", grant
  }
}

/// The sealed content of an opaque access token: its claims and its grant.
struct OpaqueAccessToken {
  let claims: AccessClaims
  let locator: GrantLocator
}

extension OpaqueAccessToken: Codable {
  init(from decoder: any Decoder) throws {
    (claims, locator) = (try AccessClaims(from: decoder), try GrantLocator(from: decoder))
  }

  func encode(to encoder: any Encoder) throws {
    try claims.encode(to: encoder)
    try locator.encode(to: encoder)
  }
}

/// The claims that are read from an `id_token_hint`.
struct IDTokenHint: Decodable {
  let issuer: String
  let subject: String
  let audience: TokenAudience
  let sessionID: String?

  private enum CodingKeys: String, CodingKey {
    case issuer = "iss", subject = "sub", audience = "aud", sessionID = "sid"
  }
}
