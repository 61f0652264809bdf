internal import Bytes
package import EvidenceLedger
package import JourneyStore

/// How far back auditors see. A realm's auditors see nothing from before its creation, because that belongs to an earlier realm of the same
/// name. Auditors of the root realm see everything.
package enum AuditHorizon {
  /// - Returns: milliseconds since 1970; `nil` where there is no horizon.
  package static func start(
    of realm: String, for session: AuthenticatedSession, _ store: any ServerStore
  ) async throws -> Int64? {
    guard session.record.realm != "root" else { return nil }
    return try await store.realmCreation(realm)?.millisecondsSince1970
  }

  /// The entry with that number, if it belongs to the realm and the session may see it.
  package static func entry(
    _ number: String, of realm: String, for session: AuthenticatedSession, _ store: any ServerStore
  ) async throws -> EvidenceEntry {
    let horizon = try await start(of: realm, for: session, store)
    // The numbers count the entries of all realms; other realms' entries do not exist for this one.
    guard let number = Int64(number), let entry = try await store.evidence(number: number),
      entry.record.realm == realm, horizon.map({ $0 <= entry.record.time }) ?? true
    else { throw ErrorResponse.notFound("There is no such evidence in this realm.") }
    return entry
  }
}
