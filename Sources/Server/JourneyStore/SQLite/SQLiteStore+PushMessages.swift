internal import Bytes
public import Foundation
internal import GRDB
internal import StrictJSON

extension SQLiteStore {
  public func openPushEnrolment(_ message: PushMessageRecord) async throws {
    let key = AccountKey(username: message.username, realm: message.realm)
    let values = try message.values(serverKey)
    try await write("the push enrolment of \(message.username)") { db in
      guard try db.change(PushMessageSQL.insert, [key.realm, key.name] + values) == 1 else {
        throw StoreError.missing("the account \(message.username) of realm \(message.realm)")
      }
    }
  }

  public func openPushMessage(
    _ message: PushMessageRecord, inboxes: [PushInboxItem], limits: PushLimits
  ) async throws -> PushOpening {
    let key = AccountKey(username: message.username, realm: message.realm)
    let values = try message.values(serverKey)
    let now = message.sentAt.timeIntervalSince1970
    return try await write("the push message of \(message.username)") { db in
      // The transaction holds the write lock, so nothing changes between the question and the insertion.
      let counts =
        try db.all(
          "push_accounts", PushMessageSQL.counts, [key.realm, key.name, now, limits.memory]
        ) { row in (try row.integer(), try row.integer(), try row.integer()) }.first ?? (0, 0, 0)
      if counts.0 >= limits.openMessages { return .tooManyOpen }
      if counts.1 >= limits.messagesSinceSuccess { return .tooManySinceSuccess }
      if counts.2 >= limits.wrongAnswersSinceSuccess { return .tooManyWrongAnswers }
      guard try db.change(PushMessageSQL.insert, [key.realm, key.name] + values) == 1 else {
        return .noSuchUser
      }
      for item in inboxes {
        _ = try db.change(
          PushMessageSQL.insertInbox, [key.realm, item.mechanismUID, message.id, item.message])
      }
      _ = try db.change(PushMessageSQL.count, [key.realm, key.name, now, limits.memory, 1, 0])
      return .opened
    }
  }

  public func pushMessage(id: String, realm: String) async throws -> PushMessageRecord? {
    let key = AccountKey.realm(realm)
    let serverKey = serverKey
    return try await read { db in
      try db.all("push_messages", PushMessageSQL.one, [key.realm, id]) {
        try PushMessageRecord(&$0, serverKey)
      }.first
    }
  }

  public func pushInbox(mechanismUID: String, realm: String, now: Date) async throws -> [PushInboxItem] {
    let key = AccountKey.realm(realm)
    return try await read { db in
      try db.all(
        "push_inboxes", PushMessageSQL.inbox, [key.realm, mechanismUID, now.timeIntervalSince1970]
      ) { row in
        PushInboxItem(
          messageID: try row.text(), mechanismUID: try row.text(), message: try row.text(),
          wasFetched: try row.flag())
      }
    }
  }

  public func notePushFetch(messageIDs: [String], mechanismUID: String, realm: String) async throws {
    guard !messageIDs.isEmpty else { return }
    let key = AccountKey.realm(realm)
    let ids = JSONValue.array(messageIDs.map(JSONValue.string)).text
    try await write("the delivery to \(mechanismUID)") { db in
      _ = try db.change(PushMessageSQL.noteFetch, [key.realm, mechanismUID, ids])
    }
  }

  public func decidePushMessage(
    id: String, realm: String, as state: PushMessageRecord.State, by mechanismUID: String, reason: String?,
    now: Date
  ) async throws -> Bool {
    let key = AccountKey.realm(realm)
    let arguments: StatementArguments = [
      key.realm, id, now.timeIntervalSince1970, state.rawValue, mechanismUID, reason,
    ]
    return try await write("the decision of \(id)") { db in
      guard try db.change(PushMessageSQL.decide, arguments) == 1 else { return false }
      _ = try db.change(PushDecisionSQL.insert, [key.realm, id, now.timeIntervalSince1970])
      return true
    }
  }

  public func recordWrongPushAnswer(
    id: String, realm: String, by mechanismUID: String, limits: PushLimits, now: Date
  ) async throws -> Bool {
    let key = AccountKey.realm(realm)
    let moment = now.timeIntervalSince1970
    return try await write("a wrong answer to \(id)") { db in
      let names = try db.all(
        "push_messages", PushMessageSQL.recordWrongAnswer,
        [key.realm, id, moment, limits.wrongAnswersPerMessage, mechanismUID]
      ) { try $0.text() }
      guard let name = names.first else { return false }
      _ = try db.change(PushMessageSQL.count, [key.realm, name, moment, limits.memory, 0, 1])
      _ = try db.change(PushDecisionSQL.insert, [key.realm, id, moment])
      return true
    }
  }

