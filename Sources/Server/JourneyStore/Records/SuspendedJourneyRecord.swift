public import Foundation

/// A journey that waits.
public struct SuspendedJourneyRecord: Sendable, Hashable {
  public var realm: String

  /// SHA-256 of the link's id, in hexadecimal.
  public var idHash: String

  /// Where the journey stands, with all that it has collected.
  public var content: StoredSecret
  public var createdAt: Date

  /// The time from which it is treated as absent.
  public var expiresAt: Date

  public init(realm: String, idHash: String, content: StoredSecret, createdAt: Date, expiresAt: Date) {
    self.realm = realm
    self.idHash = idHash
    self.content = content
    self.createdAt = createdAt
    self.expiresAt = expiresAt
  }
}
