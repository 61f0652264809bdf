public import Foundation
public import StrictJSON

/// A signed-in session. The token itself is never stored, only its SHA-256.
public struct SessionRecord: Sendable, Hashable {
  /// SHA-256 of the session token's UTF-8 bytes; the primary key.
  public var tokenHash: [UInt8]

  /// `shandle:` followed by random text: names the session to administrators without being usable as a token.
  public var handle: String
  public var realm: String
  public var username: String

  /// The id of its account. A new session is stored only for that account, not for another of the same name; `nil` for any account of that
  /// name. Sessions that were read have one.
  public var accountID: String?
  public var createdAt: Date

  /// Moment of the last request that counts as use; idle expiry is measured from here.
  public var latestAccess: Date

  /// The time without use after which the session ends. Seconds.
  public var maximumIdle: TimeInterval

  /// The time at which the session ends at the latest.
  public var expiresAt: Date

  /// The authentication level that the journey reached.
  public var authLevel: Int

  /// The journey that made the session; `nil` for sessions from before this was recorded.
  public var service: String?

  /// When the user last proved who they are: at ``createdAt`` or before.
  public var authenticatedAt: Date

  /// Session properties, such as `AMCtxId`.
  public var properties: JSONObject

  public init(
    tokenHash: [UInt8], handle: String, realm: String, username: String, accountID: String? = nil,
    createdAt: Date,
    latestAccess: Date, maximumIdle: TimeInterval, expiresAt: Date, properties: JSONObject,
    authLevel: Int = 0, service: String? = nil, authenticatedAt: Date? = nil
  ) {
    self.tokenHash = tokenHash
    self.handle = handle
    self.realm = realm
    self.username = username
    self.accountID = accountID
    self.createdAt = createdAt
    self.latestAccess = latestAccess
    self.maximumIdle = maximumIdle
    self.expiresAt = expiresAt
    self.properties = properties
    self.authLevel = authLevel
    self.service = service
    self.authenticatedAt = authenticatedAt ?? createdAt
  }

  /// Moment at which the session ends if nothing more happens.
  public var idleExpiry: Date { latestAccess.addingTimeInterval(maximumIdle) }
}

/// Which sessions of an account end.
public enum EndingSessions: Sendable, Hashable {
  case all

  /// All live ones but the one whose token has this hash.
  case others(than: [UInt8])

  /// The one whose token has this hash.
  case one([UInt8])
}

/// The numbers of sessions and certificates that were ended.
public struct EndedSessions: Sendable, Hashable {
  public var sessions: Int

  /// SSH certificates that were revoked.
  public var certificates: Int
}
