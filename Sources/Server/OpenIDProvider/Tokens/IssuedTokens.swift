internal import BindingFormats
internal import Bytes
internal import OpenIDFormats
internal import Foundation
internal import JOSE
internal import JourneyStore
internal import ServerHTTP
internal import StrictJSON

extension OpenIDProvider {
  // MARK: Making

  /// Uses up a grant's ticket (a code, a device code or a decoupled sign-in) and issues its tokens.
  ///
  /// - Returns: `nil` when the ticket was used already.
  func redeem(
    _ grant: GrantRecord, for asked: ClientRequest, user: UserRecord
  ) async throws -> JSONObject? {
    let client = asked.client
    let granted = try scopes(of: grant, for: client)
    var redeemed = grant
    redeemed.details.issuer = issuer(asked.context)
    // A confidential client proves itself with each refresh; a public one has only its key.
    redeemed.details.keyThumbprint = client.isPublic ? asked.proof?.thumbprint : nil
    redeemed.details.challenge = nil
    redeemed.details.pushMessage = nil
    let refreshToken = client.grants.contains(.refreshToken) ? try token(.refresh, of: grant.key) : nil
    guard
      try await grants.redeemGrant(
        grant.key, ticketHash: grant.ticketHash, details: redeemed.details,
        refreshHash: refreshToken.map(OpenIDHash.stored), now: clock())
    else { return nil }
    redeemed.details.scopes = granted
    return try await tokens(of: redeemed, for: asked, user: user, refreshToken: refreshToken)
  }

  /// The scopes of a grant that its client may still have: the file may have changed since.
  ///
  /// - Throws: `invalid_grant` when none is left.
  func scopes(of grant: GrantRecord, for client: OpenIDClient) throws(OAuthError) -> [String] {
    let scopes = grant.details.scopes.filter(client.scopes.contains)
    guard !scopes.isEmpty else {
      throw OAuthError(
        .invalidGrant, "The client is registered for none of the scopes that were granted.",
        cause: "client \(client.id) is registered for none of the scopes that were granted to it")
    }
    return scopes
  }

  /// The answer of the token endpoint (RFC 6749 §5.1, OpenID Connect Core §3.1.3.3).
  func tokens(
    of grant: GrantRecord, for asked: ClientRequest, user: UserRecord, refreshToken: String?
  ) async throws -> JSONObject {
    let access = try await accessToken(of: grant, for: asked, user: user)
    var body: JSONObject = [
      "access_token": .string(access), "token_type": .string(asked.proof == nil ? "Bearer" : "DPoP"),
      "expires_in": .integer(Int64(asked.client.accessTokenLifetime)),
      "scope": .string(grant.details.scopes.joined(separator: " ")),
    ]
    body["refresh_token"] = refreshToken.map(JSONValue.string)
    if grant.details.scopes.contains("openid") {
      body["id_token"] = .string(try await idToken(of: grant, for: asked, user: user, accessToken: access))
    }
    return body
  }

  /// A token of ``TicketSealing`` that names the grant, fresh each time.
  func token(_ purpose: TicketSealing.Purpose, of key: GrantKey) throws -> String {
    try tickets.seal(GrantLocator(key), as: purpose, realm: key.account.realm)
  }

  private func accessToken(
    of grant: GrantRecord, for asked: ClientRequest, user: UserRecord
  ) async throws -> String {
    var claims = accessClaims(subject: user.id, scopes: grant.details.scopes, for: asked)
    claims.authenticatedAt = grant.details.authenticatedAt
    claims.acr = grant.details.acr
    let (locator, realm) = (GrantLocator(grant.key), asked.context.realm)
    switch asked.client.accessTokenFormat {
    case .jwt:
      claims.grant = try tickets.seal(locator, as: .access, realm: realm)
      return try await signed(claims)
    case .opaque:
      return try tickets.seal(
        OpaqueAccessToken(claims: claims, locator: locator), as: .access, realm: realm)
    }
  }

  /// OpenID Connect Core §2.
  private func idToken(
    of grant: GrantRecord, for asked: ClientRequest, user: UserRecord, accessToken: String
  ) async throws -> String {
    let (client, now) = (asked.client, Int64(clock().timeIntervalSince1970))
    var claims: JSONObject = [
      "iss": .string(issuer(asked.context)), "sub": .string(user.id), "aud": .string(client.id),
      "iat": .integer(now), "exp": .integer(now + Int64(client.idTokenLifetime)),
      "at_hash": .string(IDToken.halfHash(of: accessToken, client.idTokenAlgorithm.jws)),
    ]
    let details = grant.details
    claims["auth_time"] = details.authenticatedAt.map(JSONValue.integer)
    claims["amr"] = details.methods.map { .array($0.map(JSONValue.string)) }
    for (name, value) in [("nonce", details.nonce), ("acr", details.acr), ("sid", details.sessionID)] {
      claims[name] = value.map(JSONValue.string)
    }
    if client.putsClaimsInIDToken {
      claims.merge(standardClaims(of: grant.details.scopes, user))
    }
    return try await keys.current(client.idTokenAlgorithm).sign(claims, type: "JWT")
  }

  // MARK: Reading

  /// An access token that is good now.
  struct AccessToken {
    let claims: AccessClaims
    let grant: GrantRecord
    let user: UserRecord
  }

  /// The access token, if this realm issued it, it has not expired, and its grant is valid; else `nil`.
  func accessToken(_ text: String, _ context: ResourceContext) async throws -> AccessToken? {
    guard let (signed, key) = try await accessClaims(text, context), isGood(signed, context),
      let claims = current(signed, context),
      let grant = try await grants.grant(key), grant.clientID == claims.clientID,
      let user = try await account(of: grant)
    else { return nil }
    return AccessToken(claims: claims, grant: grant, user: user)
  }

  /// The token's claims and the key of its grant, whether or not the token is still valid.
  func accessClaims(
    _ text: String, _ context: ResourceContext
  ) async throws -> (claims: AccessClaims, key: GrantKey)? {
    guard text.contains(".") else {
      let token: OpaqueAccessToken? = tickets.open(text, as: .access, realm: context.realm)
      return token.map { ($0.claims, $0.locator.key(realm: context.realm)) }
    }
    guard let claims: AccessClaims = try await verified(text, type: "at+jwt"),
      let key = key(in: claims.grant, as: .access, context)
    else { return nil }
    return (claims, key)
  }

  /// The claims of an ID token of this realm, even of an expired one.
  func hint(_ text: String, _ context: ResourceContext) async throws -> IDTokenHint? {
    let algorithms = file.clients.signingAlgorithms(realm: context.realm)
    let hint: IDTokenHint? = try await verified(text, type: "JWT", algorithms)
    return hint.flatMap { isOwn($0.issuer, context) ? $0 : nil }
  }
}
