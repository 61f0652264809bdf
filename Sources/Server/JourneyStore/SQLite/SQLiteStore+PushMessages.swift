internal import Bytes
public import Foundation
internal import GRDB
internal import StrictJSON

extension SQLiteStore {
  public func openPushEnrolment(_ message: PushMessageRecord, id: String?) async throws {
    let key = AccountKey(username: message.username, realm: message.realm)
    try await write("the push enrolment of \(message.username)") { [serverKey] db in
      guard try db.flag(key.isThere(id: id)),
        try db.insert(message.row(serverKey), into: "push_messages", of: key)
      else {
        throw StoreError.missing("the account \(message.username) of realm \(message.realm)")
      }
    }
  }

  public func openPushMessage(
    _ message: PushMessageRecord, inboxes: [PushInboxItem], limits: PushLimits, using step: OnceKey?
  ) async throws -> PushOpening {
    let key = AccountKey(username: message.username, realm: message.realm)
    let now = message.sentAt
    return try await write("the push message of \(message.username)") { [serverKey] db in
      guard try Self.consume(step, in: db) else { return .stepWasUsed }
      // The transaction holds the write lock, so nothing changes between the question and the insertion.
      let counts =
        try db.all(
          "push_accounts", SharedSQL.pushCounts,
          ["realm": key.realm, "name": key.name, "now": now, "memory": limits.memory]
        ) { row in
          (
            open: try row.integer("open"), messages: try row.integer("messages"),
            wrongAnswers: try row.integer("wrong_answers")
          )
        }.first ?? (0, 0, 0)
      if let refusal = limits.refusal(counts) { return refusal }
      guard try db.insert(message.row(serverKey), into: "push_messages", of: key) else { return .noSuchUser }
      for item in inboxes {
        try db.insert(item.row(key), into: "push_inboxes")
      }
      try Self.count(messages: 1, realm: key.realm, name: key.name, now, limits, in: db)
      return .opened
    }
  }

  public func pushMessage(id: String, realm: String) async throws -> PushMessageRecord? {
    let key = RealmKey(realm)
    let serverKey = serverKey
    return try await look { db in
      try Self.message(id, key.realm, serverKey, in: db)
    }
  }

  private static func message(
    _ id: String, _ realm: String, _ serverKey: ServerKey, in db: Database
  ) throws -> PushMessageRecord? {
    try db.all(
      "push_messages", PushMessageSQL.one, [realm, id]
    ) { try PushMessageRecord($0, serverKey) }.first
  }

  /// Decides an open message; whether it was open.
  private static func decide(
    _ id: String, _ realm: String, as state: PushMessageRecord.State, by mechanismUID: String,
    reason: String?, now: Date, in db: Database
  ) throws -> Bool {
    try db.change(
      SharedSQL.decidePushMessage(),
      [
        "realm": realm, "id": id, "now": now, "state": state.rawValue,
        "device": mechanismUID, "reason": reason,
      ]) == 1
  }

  /// Counts against a user.
  private static func count(
    messages: Int = 0, wrongAnswers: Int = 0, realm: String, name: String, _ now: Date,
    _ limits: PushLimits, in db: Database
  ) throws {
    try db.change(
      PushMessageSQL.count,
      [
        "realm": realm, "name": name, "now": now, "memory": limits.memory, "messages": messages,
        "wrongAnswers": wrongAnswers,
      ])
  }

  public func pushInbox(mechanismUID: String, realm: String, now: Date) async throws -> [PushInboxItem] {
    let key = RealmKey(realm)
    return try await look { db in
      try db.all("push_inboxes", SharedSQL.pushInbox, [key.realm, mechanismUID, now], PushInboxItem.init)
    }
  }

  public func notePushFetch(messageIDs: [String], mechanismUID: String, realm: String) async throws {
    guard !messageIDs.isEmpty else { return }
    let key = RealmKey(realm)
    let ids = JSONValue.strings(messageIDs)
    try await write("the delivery to \(mechanismUID)") { db in
      _ = try db.change(PushMessageSQL.noteFetch, [key.realm, mechanismUID, ids])
    }
  }

  public func decidePushMessage(
    id: String, realm: String, as state: PushMessageRecord.State, by mechanismUID: String, reason: String?,
    now: Date
  ) async throws -> Bool {
    let key = RealmKey(realm)
    return try await write("the decision of \(id)") { db in
      guard try Self.decide(id, key.realm, as: state, by: mechanismUID, reason: reason, now: now, in: db)
      else { return false }
      try db.change(PushDecisionSQL.insert, [key.realm, id, now])
      return true
    }
  }

