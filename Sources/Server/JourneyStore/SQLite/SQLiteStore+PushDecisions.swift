public import Foundation
internal import GRDB

extension SQLiteStore {
  public func pushDecisions(_ query: EvidenceQuery) async throws -> [PushDecisionRecord] {
    try await read { db in
      try db.all("push_decisions", SharedSQL.pushDecisions, query.decisionValues, PushDecisionRecord.init)
    }
  }

  public func pushDevicesWithNews(now: Date) async throws -> Set<PushAddress> {
    try await read { db in
      Set(try db.all("push_inboxes", PushDecisionSQL.news, [now], PushAddress.init))
    }
  }
}

enum PushDecisionSQL {
  /// ?1 realm, ?2 message, ?3 now: what became of it, if it is decided. The device may be gone.
  static let insert = """
    INSERT INTO push_decisions (realm_key, name_key, realm, username, account_id, message_id, type, state, device,
      device_name, reason, sent_at, decided_at)
    SELECT m.realm_key, m.name_key, m.realm, m.username, account_id, id, type, state, coalesce(uuid, decided_by),
      coalesce(device_name, ''), reason, sent_at, ?3
      FROM push_messages AS m
        JOIN users AS u ON u.realm_key = m.realm_key AND u.name_key = m.name_key
        LEFT JOIN push_devices AS d
        ON d.realm_key = m.realm_key AND d.mechanism_uid = m.decided_by
      WHERE m.realm_key = ?1 AND id = ?2 AND kind = 'authentication' AND state != 'pending'
    """

  fileprivate static let news = """
    SELECT DISTINCT realm, mechanism_uid FROM push_inboxes
      JOIN push_messages ON push_messages.realm_key = push_inboxes.realm_key AND id = message_id
    WHERE was_fetched = 0 AND state = 'pending' AND expires_at > ?
    """
}
