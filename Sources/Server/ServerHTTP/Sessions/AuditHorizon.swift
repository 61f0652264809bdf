internal import Bytes
package import JourneyStore

/// How far back auditors see: those of a realm not beyond its beginning, because what was before was another realm's that had its name. Those of
/// the root realm see all.
package enum AuditHorizon {
  /// - Returns: milliseconds since 1970; `nil` where there is no horizon.
  package static func start(
    of realm: String, for session: AuthenticatedSession, _ store: any ServerStore
  ) async throws -> Int64? {
    guard session.record.realm != "root" else { return nil }
    return try await store.realmCreation(realm)?.millisecondsSince1970
  }
}
