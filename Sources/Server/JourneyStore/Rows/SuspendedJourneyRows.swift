package import Foundation

extension SuspendedJourneyRecord {
  package func row(_ serverKey: ServerKey) throws -> NewRow {
    [
      "realm_key": RealmKey(realm).realm, "id_hash": idHash,
      "sealed": try serverKey.seal(content.reveal(), named: SealedNames.suspendedJourney(idHash)),
      "created_at": createdAt, "expires_at": expiresAt,
    ]
  }
}

/// Statements about suspended journeys, the same in every database.
package enum SuspendedJourneySQL {
  package static let table = "suspended_journeys"

  private static let take = """
    DELETE FROM suspended_journeys WHERE realm_key = ?1 AND id_hash = ?2 AND expires_at > ?3 RETURNING sealed
    """

  package static func take(_ idHash: String, realm: String, now: Date) -> (
    sql: String, values: StatementValues
  ) {
    (take, [RealmKey(realm).realm, idHash, now])
  }

  private static let look = """
    SELECT sealed FROM suspended_journeys WHERE realm_key = ?1 AND id_hash = ?2 AND expires_at > ?3
    """

  package static func look(_ idHash: String, realm: String, now: Date) -> (
    sql: String, values: StatementValues
  ) {
    (look, [RealmKey(realm).realm, idHash, now])
  }

  /// Opens what ``take(_:realm:now:)`` or ``look(_:realm:now:)`` returned.
  package static func open(_ sealed: [UInt8], idHash: String, _ serverKey: ServerKey) throws -> StoredSecret {
    StoredSecret(
      try serverKey.open(sealed, named: SealedNames.suspendedJourney(idHash), in: table))
  }
}
