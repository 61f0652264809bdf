internal import Foundation
internal import JOSE
internal import OpenIDFormats
internal import PingLogger
internal import PingStorage
internal import StrictJSON

/// The owner of tokens: the provider that issued them, and the client that they were issued to. Tokens of another owner are never sent.
struct TokenOwner: Codable, Sendable, Hashable {
  /// The provider's issuer in normalized form; unchanged when it is not a web address.
  let issuer: String
  let clientId: String

  private enum CodingKeys: String, CodingKey {
    case issuer
    case clientId = "client_id"
  }

  init(issuer: String, clientId: String) {
    self.issuer = ProviderMetadata.normalized(issuer) ?? issuer
    self.clientId = clientId
  }

  /// Compares bytes, as providers do: to them, names that differ only in their Unicode normalisation are different.
  static func == (left: TokenOwner, right: TokenOwner) -> Bool {
    left.issuer.hasSameBytes(as: right.issuer) && left.clientId.hasSameBytes(as: right.clientId)
  }
}

extension OidcClientConfig {
  /// The owner of this configuration's tokens; `nil` until provider and client are named. It needs no network.
  var tokenOwner: TokenOwner? {
    let known = openId.map { $0.issuer ?? $0.tokenEndpoint }
    let named = issuer ?? ProviderMetadata.issuer(ofDocumentAt: discoveryEndpoint) ?? discoveryEndpoint
    let provider = known ?? named
    guard !provider.isEmpty, !clientId.isEmpty else { return nil }
    return TokenOwner(issuer: provider, clientId: clientId)
  }

  /// The stored tokens, if they are this client's at this provider. Tokens of others are not used, sent or deleted.
  func storedToken() async throws -> Token? {
    guard let token = try await storage.get() else { return nil }
    guard token.belongs(to: tokenOwner) else {
      logger.w(
        "The stored tokens are another provider's or another client's, and are left alone: give each configuration a storage of its own",
        error: nil)
      return nil
    }
    guard sessionDigest == nil || token.session == sessionDigest else {
      logger.i("The stored tokens came by another session, and are not used")
      return nil
    }
    return token
  }
}

extension Token {
  /// Whether the provider of `owner` issued the tokens to the client of `owner`.
  ///
  /// An earlier version, or the app itself, may have stored tokens without their owner. Then the ID token decides. Without a readable one,
  /// the tokens count as those of `owner`, because they are in its storage.
  func belongs(to owner: TokenOwner?) -> Bool {
    if let own = self.owner { return own == owner }
    guard let owner else { return false }
    return idTokenNames(owner) ?? true
  }

  /// Whether the ID token is from the provider of `owner` and for its client; `nil` when there is no readable ID token.
  func idTokenNames(_ owner: TokenOwner) -> Bool? {
    guard let idToken,
      let payload = try? UnverifiedJWS.payload(
        of: idToken, limits: JWSLimits(maximumBytes: IDToken.maximumBytes)),
      let claims = try? JSONObject(parsing: payload), let issuer = claims["iss"]?.stringValue
    else { return nil }
    let audience = claims["aud"]?.arrayValue?.compactMap(\.stringValue) ?? [claims["aud"]?.stringValue ?? ""]
    return TokenOwner(issuer: issuer, clientId: owner.clientId) == owner
      && audience.contains { $0.hasSameBytes(as: owner.clientId) }
  }
}
