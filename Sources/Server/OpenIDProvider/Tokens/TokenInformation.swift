internal import OpenIDFormats
internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import JourneyFiles
internal import JourneyStore
internal import ServerHTTP
internal import StrictJSON

/// Information about tokens: `/oauth2/…/userinfo` for those who hold one (OpenID Connect Core §5.3), `/oauth2/…/introspect` for those who
/// receive one (RFC 7662).
struct TokenInformation: Endpoint {
  let provider: OpenIDProvider

  var routes: [Route] {
    [
      Route(
        "userinfo", [.get: userinfo, .post: userinfo], admission: .session, below: "oauth2",
        takesForms: true),
      provider.clientRoute("introspect", introspect),
    ]
  }

  private func userinfo(_ request: Request, in context: ResourceContext) async throws -> Response {
    try await provider.answering(request, context) {
      // The token is read from the header only, because addresses and forms end up in logs.
      let parts = (request.headers[.authorization] ?? "").split(separator: " ", maxSplits: 1)
      guard parts.count == 2, ["bearer", "dpop"].contains(parts[0].lowercased()) else {
        throw OAuthError(.invalidToken, "Send the access token in the header Authorization.")
      }
      let text = String(parts[1])
      guard let token = try await provider.accessToken(text, context) else {
        throw OAuthError(.invalidToken, "The access token is unknown or has ended.")
      }
      // A bound token is not accepted without its key (RFC 9449 §7.1).
      let isDPoP = parts[0].lowercased() == "dpop"
      guard isDPoP == (token.claims.keyThumbprint != nil) else {
        throw OAuthError(.invalidToken, "The access token is sent in the wrong scheme.")
      }
      if isDPoP {
        guard let proof = try await provider.proof(of: request, token: text, context) else {
          throw OAuthError(.invalidDPoPProof, "The DPoP proof is missing.")
        }
        guard proof.thumbprint == token.claims.keyThumbprint else {
          throw OAuthError(.invalidToken, "The access token is bound to another key.")
        }
      }
      guard token.claims.scopes.contains("openid") else {
        throw OAuthError(.insufficientScope, "The access token is not for userinfo.")
      }
      var claims: JSONObject = ["sub": .string(token.user.id)]
      claims.merge(
        provider.standardClaims(of: token.claims.scopes, token.user))
      return .json(claims)
    }
  }

  private func introspect(_ asked: ClientRequest) async throws -> Response {
    guard !asked.client.isPublic else {
      throw OAuthError(.invalidClient, "Only clients that prove themselves may introspect tokens.")
    }
    guard let text = asked["token"] else {
      throw OAuthError(.invalidRequest, "The parameter token is missing.")
    }
    return .json(try await state(of: text, for: asked.client, asked.context) ?? ["active": false])
  }

  /// The introspection response for a token; `nil` for one that has ended, is unknown, or is not for this client.
  private func state(
    of text: String, for client: OpenIDClient, _ context: ResourceContext
  ) async throws -> JSONObject? {
    let token = try await provider.accessToken(text, context)
    var claims = token?.claims
    if claims == nil { claims = try await provider.ownClaims(text, context) }
    if let claims {
      guard mayRead(client, of: claims) else { return nil }
      var answer = try claims.introspection()
      answer["username"] = token.map { .string($0.user.username) }
      answer["realm"] = .string(context.realm.realmPath)
      return answer
    }
    guard
      let key = provider.key(in: text, as: .refresh, context),
      let grant = try await provider.grants.grant(key), grant.refreshHash == OpenIDHash.stored(text),
      let user = try await provider.account(of: grant),
      // Resource servers receive access tokens. A refresh token is only for its own client.
      grant.clientID == client.id,
      let scopes = try? provider.scopes(of: grant, for: client)
    else { return nil }
    var answer: JSONObject = [
      "active": true, "token_type": "refresh_token", "client_id": .string(grant.clientID),
      "scope": .string(scopes.joined(separator: " ")), "sub": .string(user.id),
      "username": .string(user.username), "exp": .integer(Int64(grant.expiresAt.timeIntervalSince1970)),
      "iss": .string(provider.issuer(context)), "realm": .string(context.realm.realmPath),
    ]
    if let thumbprint = grant.details.keyThumbprint { answer["cnf"] = ["jkt": .string(thumbprint)] }
    return answer
  }

  /// Whether a client may introspect an access token: its own, one that is meant for it, or any token with PingAM's scope for that.
  private func mayRead(_ client: OpenIDClient, of claims: AccessClaims) -> Bool {
    claims.clientID == client.id || claims.audience.names.contains(client.id)
      || client.scopes.contains(OpenIDClient.introspectsAll)
  }
}
