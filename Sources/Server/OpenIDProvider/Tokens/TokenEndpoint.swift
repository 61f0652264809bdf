internal import OpenIDFormats
internal import Foundation
internal import Hummingbird
internal import JourneyStore
internal import ServerHTTP
internal import StrictJSON

/// `/oauth2/…/access_token`: gives tokens for codes, refresh tokens, decoupled sign-ins and devices (RFC 6749 §3.2).
struct TokenEndpoint: Endpoint {
  let provider: OpenIDProvider

  var routes: [Route] {
    [provider.clientRoute("access_token", give), provider.clientRoute("token/revoke", revoke)]
  }

  private func give(_ asked: ClientRequest) async throws -> Response {
    var asked = asked
    guard let name = asked["grant_type"] else {
      throw OAuthError(.invalidRequest, "The parameter grant_type is missing.")
    }
    guard let type = OpenIDClient.Grant(rawValue: name) else {
      throw OAuthError(.unsupportedGrantType, "There is no such grant_type here.")
    }
    try asked.requireGrant(type, "this grant_type")
    asked.proof = try await provider.proof(of: asked.request, asked.context)
    guard asked.proof != nil || !asked.client.requiresDPoP else {
      throw OAuthError(.invalidDPoPProof, "The client's tokens are bound to a key; send a DPoP proof.")
    }
    let body =
      switch type {
      case .authorizationCode: try await redeem(asked)
      case .refreshToken: try await refresh(asked)
      case .clientCredentials: try await provider.clientToken(asked)
      case .deviceCode: try await DeviceAuthorization(provider: provider).poll(asked)
      case .ciba: try await DecoupledSignIn(provider: provider).poll(asked)
      }
    return .json(body)
  }

  // MARK: Codes

  private static let badCode = OAuthError(.invalidGrant, "The code is unknown, was used, or has expired.")

  private func redeem(_ asked: ClientRequest) async throws -> JSONObject {
    let now = provider.clock()
    guard let code = asked["code"], let key = provider.key(in: code, as: .code, asked.context),
      let grant = try await provider.grants.grant(key), grant.ticketHash == OpenIDHash.stored(code)
    else { throw Self.badCode }
    // Another client learns nothing, and cannot use up the code.
    guard grant.clientID == asked.client.id else {
      throw OAuthError(.invalidGrant, Self.badCode.text, cause: "the code is of client \(grant.clientID)")
    }
    // A code that is only late gave no tokens, and nobody else has it.
    guard now < grant.ticketExpiry || grant.ticketUsedAt != nil else { throw Self.badCode }
    let fits = fits(grant, asked)
    guard fits, let user = try await provider.account(of: grant), grant.ticketUsedAt == nil else {
      // The code was used before, or by somebody who does not know what the client knows. Tokens that were given for it must end.
      _ = try await provider.grants.endGrant(key, now: now)
      if grant.ticketUsedAt != nil || !fits { await provider.noteMisuse(.code, of: grant) }
      throw OAuthError(
        .invalidGrant, Self.badCode.text,
        cause:
          "a code of \(grant.clientID) was used twice, or without what it is bound to; its tokens have ended")
    }
    guard let tokens = try await provider.redeem(grant, for: asked, user: user) else {
      _ = try await provider.grants.endGrant(key, now: now)
      await provider.noteMisuse(.code, of: grant)
      throw Self.badCode
    }
    return tokens
  }

  /// Whether the request has what the code is bound to: the redirect address, the verifier, the key.
  private func fits(_ grant: GrantRecord, _ asked: ClientRequest) -> Bool {
    // The verifier proves who sent the authorization request. Without a challenge, the address has to be repeated (RFC 6749 §4.1.3).
    let uri = asked["redirect_uri"]
    guard uri == grant.details.redirectURI || uri == nil && grant.details.challenge != nil else {
      return false
    }
    if let bound = grant.details.keyThumbprint, bound != asked.proof?.thumbprint { return false }
    return grant.ticketUsedAt != nil
      || AuthorizationRequest.isVerifier(asked["code_verifier"], of: grant.details.challenge)
  }

  // MARK: Refresh

  private static let badToken = OAuthError(
    .invalidGrant, "The refresh token is unknown, was used, or has ended.")

  private func refresh(_ asked: ClientRequest) async throws -> JSONObject {
    let (client, now) = (asked.client, provider.clock())
    guard let token = asked["refresh_token"],
      let key = provider.key(in: token, as: .refresh, asked.context),
      var grant = try await provider.grants.grant(key), grant.clientID == client.id
    else { throw Self.badToken }
    guard let user = try await provider.account(of: grant) else { throw Self.badToken }
    let hash = OpenIDHash.stored(token)
    // The hash comes before the key: a grant that was not bound when a thief used its token is now bound to the thief's key.
    guard grant.refreshHash == hash else { throw try await endReplayed(grant, now: now) }
    if let bound = grant.details.keyThumbprint, bound != asked.proof?.thumbprint {
      throw OAuthError(.invalidGrant, "The refresh token is bound to another key.")
    }
    // An unbound refresh token and all that follow it are bound from now on (RFC 9449 §5).
    var bound: GrantDetails?
    if client.isPublic, grant.details.keyThumbprint == nil, let proof = asked.proof {
      grant.details.keyThumbprint = proof.thumbprint
      bound = grant.details
    }
    grant.details.scopes = try provider.scopes(of: grant, for: client)
    // The nonce belongs to the answer to the first request (OpenID Connect Core §12.2).
    grant.details.nonce = nil
    if let scope = asked["scope"] {
      let asked = scope.split(separator: " ").map(String.init)
      guard Set(asked).isSubset(of: grant.details.scopes), !asked.isEmpty else {
        throw OAuthError(.invalidScope, "A scope was not granted.")
      }
      grant.details.scopes = asked
    }
    let next = try provider.token(.refresh, of: key)
    guard
      try await provider.grants.rotateGrant(
        key, oldHash: hash, newHash: OpenIDHash.stored(next), details: bound, now: now)
    else { throw try await endReplayed(grant, now: now) }
    return try await provider.tokens(of: grant, for: asked, user: user, refreshToken: next)
  }

  /// Ends the grant of a refresh token that is not the latest. Two parties have it, and the server cannot tell which is the thief.
  ///
  /// - Returns: the error for the sender.
  private func endReplayed(_ grant: GrantRecord, now: Date) async throws -> OAuthError {
    _ = try await provider.grants.endGrant(grant.key, now: now)
    await provider.noteMisuse(.refreshToken, of: grant)
    return OAuthError(
      .invalidGrant, Self.badToken.text,
      cause: "a refresh token of \(grant.clientID) was used twice; all of that grant's tokens have ended")
  }

  // MARK: Revocation (RFC 7009)

  private func revoke(_ asked: ClientRequest) async throws -> Response {
    guard let token = asked["token"] else {
      throw OAuthError(.invalidRequest, "The parameter token is missing.")
    }
    var key = provider.key(in: token, as: .refresh, asked.context)
    if key == nil { key = try await provider.accessClaims(token, asked.context)?.key }
    if key == nil, try await provider.ownClaims(token, asked.context)?.clientID == asked.client.id {
      throw OAuthError(.unsupportedTokenType, "A client's own tokens end with their time.")
    }
    // Reveals nothing about unknown tokens or other clients' tokens (§2.2).
    if let key, let grant = try await provider.grants.grant(key), grant.clientID == asked.client.id {
      _ = try await provider.grants.endGrant(key, now: provider.clock())
    }
    return .json([:])
  }
}