  public func completePushEnrolment(
    id: String, device: PushDeviceRecord, now: Date
  ) async throws -> PushEnrolmentResult {
    let key = AccountKey(username: device.username, realm: device.realm)
    let serverKey = serverKey
    let values = try device.values(serverKey)
    return try await write("the push device \(device.uuid) of \(device.username)") { [quotas] db in
      let message = try db.all("push_messages", PushMessageSQL.one, [key.realm, id]) {
        try PushMessageRecord(&$0, serverKey)
      }.first
      guard let message, message.isOpen(at: now), let enrolment = message.enrolment else { return .notOpen }
      let (isDuplicate, count) =
        try db.all("push_devices", PushDeviceSQL.mayAdd, [key.realm, key.name, device.mechanismUID]) { row in
          (try row.flag(), try row.integer())
        }.first ?? (false, 0)
      guard !isDuplicate else { return .duplicate }
      guard count < quotas.deviceLimit(enrolment.deviceLimit) else { return .limitReached }
      guard try !enrolment.onlyAsFirstFactor || !Self.hasFactors(key, in: db) else { return .limitReached }
      let oath = enrolment.oath
      if oath != nil, try Self.hasOathDevice(key, in: db) { return .limitReached }
      let decided = try db.change(
        PushMessageSQL.decide,
        [
          key.realm, id, now.timeIntervalSince1970, PushMessageRecord.State.approved.rawValue,
          device.mechanismUID, nil,
        ])
      guard decided == 1 else { return .notOpen }
      guard try db.change(PushDeviceSQL.insert, [key.realm, key.name] + values) == 1 else {
        throw StoreError.missing("the account \(device.username) of realm \(device.realm)")
      }
      if let oath { _ = try Self.insertOathDevice(oath, key, limit: 1, serverKey, in: db) }
      return .added
    }
  }

  public func removePushMessage(id: String, realm: String) async throws -> PushMessageRecord? {
    let key = AccountKey.realm(realm)
    let serverKey = serverKey
    return try await write("the end of \(id)") { db in
      try db.all("push_messages", PushMessageSQL.remove, [key.realm, id]) {
        try PushMessageRecord(&$0, serverKey)
      }.first
    }
  }

  public func recordPushSuccess(
    username: String, realm: String, mechanismUID: String?, at date: Date
  ) async throws {
    let key = AccountKey(username: username, realm: realm)
    try await write("the push success of \(username)") { db in
      _ = try db.change(PushMessageSQL.forgetCounts, [key.realm, key.name])
      if let mechanismUID {
        _ = try db.change(
          PushDeviceSQL.noteUse, [date.timeIntervalSince1970, key.realm, mechanismUID])
      }
    }
  }
}

private enum PushMessageSQL {
  static let columns = """
    id, realm, username, kind, type, sealed, sent_at, expires_at, state, wrong_answers, decided_by, reason
    """

  /// The account's own spelling is stored.
  static let insert = """
    INSERT INTO push_messages (realm_key, name_key, \(columns))
    SELECT ?1, ?2, ?3, realm, username, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12
      FROM users WHERE realm_key = ?1 AND name_key = ?2
    """
  static let insertInbox = """
    INSERT INTO push_inboxes (realm_key, mechanism_uid, message_id, message, was_fetched) VALUES (?, ?, ?, ?, 0)
    """
  static let one = "SELECT \(columns) FROM push_messages WHERE realm_key = ? AND id = ?"
  static let remove = "DELETE FROM push_messages WHERE realm_key = ? AND id = ? RETURNING \(columns)"

  /// ?1 realm, ?2 name, ?3 now, ?4 memory: open messages, messages and wrong answers since the last success.
  static let counts = """
    SELECT
      (SELECT count(*) FROM push_messages WHERE realm_key = ?1 AND name_key = ?2
        AND kind = 'authentication' AND state = 'pending' AND expires_at > ?3),
      coalesce((SELECT messages FROM push_accounts WHERE realm_key = ?1 AND name_key = ?2 AND latest + ?4 > ?3), 0),
      coalesce((SELECT wrong_answers FROM push_accounts WHERE realm_key = ?1 AND name_key = ?2
        AND latest + ?4 > ?3), 0)
    """

  /// ?1 realm, ?2 name, ?3 now, ?4 memory, ?5 more messages, ?6 more wrong answers.
  static let count = """
    INSERT INTO push_accounts (realm_key, name_key, messages, wrong_answers, latest) VALUES (?1, ?2, ?5, ?6, ?3)
    ON CONFLICT DO UPDATE SET
      messages = CASE WHEN latest + ?4 > ?3 THEN messages ELSE 0 END + ?5,
      wrong_answers = CASE WHEN latest + ?4 > ?3 THEN wrong_answers ELSE 0 END + ?6,
      latest = max(latest, ?3)
    """
  static let forgetCounts = """
    UPDATE push_accounts SET messages = 0, wrong_answers = 0 WHERE realm_key = ? AND name_key = ?
    """
  static let inbox = """
    SELECT message_id, mechanism_uid, message, was_fetched FROM push_inboxes
      JOIN push_messages ON push_messages.realm_key = push_inboxes.realm_key AND id = message_id
    WHERE push_inboxes.realm_key = ?1 AND mechanism_uid = ?2 AND state = 'pending' AND expires_at > ?3
    ORDER BY sent_at, id
    """
  static let noteFetch = """
    UPDATE push_inboxes SET was_fetched = 1
    WHERE realm_key = ?1 AND mechanism_uid = ?2 AND message_id IN (SELECT value FROM json_each(?3))
    """

