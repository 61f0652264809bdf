public import Foundation
internal import GRDB
internal import StrictJSON

extension SQLiteStore {
  public func pushDecisions(_ query: EvidenceQuery) async throws -> [PushDecisionRecord] {
    let key = AccountKey(username: query.username ?? "", realm: query.realm ?? "")
    let arguments: StatementArguments = [
      "realm": query.realm == nil ? nil : key.realm, "name": query.username == nil ? nil : key.name,
      "before": query.before, "limit": query.limit, "since": query.since.map { Double($0) / 1000 },
      "until": query.until.map { Double($0) / 1000 }, "type": query.kind, "offset": max(0, query.offset),
    ]
    return try await read { db in
      try db.all("push_decisions", PushDecisionSQL.page, arguments) { try PushDecisionRecord($0) }
    }
  }

  public func pushDevicesWithNews(now: Date) async throws -> Set<PushAddress> {
    try await read { db in
      Set(
        try db.all("push_inboxes", PushDecisionSQL.news, [now.timeIntervalSince1970]) { row in
          PushAddress(realm: try row.text("realm"), mechanismUID: try row.text("mechanism_uid"))
        })
    }
  }

  public func existingPushDevices(among addresses: Set<PushAddress>) async throws -> Set<PushAddress> {
    let names = JSONValue.array(addresses.map { .string($0.mechanismUID) }).text
    return try await read { db in
      Set(
        try db.all("push_devices", PushDecisionSQL.existing, [names]) { row in
          PushAddress(realm: try row.text("realm"), mechanismUID: try row.text("mechanism_uid"))
        })
    }.intersection(addresses)
  }
}

enum PushDecisionSQL {
  /// ?1 realm, ?2 message, ?3 now: what became of it, if it is decided. The device may be gone.
  static let insert = """
    INSERT INTO push_decisions (realm_key, name_key, realm, username, message_id, type, state, device, device_name,
      reason, sent_at, decided_at)
    SELECT m.realm_key, m.name_key, m.realm, m.username, id, type, state, coalesce(uuid, decided_by),
      coalesce(device_name, ''), reason, sent_at, ?3
      FROM push_messages AS m LEFT JOIN push_devices AS d
        ON d.realm_key = m.realm_key AND d.mechanism_uid = m.decided_by
      WHERE m.realm_key = ?1 AND id = ?2 AND kind = 'authentication' AND state != 'pending'
    """

  fileprivate static let page = """
    SELECT * FROM push_decisions
      WHERE (:realm IS NULL OR realm_key = :realm) AND (:name IS NULL OR name_key = :name)
        AND (:before IS NULL OR number < :before) AND (:since IS NULL OR decided_at >= :since)
        AND (:until IS NULL OR decided_at < :until) AND (:type IS NULL OR type = :type)
      ORDER BY number DESC LIMIT :limit OFFSET :offset
    """
  fileprivate static let news = """
    SELECT DISTINCT realm, mechanism_uid FROM push_inboxes
      JOIN push_messages ON push_messages.realm_key = push_inboxes.realm_key AND id = message_id
    WHERE was_fetched = 0 AND state = 'pending' AND expires_at > ?
    """
  fileprivate static let existing = """
    SELECT realm, mechanism_uid FROM push_devices WHERE mechanism_uid IN (SELECT value FROM json_each(?))
    """
}

extension PushDecisionRecord {
  fileprivate init(_ row: StoredRow) throws {
    self.init(
      number: Int64(try row.integer("number")), realm: try row.text("realm"),
      username: try row.text("username"), messageID: try row.text("message_id"),
      type: try row.known("type"), state: try row.known("state"), device: try row.text("device"),
      deviceName: try row.text("device_name"), reason: try row.optionalText("reason"),
      sentAt: try row.date("sent_at"), decidedAt: try row.date("decided_at"))
  }
}
