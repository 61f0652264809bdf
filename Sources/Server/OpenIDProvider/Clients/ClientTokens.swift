internal import DPoP
internal import Foundation
internal import JOSE
internal import ServerHTTP
internal import StrictJSON

/// The tokens of clients that act for themselves (RFC 6749 §4.4): no person, no session, no refresh token.
///
/// No grant is stored for them, so that they cannot be revoked one by one: they end with their time, and all at once when the client is
/// taken out of the file or loses the grant type there.
extension OpenIDProvider {
  /// The answer of the token endpoint.
  func clientToken(
    _ parameters: [String: String], _ client: OpenIDClient, _ proof: VerifiedDPoPProof?,
    _ context: ResourceContext
  ) async throws -> JSONObject {
    let scopes = try AuthorizationRequest.ownScopes(parameters["scope"], client: client)
    var claims = accessClaims(subject: client.id, scopes: scopes, for: client, context)
    if let proof { claims["cnf"] = ["jkt": .string(proof.thumbprint)] }
    let token: String
    switch client.accessTokenFormat {
    case .jwt: token = try await signed(claims, type: "at+jwt")
    case .opaque: token = try tickets.seal(claims, as: .clientAccess, realm: context.realm)
    }
    return [
      "access_token": .string(token), "token_type": proof == nil ? "Bearer" : "DPoP",
      "expires_in": .integer(Int64(client.accessTokenLifetime)),
      "scope": .string(scopes.joined(separator: " ")),
    ]
  }

  /// The claims of a client's own token that is good now; else `nil`.
  func ownClaims(_ text: String, _ context: ResourceContext) async throws -> JSONObject? {
    let claims: JSONObject?
    if text.contains(".") {
      // Tokens of people name their grant, and are never taken for a client's.
      claims = try await verified(text, type: "at+jwt").flatMap { $0["grant"] == nil ? $0 : nil }
    } else {
      claims = tickets.open(text, as: .clientAccess, realm: context.realm)
    }
    guard let claims, let id = claims["client_id"]?.stringValue, claims["sub"]?.stringValue == id,
      isOwn(claims["iss"], context), let end = claims["exp"]?.doubleValue,
      clock().timeIntervalSince1970 < end,
      file.clients.client(id, realm: context.realm)?.grants.contains(.clientCredentials) == true
    else { return nil }
    return claims
  }

  /// The claims that every access token has (RFC 9068 §2.2).
  func accessClaims(
    subject: String, scopes: [String], for client: OpenIDClient, _ context: ResourceContext
  ) -> JSONObject {
    let issuer = issuer(context)
    let now = Int64(clock().timeIntervalSince1970)
    let audience = client.audience.isEmpty ? [issuer] : client.audience
    return [
      "iss": .string(issuer), "sub": .string(subject),
      "aud": audience.count == 1 ? .string(audience[0]) : .array(audience.map(JSONValue.string)),
      "client_id": .string(client.id), "iat": .integer(now),
      "exp": .integer(now + Int64(client.accessTokenLifetime)), "jti": .string(random()),
      "scope": .string(scopes.joined(separator: " ")),
    ]
  }

  func signed(_ claims: JSONObject, type: String) async throws -> String {
    try await keys.current().sign(claims, type: type)
  }

  /// The claims of a token of that type that a published key of this server has signed, with that key's algorithm.
  ///
  /// - Parameter algorithms: that tokens of this type may have.
  func verified(
    _ text: String, type: String, _ algorithms: [OpenIDClient.SigningAlgorithm] = [.es256]
  ) async throws -> JSONObject? {
    guard let token = try? UnverifiedJWS(compact: text), token.header.type == type,
      let algorithm = algorithms.first(where: { $0.jws == token.header.algorithm }),
      let signing = try await keys.published(algorithm).first(where: { $0.id == token.header.keyID })
    else { return nil }
    return try? token.verified(with: VerificationKey(signing.jwk), allowing: [algorithm.jws]).claims()
  }
}
