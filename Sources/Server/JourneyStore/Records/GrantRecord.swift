public import BindingFormats
public import Foundation

/// The key of a grant: its account, and its id among the account's grants.
public struct GrantKey: Sendable, Hashable {
  public let account: UniversalID
  public let id: String

  public init(account: UniversalID, id: String) {
    self.account = account
    self.id = id
  }
}

/// What a grant gives to its client. Stored as JSON, most of it under the names of claims.
public struct GrantDetails: Sendable, Hashable, Codable {
  public var scopes: [String]

  /// The address of the provider that the client knows.
  public var issuer: String?

  /// The account's id, which the client gets as `sub`.
  public var subject: String?

  /// When the person signed in. Seconds since 1970.
  public var authenticatedAt: Int64?
  public var acr: String?

  /// The authentication methods (RFC 8176).
  public var methods: [String]?

  /// The id by which the client knows the session.
  public var sessionID: String?

  /// The nonce and the redirect URI of the request for the code.
  public var nonce: String?
  public var redirectURI: String?

  /// The hash that the client's verifier must have (RFC 7636).
  public var challenge: String?

  /// The thumbprint of the key that the grant is bound to.
  public var keyThumbprint: String?

  /// The id of the push message that asks the person in a decoupled sign-in.
  public var pushMessage: String?

  public init(scopes: [String], issuer: String? = nil, subject: String? = nil) {
    (self.scopes, self.issuer, self.subject) = (scopes, issuer, subject)
  }

  private enum CodingKeys: String, CodingKey {
    case scopes = "scope"
    case issuer = "iss"
    case subject = "sub"
    case authenticatedAt = "auth_time"
    case acr
    case methods = "amr"
    case sessionID = "sid"
    case nonce
    case redirectURI = "redirect"
    case challenge
    case keyThumbprint = "jkt"
    case pushMessage = "push"
  }
}

/// What an account has granted to a client, from the code to the last refresh token. The tokens themselves are never stored, only
/// their SHA-256.
public struct GrantRecord: Sendable, Hashable {
  public var key: GrantKey

  /// The account and the password that granted it. With another password the grant is over.
  public var mark: PasswordMark
  public var clientID: String

  /// The hash of the session in which it was granted; `nil` when it does not depend on one.
  public var sessionHash: [UInt8]?
  public var details: GrantDetails
  public var createdAt: Date

  /// The time at which the grant ends at the latest.
  public var expiresAt: Date

  /// SHA-256 of the code, or of the id of the decoupled sign-in.
  public var ticketHash: [UInt8]
  public var ticketExpiry: Date
  public var ticketUsedAt: Date?

  /// SHA-256 of the refresh token that is good now.
  public var refreshHash: [UInt8]?

  public var endedAt: Date?

  public init(
    key: GrantKey, mark: PasswordMark, clientID: String, sessionHash: [UInt8]?, details: GrantDetails,
    createdAt: Date, expiresAt: Date, ticketHash: [UInt8], ticketExpiry: Date
  ) {
    self.key = key
    self.mark = mark
    self.clientID = clientID
    self.sessionHash = sessionHash
    self.details = details
    self.createdAt = createdAt
    self.expiresAt = expiresAt
    self.ticketHash = ticketHash
    self.ticketExpiry = ticketExpiry
  }

  /// Whether the grant is valid at `now`, as far as this record shows.
  public func isGood(at now: Date) -> Bool { endedAt == nil && now < expiresAt }
}

/// A pending notice to a client that a session has ended (OpenID Connect Back-Channel Logout 1.0).
public struct LogoutNotice: Sendable, Hashable {
  /// The key of the grant that ended with the session.
  public var key: GrantKey
  public var clientID: String
  public var details: GrantDetails

  /// The number of attempts, including this one.
  public var attempts: Int
}

/// Bounds of ``StoredGrants``.
public enum GrantLimits {
  /// Grants that an account can have at once.
  public static let perAccount = 200

  /// How long a logout notice is tried. Seconds.
  public static let noticeLife: TimeInterval = 3600
}