  private static let isOpen = "realm_key = ?1 AND id = ?2 AND state = 'pending' AND expires_at > ?3"

  static let decide = """
    UPDATE push_messages SET state = ?4, decided_by = ?5, reason = ?6 WHERE \(isOpen)
    """
  static let recordWrongAnswer = """
    UPDATE push_messages SET wrong_answers = wrong_answers + 1,
      state = CASE WHEN wrong_answers + 1 >= ?4 THEN 'denied' ELSE state END,
      decided_by = CASE WHEN wrong_answers + 1 >= ?4 THEN ?5 ELSE decided_by END,
      reason = CASE WHEN wrong_answers + 1 >= ?4 THEN 'wrong number or code' ELSE reason END
    WHERE \(isOpen) RETURNING name_key
    """
}

extension PushMessageRecord {
  /// For ``PushMessageSQL/insert``, after the keys of the account.
  fileprivate func values(_ serverKey: ServerKey) throws -> StatementArguments {
    var secrets: JSONObject = ["challenge": Self.text(challenge)]
    if let answer { secrets["answer"] = Self.text(answer) }
    secrets["knownDevice"] = knownDevice.map(JSONValue.string)
    if let enrolment {
      var object: JSONObject = [
        "uuid": .string(enrolment.uuid), "issuer": .string(enrolment.issuer),
        "secret": Self.text(enrolment.sharedSecret), "limit": .integer(Int64(enrolment.deviceLimit)),
      ]
      if enrolment.onlyAsFirstFactor { object["first"] = true }
      object["oath"] = enrolment.oath.map { .object($0.sealedForm) }
      secrets["enrolment"] = .object(object)
    }
    return [
      id, kind.rawValue, type.rawValue, try serverKey.seal(secrets.serialized, named: Self.secretName(id)),
      sentAt.timeIntervalSince1970, expiresAt.timeIntervalSince1970, state.rawValue, wrongAnswers, decidedBy,
      reason,
    ]
  }

  private static func secretName(_ id: String) -> String { "push message \(id)" }

  private static func text(_ secret: StoredSecret) -> JSONValue {
    .string(PaddedBase64.encode(secret.reveal()))
  }

  private static func secret(_ value: JSONValue?) -> StoredSecret? {
    value?.stringValue.flatMap { PaddedBase64.decode($0) }.map { StoredSecret($0) }
  }

  fileprivate init(_ row: inout StoredRow, _ serverKey: ServerKey) throws {
    let id = try row.text()
    let realm = try row.text()
    let username = try row.text()
    let damaged = StoreError.corrupt(
      "table push_messages, realm \(realm), id \(id): a column has no known value")
    let kind = Kind(rawValue: try row.text())
    let type = PushType(rawValue: try row.text())
    let opened = try serverKey.open(
      try row.bytes(), named: Self.secretName(id), in: "push_messages")
    guard let kind, let type, let secrets = try? JSONValue(parsing: opened),
      let challenge = Self.secret(secrets["challenge"])
    else { throw damaged }
    var enrolment: Enrolment?
    if let stored = secrets["enrolment"] {
      guard let uuid = stored["uuid"]?.stringValue, let issuer = stored["issuer"]?.stringValue,
        let secret = Self.secret(stored["secret"]), let limit = stored["limit"]?.integerValue
      else { throw damaged }
      enrolment = Enrolment(uuid: uuid, issuer: issuer, sharedSecret: secret, deviceLimit: Int(limit))
      enrolment?.onlyAsFirstFactor = stored["first"]?.boolValue ?? false
      if let oath = stored["oath"] {
        guard let oath = OathDeviceRecord(sealedForm: oath, realm: realm, username: username) else {
          throw damaged
        }
        enrolment?.oath = oath
      }
    }
    let sentAt = try row.date()
    let expiresAt = try row.date()
    guard let state = State(rawValue: try row.text()) else { throw damaged }
    self.init(
      id: id, realm: realm, username: username, kind: kind, type: type, challenge: challenge,
      answer: Self.secret(secrets["answer"]), enrolment: enrolment, sentAt: sentAt, expiresAt: expiresAt,
      state: state, wrongAnswers: try row.integer(), decidedBy: try row.optionalText(),
      reason: try row.optionalText(), knownDevice: secrets["knownDevice"]?.stringValue)
  }
}
