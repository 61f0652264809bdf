public import Foundation

/// What waits for its person, encrypted: journeys until somebody comes back by a link, and devices that ask for tokens (RFC 8628) until
/// somebody types their code.
public protocol SuspendedJourneyStore: Sendable {
  /// Stores the journey; what it holds is encrypted. Throws ``StoreError/conflict(_:)`` when the hash is taken, and
  /// ``StoreError/missing(_:)`` when the realm was deleted.
  func suspendJourney(_ journey: SuspendedJourneyRecord) async throws

  /// Removes the journey and returns its content; `nil` unless it is stored for this realm and not expired at `now`. One conditional
  /// write: of several callers exactly one gets it.
  func resumeJourney(idHash: String, realm: String, now: Date) async throws -> StoredSecret?

  /// The content, which stays; `nil` as for ``resumeJourney(idHash:realm:now:)``.
  func suspendedJourney(idHash: String, realm: String, now: Date) async throws -> StoredSecret?
}

/// A journey that waits.
public struct SuspendedJourneyRecord: Sendable, Hashable {
  public var realm: String

  /// SHA-256 of the link's id, in hexadecimal.
  public var idHash: String

  /// Where the journey stands, with all that it has collected.
  public var content: StoredSecret
  public var createdAt: Date

  /// From then on it is treated as absent.
  public var expiresAt: Date

  public init(realm: String, idHash: String, content: StoredSecret, createdAt: Date, expiresAt: Date) {
    self.realm = realm
    self.idHash = idHash
    self.content = content
    self.createdAt = createdAt
    self.expiresAt = expiresAt
  }
}
