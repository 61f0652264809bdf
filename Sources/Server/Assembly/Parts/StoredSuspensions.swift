internal import Foundation
internal import JourneyEngine
internal import JourneyStore
internal import PasswordHashing
internal import ServerHTTP

/// The engine's suspended journeys, kept in the store.
struct StoredSuspensions: SuspendedJourneys {
  let store: any ServerStore
  let requests: RequestLimits

  /// Thrown when an address has as many waiting journeys as it may.
  private struct TooMany: ServiceFailure, CustomStringConvertible {
    let wait: Int
    var isUnavailability: Bool { true }
    var description: String {
      "the client's address has begun too many journeys that wait for a link; the next one can in \(wait) s"
    }
  }

  func keep(_ journey: SuspendedJourney) async throws {
    // A journey can be made to wait without any proof, and its link may never be sent.
    let wait = requests.admit(suspensionFrom: WaitingSource.current, bytes: journey.content.count)
    if let wait { throw TooMany(wait: wait) }
    try await store.suspendJourney(
      SuspendedJourneyRecord(
        realm: journey.key.realm, idHash: journey.key.hash, content: StoredSecret(journey.content),
        createdAt: journey.createdAt, expiresAt: journey.expiresAt))
  }

  func take(_ key: SuspendedJourney.Key, now: Date) async throws -> [UInt8]? {
    try await store.resumeJourney(idHash: key.hash, realm: key.realm, now: now)?.reveal()
  }
}
