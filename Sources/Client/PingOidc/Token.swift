package import Foundation

/// The tokens of a person (RFC 6749 §5.1, OpenID Connect Core 1.0 §3.1.3.3). Secrets: the description omits them.
public struct Token: Codable, Sendable {
  /// Grants access to protected resources. A secret.
  public let accessToken: String
  /// How the access token is sent, usually `Bearer`.
  public let tokenType: String?
  /// The scopes that were granted, separated by spaces.
  public let scope: String?
  /// The access token's lifetime in seconds.
  public let expiresIn: Int64
  /// Obtains the next access token. A secret.
  public let refreshToken: String?
  /// The person's identity, as a signed JWT.
  public let idToken: String?
  /// The access token's expiry, in seconds since 1970.
  public let expiresAt: Int64
  /// The owner of the tokens; `nil` when an earlier version or the app stored them.
  var owner: TokenOwner?
  /// SHA-256 of the journey's session that the tokens came by; `nil` for tokens that came another way.
  var session: String?

  private enum CodingKeys: String, CodingKey {
    case accessToken = "access_token"
    case tokenType = "token_type"
    case scope
    case expiresIn = "expires_in"
    case refreshToken = "refresh_token"
    case idToken = "id_token"
    case expiresAt = "expires_at"
    case owner = "sealring_owner"
    case session = "sealring_session"
  }
}

extension Token {
  /// Tokens that are valid for `expiresIn` seconds from now.
  public init(
    accessToken: String, tokenType: String?, scope: String?, expiresIn: Int64, refreshToken: String?,
    idToken: String?
  ) {
    self.init(
      accessToken: accessToken, tokenType: tokenType, scope: scope, expiresIn: expiresIn,
      refreshToken: refreshToken, idToken: idToken, issuedAt: Date())
  }

  /// Tokens that are valid for `expiresIn` seconds from `issuedAt`.
  package init(
    accessToken: String, tokenType: String?, scope: String?, expiresIn: Int64, refreshToken: String?,
    idToken: String?, issuedAt: Date
  ) {
    self.init(
      accessToken: accessToken, tokenType: tokenType, scope: scope, expiresIn: expiresIn,
      refreshToken: refreshToken, idToken: idToken, expiresAt: Self.end(of: expiresIn, from: issuedAt))
  }

  /// Reads a server's answer, whose tokens are valid from now, or a stored token with its expiry.
  public init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: CodingKeys.self)
    accessToken = try members.decode(String.self, forKey: .accessToken)
    tokenType = try members.decodeIfPresent(String.self, forKey: .tokenType)
    scope = try members.decodeIfPresent(String.self, forKey: .scope)
    expiresIn = try members.decodeIfPresent(Int64.self, forKey: .expiresIn) ?? 0
    refreshToken = try members.decodeIfPresent(String.self, forKey: .refreshToken)
    idToken = try members.decodeIfPresent(String.self, forKey: .idToken)
    expiresAt =
      try members.decodeIfPresent(Int64.self, forKey: .expiresAt) ?? Self.end(of: expiresIn, from: Date())
    owner = try members.decodeIfPresent(TokenOwner.self, forKey: .owner)
    session = try members.decodeIfPresent(String.self, forKey: .session)
  }

  /// Returns the same tokens with `owner` as their owner.
  func owned(by owner: TokenOwner) -> Token {
    var owned = self
    owned.owner = owner
    return owned
  }

  /// Whether the access token has expired.
  public var isExpired: Bool { isExpired(threshold: 0) }

  /// Whether the access token has expired, or will within `threshold` seconds.
  public func isExpired(threshold: Int64) -> Bool { isExpired(threshold: threshold, at: Date()) }

  package func isExpired(threshold: Int64, at now: Date) -> Bool {
    let (latest, overflow) = expiresAt.subtractingReportingOverflow(threshold)
    return Int64(now.timeIntervalSince1970) >= (overflow ? (threshold > 0 ? .min : .max) : latest)
  }

  /// A server may send any number; a sum that overflows is `Int64.max`.
  private static func end(of seconds: Int64, from start: Date) -> Int64 {
    let (end, overflow) = Int64(start.timeIntervalSince1970).addingReportingOverflow(seconds)
    return overflow ? .max : end
  }
}

extension Token: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  public var description: String {
    "Token(accessToken: redacted, tokenType: \(tokenType ?? "nil"), scope: \(scope ?? "nil"), expiresAt: \(expiresAt))"
  }

  public var debugDescription: String { description }

  /// Hides the tokens from debuggers and `dump` as well.
  public var customMirror: Mirror {
    Mirror(self, children: ["scope": scope as Any, "expiresAt": expiresAt])
  }
}
