internal import OpenIDFormats
internal import Foundation
internal import JOSE
internal import JourneyStore
internal import ServerHTTP
internal import StrictJSON

/// The tokens of clients that act for themselves (RFC 6749 §4.4): no person, no session, no refresh token.
///
/// No grant is stored for them, so they cannot be revoked one by one. They expire, and they end all at once when the client is removed from
/// the file or loses the grant type there.
extension OpenIDProvider {
  /// The answer of the token endpoint.
  func clientToken(_ asked: ClientRequest) async throws -> JSONObject {
    let client = asked.client
    let scopes = try AuthorizationRequest.ownScopes(asked["scope"], client: client)
    let claims = accessClaims(subject: client.id, scopes: scopes, for: asked)
    let token: String
    switch client.accessTokenFormat {
    case .jwt: token = try await signed(claims)
    case .opaque: token = try tickets.seal(claims, as: .clientAccess, realm: asked.context.realm)
    }
    return [
      "access_token": .string(token), "token_type": asked.proof == nil ? "Bearer" : "DPoP",
      "expires_in": .integer(Int64(client.accessTokenLifetime)),
      "scope": .string(scopes.joined(separator: " ")),
    ]
  }

  /// The claims of a client's own token; `nil` if the token is not valid now.
  func ownClaims(_ text: String, _ context: ResourceContext) async throws -> AccessClaims? {
    let claims: AccessClaims?
    if text.contains(".") {
      claims = try await verified(text, type: "at+jwt")
    } else {
      claims = tickets.open(text, as: .clientAccess, realm: context.realm)
    }
    // Tokens of people name their grant, and are never taken for a client's.
    guard let claims, claims.grant == nil, claims.subject == claims.clientID, isGood(claims, context),
      file.clients.client(claims.clientID, realm: context.realm)?.grants.contains(.clientCredentials) == true
    else { return nil }
    return current(claims, context)
  }

  /// The claims, reduced to the scopes that their client still has; `nil` when none is left or the client is not registered.
  func current(_ claims: AccessClaims, _ context: ResourceContext) -> AccessClaims? {
    guard let client = file.clients.client(claims.clientID, realm: context.realm) else { return nil }
    let scopes = claims.scopes.filter(client.scopes.contains)
    guard !scopes.isEmpty || claims.scopes.isEmpty else { return nil }
    var claims = claims
    claims.scope = scopes.joined(separator: " ")
    return claims
  }

  /// Whether the token has not expired and was issued by this realm.
  func isGood(_ claims: AccessClaims, _ context: ResourceContext) -> Bool {
    clock().timeIntervalSince1970 < TimeInterval(claims.expiresAt) && isOwn(claims.issuer, context)
  }

  /// The claims that every access token has.
  func accessClaims(subject: String, scopes: [String], for asked: ClientRequest) -> AccessClaims {
    let (client, issuer) = (asked.client, issuer(asked.context))
    let now = Int64(clock().timeIntervalSince1970)
    return AccessClaims(
      issuer: issuer, subject: subject,
      audience: TokenAudience(client.audience.isEmpty ? [issuer] : client.audience), clientID: client.id,
      issuedAt: now, expiresAt: now + Int64(client.accessTokenLifetime), id: random(),
      scope: scopes.joined(separator: " "),
      confirmation: asked.proof.map { AccessClaims.Confirmation(keyThumbprint: $0.thumbprint) })
  }

  func signed(_ claims: AccessClaims) async throws -> String {
    try await keys.current().sign(try StoredJSON.bytes(of: claims), type: "at+jwt")
  }

  /// Verifies a token of that type by this server's published keys, each with its own algorithm, and returns its claims.
  ///
  /// - Parameter algorithms: the algorithms that tokens of this type may have.
  func verified<Claims: Decodable>(
    _ text: String, type: String, _ algorithms: [OpenIDClient.SigningAlgorithm] = [.es256]
  ) async throws -> Claims? {
    guard let token = try? UnverifiedJWS(compact: text), token.header.type == type,
      let algorithm = algorithms.first(where: { $0.jws == token.header.algorithm }),
      let signing = try await keys.published(algorithm).first(where: { $0.id == token.header.keyID })
    else { return nil }
    let verified = try? token.verified(with: VerificationKey(signing.jwk), allowing: [algorithm.jws])
    return verified.flatMap { StoredJSON.value(from: $0.payload) }
  }
}
