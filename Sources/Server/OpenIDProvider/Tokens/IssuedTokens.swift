internal import BindingFormats
internal import Bytes
internal import Foundation
internal import JOSE
internal import JourneyStore
internal import OpenIDFormats
internal import ServerHTTP
internal import StrictJSON

extension OpenIDProvider {
  // MARK: Making

  /// The answer of the token endpoint (RFC 6749 §5.1, OpenID Connect Core §3.1.3.3).
  ///
  /// - Parameter keyThumbprint: of the key that the access token is bound to.
  func tokens(
    of grant: GrantRecord, for client: OpenIDClient, user: UserRecord, keyThumbprint: String?,
    refreshToken: String?, _ context: ResourceContext
  ) async throws -> JSONObject {
    let access = try await accessToken(
      of: grant, for: client, user: user, keyThumbprint: keyThumbprint, context)
    var body: JSONObject = [
      "access_token": .string(access), "token_type": .string(keyThumbprint == nil ? "Bearer" : "DPoP"),
      "expires_in": .integer(Int64(client.accessTokenLifetime)),
      "scope": .string(grant.details.scopes.joined(separator: " ")),
    ]
    body["refresh_token"] = refreshToken.map(JSONValue.string)
    if grant.details.scopes.contains("openid") {
      body["id_token"] = .string(
        try await idToken(of: grant, for: client, user: user, accessToken: access, context))
    }
    return body
  }

  /// A token of ``TicketSealing`` that names the grant, fresh each time.
  func token(_ purpose: TicketSealing.Purpose, of key: GrantKey) throws -> String {
    try tickets.seal(Self.locator(key, random: random()), as: purpose, realm: key.account.realm)
  }

  private func accessToken(
    of grant: GrantRecord, for client: OpenIDClient, user: UserRecord, keyThumbprint: String?,
    _ context: ResourceContext
  ) async throws -> String {
    var claims = accessClaims(
      subject: user.id, scopes: grant.details.scopes, for: client, context)
    claims["auth_time"] = grant.details.authenticatedAt.map(JSONValue.integer)
    claims["acr"] = grant.details.acr.map(JSONValue.string)
    if let keyThumbprint { claims["cnf"] = ["jkt": .string(keyThumbprint)] }
    switch client.accessTokenFormat {
    case .jwt:
      claims["grant"] = .string(
        try tickets.seal(Self.locator(grant.key, random: ""), as: .access, realm: context.realm))
      return try await signed(claims, type: "at+jwt")
    case .opaque:
      for (name, value) in Self.locator(grant.key, random: random()) { claims[name] = value }
      return try tickets.seal(claims, as: .access, realm: context.realm)
    }
  }

  /// OpenID Connect Core §2.
  private func idToken(
    of grant: GrantRecord, for client: OpenIDClient, user: UserRecord, accessToken: String,
    _ context: ResourceContext
  ) async throws -> String {
    let now = Int64(clock().timeIntervalSince1970)
    var claims: JSONObject = [
      "iss": .string(issuer(context)), "sub": .string(user.id), "aud": .string(client.id),
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
    let claims: JSONObject
    let grant: GrantRecord
    let user: UserRecord

    var keyThumbprint: String? { claims["cnf"]?["jkt"]?.stringValue }
    var scopes: [String] {
      (claims["scope"]?.stringValue ?? "").split(separator: " ").map(String.init)
    }
  }

  /// The token, if this realm gave it out, its time has not run out, and its grant goes on; else `nil`.
  func accessToken(_ text: String, _ context: ResourceContext) async throws -> AccessToken? {
    guard let (claims, key) = try await accessClaims(text, context),
      let end = claims["exp"]?.doubleValue, clock().timeIntervalSince1970 < end,
      isOwn(claims["iss"], context), let grant = try await grants.grant(key),
      grant.clientID == claims["client_id"]?.stringValue, let user = try await account(of: grant)
    else { return nil }
    return AccessToken(claims: claims, grant: grant, user: user)
  }

  /// What the token says and which grant it names, whether or not it is still good.
  func accessClaims(
    _ text: String, _ context: ResourceContext
  ) async throws -> (claims: JSONObject, key: GrantKey)? {
    guard text.contains(".") else {
      guard let claims = tickets.open(text, as: .access, realm: context.realm), claims["client_id"] != nil,
        let key = Self.key(claims, realm: context.realm)
      else { return nil }
      return (claims, key)
    }
    guard let claims = try await verified(text, type: "at+jwt"),
      let key = Self.key(
        tickets.open(claims["grant"]?.stringValue, as: .access, realm: context.realm), realm: context.realm)
    else { return nil }
    return (claims, key)
  }

  /// The claims of an ID token of this realm, also of one whose time is over: for `id_token_hint`.
  func hint(_ text: String, _ context: ResourceContext) async throws -> JSONObject? {
    let algorithms = file.clients.signingAlgorithms(realm: context.realm)
    guard let claims = try await verified(text, type: "JWT", algorithms), isOwn(claims["iss"], context) else {
      return nil
    }
    return claims
  }
}
