public import Foundation

extension ServerStore {
  /// Stores the journey; what it holds is encrypted. Throws ``StoreError/conflict(_:)`` when the hash is taken, and
  /// ``StoreError/missing(_:)`` when the realm was deleted.
  public func suspendJourney(_ journey: SuspendedJourneyRecord) async throws {
    let realm = RealmKey(journey.realm).realm
    try await write("a suspended journey") { [serverKey] in
      .ask(.requireRealm(realm)) {
        let sealed = try StoreTable.suspendedJourneys.seal(
          journey.content.reveal(), of: journey.idHash, serverKey)
        let row: StatementValues = [
          "realm_key": realm, "id_hash": journey.idHash, "sealed": sealed, "created_at": journey.createdAt,
          "expires_at": journey.expiresAt,
        ]
        return .done((), [.insert(row, into: "suspended_journeys")])
      }
    }
  }

  /// Removes the journey and returns its content; `nil` unless it is stored for this realm and not expired at `now`. One conditional
  /// write: of several callers exactly one gets it.
  public func resumeJourney(idHash: String, realm: String, now: Date) async throws -> StoredSecret? {
    let taken = suspended("DELETE FROM", "RETURNING sealed", idHash, realm, now)
    // A journey that this server cannot open stays for one that can.
    return try await write("a resumed journey") { .ask(taken) { .done($0) } }
  }

  /// The content of the journey, which stays stored; `nil` as for ``resumeJourney(idHash:realm:now:)``.
  public func suspendedJourney(idHash: String, realm: String, now: Date) async throws -> StoredSecret? {
    try await look(suspended("SELECT sealed FROM", "", idHash, realm, now))
  }

  private func suspended(
    _ act: String, _ end: String, _ idHash: String, _ realm: String, _ now: Date
  ) -> SQLQuestion<StoredSecret?> {
    let sql: SQL = """
      \(act) suspended_journeys WHERE realm_key = ?1 AND id_hash = ?2 AND expires_at > ?3 \(end)
      """
    return SQLStatement(sql, [RealmKey(realm).realm, idHash, now]).row(of: "suspended_journeys") {
      [serverKey] in StoredSecret(try StoreTable.suspendedJourneys.open($0, of: idHash, serverKey))
    }
  }
}
