public import Foundation
internal import GRDB
internal import StrictJSON

extension SQLiteStore {
  public func pushDecisions(_ query: EvidenceQuery) async throws -> [PushDecisionRecord] {
    let key = AccountKey(username: query.username ?? "", realm: query.realm ?? "")
    let arguments: StatementArguments = [
      query.realm == nil ? nil : key.realm, query.username == nil ? nil : key.name, query.before,
      query.limit, query.since.map { Double($0) / 1000 }, query.until.map { Double($0) / 1000 }, query.kind,
      max(0, query.offset),
    ]
    return try await read { db in
      try db.all("push_decisions", PushDecisionSQL.page, arguments) { try PushDecisionRecord(&$0) }
    }
  }

  public func pushDevicesWithNews(now: Date) async throws -> Set<PushAddress> {
    try await read { db in
      Set(
        try db.all("push_inboxes", PushDecisionSQL.news, [now.timeIntervalSince1970]) { row in
          PushAddress(realm: try row.text(), mechanismUID: try row.text())
        })
    }
  }

  public func existingPushDevices(among addresses: Set<PushAddress>) async throws -> Set<PushAddress> {
    let names = JSONValue.array(addresses.map { .string($0.mechanismUID) }).text
    return try await read { db in
      Set(
        try db.all("push_devices", PushDecisionSQL.existing, [names]) { row in
          PushAddress(realm: try row.text(), mechanismUID: try row.text())
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

  /// ?1 realm, ?2 name, ?3 number before which, ?4 how many, ?5 since, ?6 until, ?7 type, ?8 how many are left out.
  fileprivate static let page = """
    SELECT number, realm, username, message_id, type, state, device, device_name, reason, sent_at, decided_at
      FROM push_decisions
      WHERE (?1 IS NULL OR realm_key = ?1) AND (?2 IS NULL OR name_key = ?2) AND (?3 IS NULL OR number < ?3)
        AND (?5 IS NULL OR decided_at >= ?5) AND (?6 IS NULL OR decided_at < ?6) AND (?7 IS NULL OR type = ?7)
      ORDER BY number DESC LIMIT ?4 OFFSET ?8
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
  fileprivate init(_ row: inout StoredRow) throws {
    let number = try row.integer()
    let realm = try row.text()
    let username = try row.text()
    let messageID = try row.text()
    guard let type = PushMessageRecord.PushType(rawValue: try row.text()),
      let state = PushMessageRecord.State(rawValue: try row.text())
    else { throw StoreError.corrupt("table push_decisions, number \(number): a column has no known value") }
    self.init(
      number: Int64(number), realm: realm, username: username, messageID: messageID, type: type,
      state: state, device: try row.text(), deviceName: try row.text(), reason: try row.optionalText(),
      sentAt: try row.date(), decidedAt: try row.date())
  }
}