  public func recordWrongPushAnswer(
    id: String, realm: String, by mechanismUID: String, limits: PushLimits, now: Date
  ) async throws -> Bool {
    let key = RealmKey(realm)
    return try await write("a wrong answer to \(id)") { db in
      let names = try db.all(
        "push_messages", SharedSQL.recordWrongPushAnswer(),
        [
          "realm": key.realm, "id": id, "now": now, "limit": limits.wrongAnswersPerMessage,
          "device": mechanismUID,
        ]
      ) { try $0.text() }
      guard let name = names.first else { return false }
      try Self.count(wrongAnswers: 1, realm: key.realm, name: name, now, limits, in: db)
      try db.change(PushDecisionSQL.insert, [key.realm, id, now])
      return true
    }
  }

  public func completePushEnrolment(
    id: String, device: PushDeviceRecord, now: Date
  ) async throws -> PushEnrolmentResult {
    let key = AccountKey(username: device.username, realm: device.realm)
    let serverKey = serverKey
    return try await write("the push device \(device.uuid) of \(device.username)") { [quotas] db in
      let message = try Self.message(id, key.realm, serverKey, in: db)
      guard let message, message.isOpen(at: now), let enrolment = message.enrolment else { return .notOpen }
      let hasCodes = try DeviceTable.oath.count(of: key, in: db) > 0
      guard enrolment.oath == nil || !hasCodes else { return .limitReached }
      let limit = quotas.deviceLimit(
        DeviceLimit(enrolment.deviceLimit, onlyAsFirstFactor: enrolment.onlyAsFirstFactor))
      let obstacle = try DeviceTable.push.add(device, limit: limit, serverKey, in: db)
      if let failure = try device.enrolmentFailure(obstacle) { return failure }
      guard
        try Self.decide(id, key.realm, as: .approved, by: device.mechanismUID, reason: nil, now: now, in: db)
      else { throw StoreError.corrupt("table push_messages, id \(id): an open message was not decided") }
      // The limit of one was asked above, and the device above may be the first factor beside it.
      if let oath = enrolment.oath {
        _ = try oath.wasAdded(DeviceTable.oath.add(oath, limit: 1, serverKey, in: db))
      }
      return .added
    }
  }

  public func removePushMessage(id: String, realm: String) async throws -> PushMessageRecord? {
    let key = RealmKey(realm)
    let serverKey = serverKey
    return try await write("the end of \(id)") { db in
      try db.all("push_messages", PushMessageSQL.take, [key.realm, id]) {
        try PushMessageRecord($0, serverKey)
      }
      .first
    }
  }

  public func usePushMessage(
    id: String, for use: PushUse, using step: OnceKey?
  ) async throws -> PushUsage {
    let key = AccountKey(use.account)
    let serverKey = serverKey
    return try await write("the end of \(id)") { db in
      guard try Self.consume(step, in: db) else { return .stepWasUsed }
      let hasDevice = try !db.all("push_devices", SharedSQL.hasDeciding(), [key.realm, key.name, id]) {
        try $0.flag()
      }
      .isEmpty
      let message = try db.all("push_messages", PushMessageSQL.take, [key.realm, id]) {
        try PushMessageRecord($0, serverKey)
      }.first
      guard let message, use.isMeant(by: message) else { return .taken(message, isLocked: false) }
      guard hasDevice else { return .taken(message.withoutDevice, isLocked: false) }
      let counts = try Self.lockouts(key, use.scope, in: db)
      guard !counts.state.isLocked(at: use.date) else { return .taken(message, isLocked: true) }
      if counts.hasFailures {
        try Self.forgetFailures(of: key, use.scope, in: db)
      }
      try Self.noteSuccess(by: message, of: key, at: use.date, in: db)
      return .taken(message, isLocked: false)
    }
  }

  /// Forgets what was counted of the account's pushes since its last success, and gives the device that approved its last access.
  private static func noteSuccess(
    by message: PushMessageRecord, of account: AccountKey, at date: Date, in db: Database
  ) throws {
    try db.change(SharedSQL.forgetPushCounts, [account.realm, account.name])
    guard let device = message.decidedBy else { return }
    try noteUse(ofPushDevice: device, realm: account.realm, at: date, in: db)
  }
}

private enum PushMessageSQL {
  static let one = "SELECT \(PushMessageRecord.columns) FROM push_messages WHERE realm_key = ? AND id = ?"
  static let take = """
    DELETE FROM push_messages WHERE realm_key = ? AND id = ? RETURNING \(PushMessageRecord.columns)
    """

  static let count = """
    INSERT INTO push_accounts (realm_key, name_key, messages, wrong_answers, latest)
    VALUES (:realm, :name, :messages, :wrongAnswers, :now)
    ON CONFLICT DO UPDATE SET
      messages = CASE WHEN latest + :memory > :now THEN messages ELSE 0 END + :messages,
      wrong_answers = CASE WHEN latest + :memory > :now THEN wrong_answers ELSE 0 END + :wrongAnswers,
      latest = max(latest, :now)
    """
  static let noteFetch = """
    UPDATE push_inboxes SET was_fetched = 1
    WHERE realm_key = ?1 AND mechanism_uid = ?2 AND message_id IN (SELECT value FROM json_each(?3))
    """
}
