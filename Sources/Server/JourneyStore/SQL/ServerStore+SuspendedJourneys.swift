public import Foundation

extension ServerStore {
  /// Stores the journey; what it holds is encrypted. Throws ``StoreError/conflict(_:)`` when the hash is taken, and
  /// ``StoreError/missing(_:)`` when the realm was deleted.
  public func suspendJourney(_ journey: SuspendedJourneyRecord) async throws {
    try await write("a suspended journey") { [serverKey] in
      .ask(.requireRealm(RealmKey(journey.realm).realm)) {
        .done((), [.insert(try journey.row(serverKey), into: SuspendedJourneySQL.table)])
      }
    }
  }

  /// Removes the journey and returns its content; `nil` unless it is stored for this realm and not expired at `now`. One conditional
  /// write: of several callers exactly one gets it.
  public func resumeJourney(idHash: String, realm: String, now: Date) async throws -> StoredSecret? {
    let taken = SuspendedJourneySQL.question(SuspendedJourneySQL.take, idHash, realm: realm, now, serverKey)
    // What this server cannot read stays for one that can.
    return try await write("a resumed journey") { .ask(taken) { .done($0) } }
  }

  /// The content, which stays; `nil` as for ``resumeJourney(idHash:realm:now:)``.
  public func suspendedJourney(idHash: String, realm: String, now: Date) async throws -> StoredSecret? {
    try await look(
      SuspendedJourneySQL.question(SuspendedJourneySQL.look, idHash, realm: realm, now, serverKey))
  }
}

extension SuspendedJourneyRecord {
  fileprivate func row(_ serverKey: ServerKey) throws -> NewRow {
    [
      "realm_key": RealmKey(realm).realm, "id_hash": idHash,
      "sealed": try serverKey.seal(content.reveal(), named: SealedNames.suspendedJourney(idHash)),
      "created_at": createdAt, "expires_at": expiresAt,
    ]
  }
}

enum SuspendedJourneySQL {
  static let table = "suspended_journeys"
  fileprivate static let take: SQL = """
    DELETE FROM suspended_journeys WHERE realm_key = ?1 AND id_hash = ?2 AND expires_at > ?3 RETURNING sealed
    """
  fileprivate static let look: SQL = """
    SELECT sealed FROM suspended_journeys WHERE realm_key = ?1 AND id_hash = ?2 AND expires_at > ?3
    """

  fileprivate static func question(
    _ sql: SQL, _ idHash: String, realm: String, _ now: Date, _ serverKey: ServerKey
  ) -> SQLQuestion<StoredSecret?> {
    SQLStatement(sql, [RealmKey(realm).realm, idHash, now]).row(of: table) { row in
      let secret = try serverKey.open(
        try row.bytes(), named: SealedNames.suspendedJourney(idHash), in: table)
      return StoredSecret(secret)
    }
  }
}
