internal import BindingFormats
package import Foundation
package import JourneyStore
internal import StrictJSON

// MARK: - Devices

extension PostgresStore {
  package func pushDevice(mechanismUID: String, realm: String) async throws -> PushDeviceRecord? {
    let table = DeviceTable.push
    let statement = table.one(with: "mechanism_uid", mechanismUID, in: RealmKey(realm))
    return try table.devices(await read([Statement(statement)])[0], serverKey).first
  }

  package func refreshPushDevice(
    mechanismUID: String, realm: String, with refresh: PushDeviceRefresh
  ) async throws -> Bool {
    let values = refresh.values(mechanismUID: mechanismUID, RealmKey(realm))
    return try await change(
      "the push device \(mechanismUID)", Statement(SharedSQL.refreshPushDevice, values))[0].count
      == 1
  }

  package func retirePushToken(
    mechanismUID: String, realm: String, token: String, at date: Date
  ) async throws -> Bool {
    let values: StatementValues = [
      "realm": RealmKey(realm).realm, "mechanism": mechanismUID, "token": token, "date": date,
    ]
    return try await change("the push device \(mechanismUID)", Statement(SharedSQL.retirePushToken, values))[
      0
    ].count
      == 1
  }

  package func existingPushDevices(among addresses: Set<PushAddress>) async throws -> Set<PushAddress> {
    let names = JSONValue.strings(addresses.map(\.mechanismUID))
    let devices = try await read(PushSQL.existing, [names]).all("push_devices", PushAddress.init)
    return addresses.intersection(devices)
  }
}

// MARK: - Messages

extension PostgresStore {
  package func openPushEnrolment(_ message: PushMessageRecord, id: String?) async throws {
    let key = AccountKey(username: message.username, realm: message.realm)
    let answers = try await sealing {
      try await change(
        "the push enrolment of \(message.username)",
        .insert(message.row(serverKey), into: "push_messages", of: key, id: id))
    }
    guard answers[0].count == 1 else {
      throw StoreError.missing("the account \(message.username) of realm \(message.realm)")
    }
  }

  package func openPushMessage(
    _ message: PushMessageRecord, inboxes: [PushInboxItem], limits: PushLimits, using step: OnceKey?
  ) async throws -> PushOpening {
    let key = AccountKey(username: message.username, realm: message.realm)
    return try await write("the push message of \(message.username)") { [serverKey] transaction in
      let answers = try await transaction.run(
        [
          .lock(key),
          Statement(
            SharedSQL.pushCounts,
            ["realm": key.realm, "name": key.name, "now": message.sentAt, "memory": limits.memory]),
        ] + OnceSQL.consume(step))
      guard answers.dropFirst(2).allSatisfy({ $0.count == 1 }) else { return .stepWasUsed }
      let counts = try answers[1].all("push_accounts") { row in
        (
          open: try row.integer("open"), messages: try row.integer("messages"),
          wrongAnswers: try row.integer("wrong_answers")
        )
      }
      if let refusal = limits.refusal(counts.first ?? (0, 0, 0)) { return refusal }
      guard try answers[0].flag() else { return .noSuchUser }
      transaction.later(.insert(try message.row(serverKey), into: "push_messages", of: key))
      for item in inboxes { transaction.later(.insert(item.row(key), into: "push_inboxes")) }
      transaction.count(messages: 1, key.realm, key.name, message.sentAt, limits)
      return .opened
    }
  }

  package func pushMessage(id: String, realm: String) async throws -> PushMessageRecord? {
    try await read(PushSQL.message, [RealmKey(realm).realm, id])
      .all("push_messages") { try PushMessageRecord($0, serverKey) }.first
  }

  package func decidePushMessage(
    id: String, realm: String, as state: PushMessageRecord.State, by mechanismUID: String, reason: String?,
    now: Date
  ) async throws -> Bool {
    let realm = RealmKey(realm).realm
    // The second statement adds nothing unless the first has decided: one message has one decision.
    return try await change(
      "the decision of \(id)",
      PushSQL.decide(id, realm, as: state, by: mechanismUID, reason: reason, now: now),
      Statement(PushSQL.keepDecision, [realm, id, now]))[0].count == 1
  }

  package func recordWrongPushAnswer(
    id: String, realm: String, by mechanismUID: String, limits: PushLimits, now: Date
  ) async throws -> Bool {
    let realm = RealmKey(realm).realm
    return try await write("a wrong answer to \(id)") { transaction in
      let names = try await transaction.all(
        "push_messages", SharedSQL.recordWrongPushAnswer(PushSQL.keepDevice),
        [
          "realm": realm, "id": id, "now": now, "limit": limits.wrongAnswersPerMessage,
          "device": mechanismUID,
        ]
      ) { try $0.text() }
      guard let name = names.first else { return false }
      transaction.count(wrongAnswers: 1, realm, name, now, limits)
      transaction.later(PushSQL.keepDecision, [realm, id, now])
      return true
    }
  }

  package func completePushEnrolment(
    id: String, device: PushDeviceRecord, now: Date
  ) async throws -> PushEnrolmentResult {
    let key = AccountKey(username: device.username, realm: device.realm)
    return try await write("the push device \(device.uuid) of \(device.username)") {
      [quotas, serverKey] transaction in
      let answers = try await transaction.run([
        .lock(key), Statement("\(PushSQL.message) FOR NO KEY UPDATE", [key.realm, id]),
        Statement(DeviceTable.oath.count(of: key)),
      ])
      let message = try answers[1].all("push_messages") { try PushMessageRecord($0, serverKey) }.first
      guard let message, message.isOpen(at: now), let enrolment = message.enrolment else { return .notOpen }
      guard try enrolment.oath == nil || answers[2].integer() == 0 else { return .limitReached }
      let limit = quotas.deviceLimit(
        DeviceLimit(enrolment.deviceLimit, onlyAsFirstFactor: enrolment.onlyAsFirstFactor))
      let obstacle = try await transaction.add(device, to: .push, limit: limit, serverKey)
      if let failure = try device.enrolmentFailure(obstacle) { return failure }
      transaction.later(
        PushSQL.decide(id, key.realm, as: .approved, by: device.mechanismUID, reason: nil, now: now))
      // The limit of one was asked above, and the device above may be the first factor beside it.
      if let oath = enrolment.oath {
        _ = try oath.wasAdded(await transaction.add(oath, to: .oath, limit: 1, serverKey))
      }
      return .added
    }
  }

  package func removePushMessage(id: String, realm: String) async throws -> PushMessageRecord? {
    try await change("the end of \(id)", Statement(PushSQL.take, [RealmKey(realm).realm, id]))[0]
      .all("push_messages") { try PushMessageRecord($0, serverKey) }.first
  }

  package func usePushMessage(
    id: String, for use: PushUse, using step: OnceKey?
  ) async throws -> PushUsage {
    let key = AccountKey(use.account)
    return try await write("the end of \(id)") { [serverKey] transaction in
      // Of several with the same step, the others wait until the first one is done, and then take nothing.
      if let step, try await transaction.run(OnceSQL.consume(step))[0].count == 0 { return .stepWasUsed }
      let answers = try await transaction.run([
        Statement(SharedSQL.hasDeciding(PushSQL.keepDevice), [key.realm, key.name, id]),
        Statement(PushSQL.take, [key.realm, id]), LockoutSQL.read(key, use.scope),
      ])
      let message = try answers[1].all("push_messages") { try PushMessageRecord($0, serverKey) }.first
      guard let message, use.isMeant(by: message) else { return .taken(message, isLocked: false) }
      guard try answers[0].flag() else { return .taken(message.withoutDevice, isLocked: false) }
      var place = try answers[2].lockouts(use.scope)
      if place.counts.hasFailures { place = try await transaction.lockouts(key, use.scope, use.date) }
      guard !place.counts.state.isLocked(at: use.date) else { return .taken(message, isLocked: true) }
      if place.counts.hasFailures { transaction.forgetFailures(of: key, place, use.scope) }
      Self.noteSuccess(by: message, of: key, at: use.date, in: transaction)
      return .taken(message, isLocked: false)
    }
  }

  /// Forgets what was counted of the account's pushes since its last success, and gives the device that approved its last access.
  private static func noteSuccess(
    by message: PushMessageRecord, of account: AccountKey, at date: Date, in transaction: PostgresTransaction
  ) {
    transaction.later(Statement(SharedSQL.forgetPushCounts, [account.realm, account.name]))
    transaction.later(Statement(PushSQL.noteUse, [date, account.realm, message.decidedBy]))
  }
}

// MARK: - Inboxes and decisions

extension PostgresStore {
  package func pushInbox(mechanismUID: String, realm: String, now: Date) async throws -> [PushInboxItem] {
    try await read(SharedSQL.pushInbox, [RealmKey(realm).realm, mechanismUID, now])
      .all("push_inboxes", PushInboxItem.init)
  }

  package func notePushFetch(messageIDs: [String], mechanismUID: String, realm: String) async throws {
    guard !messageIDs.isEmpty else { return }
    let values: StatementValues = [RealmKey(realm).realm, mechanismUID, JSONValue.strings(messageIDs)]
    try await change("the delivery to \(mechanismUID)", Statement(PushSQL.noteFetch, values))
  }

  package func pushDevicesWithNews(now: Date) async throws -> Set<PushAddress> {
    Set(try await read(PushSQL.news, [now]).all("push_inboxes", PushAddress.init))
  }

  package func pushDecisions(_ query: EvidenceQuery) async throws -> [PushDecisionRecord] {
    try await read(SharedSQL.pushDecisions, query.decisionValues).all(
      "push_decisions", PushDecisionRecord.init)
  }
}

extension PostgresTransaction {
  /// Counts against a user.
  fileprivate func count(
    messages: Int = 0, wrongAnswers: Int = 0, _ realm: String, _ name: String, _ now: Date,
    _ limits: PushLimits
  ) {
    later(
      PushSQL.count,
      [
        "realm": realm, "name": name, "now": now, "memory": limits.memory, "messages": messages,
        "wrongAnswers": wrongAnswers,
      ])
  }
}

private enum PushSQL {
  /// Whoever removes the device waits until the message is decided or used, or the other way round.
  static let keepDevice = "FOR NO KEY UPDATE"

  static let take = """
    DELETE FROM push_messages WHERE realm_key = ? AND id = ? RETURNING \(PushMessageRecord.columns)
    """

  static let message = "SELECT \(PushMessageRecord.columns) FROM push_messages WHERE realm_key = ? AND id = ?"

  static let noteUse = """
    UPDATE push_devices SET last_access_date = greatest(last_access_date, ?)
      WHERE realm_key = ? AND mechanism_uid = ?
    """
  static let existing = """
    SELECT realm, mechanism_uid FROM push_devices
      WHERE mechanism_uid IN (SELECT json_array_elements_text(?::json))
    """

  static let count = """
    INSERT INTO push_accounts AS known (realm_key, name_key, messages, wrong_answers, latest)
    VALUES (:realm, :name, :messages, :wrongAnswers, :now)
    ON CONFLICT (realm_key, name_key) DO UPDATE SET
      messages = CASE WHEN known.latest + :memory > :now THEN known.messages ELSE 0 END + :messages,
      wrong_answers = CASE WHEN known.latest + :memory > :now THEN known.wrong_answers ELSE 0 END + :wrongAnswers,
      latest = greatest(known.latest, :now)
    """
  static let noteFetch = """
    UPDATE push_inboxes SET was_fetched = true
    WHERE realm_key = ?1 AND mechanism_uid = ?2
      AND message_id IN (SELECT json_array_elements_text(?3::json))
    """
  static let news = """
    SELECT DISTINCT realm, mechanism_uid FROM push_inboxes
      JOIN push_messages ON push_messages.realm_key = push_inboxes.realm_key AND id = message_id
    WHERE NOT was_fetched AND state = 'pending' AND expires_at > ?
    """

  static func decide(
    _ id: String, _ realm: String, as state: PushMessageRecord.State, by mechanismUID: String,
    reason: String?, now: Date
  ) -> Statement {
    Statement(
      SharedSQL.decidePushMessage(keepDevice),
      [
        "realm": realm, "id": id, "now": now, "state": state.rawValue, "device": mechanismUID,
        "reason": reason,
      ])
  }

  /// ?1 realm, ?2 message, ?3 now: what became of it, if it is decided. The device may be gone. The number is the time in
  /// microseconds: it ascends, and no server waits for another to get one.
  static let keepDecision = """
    INSERT INTO push_decisions (number, realm_key, name_key, realm, username, account_id, message_id, type, state,
      device, device_name, reason, sent_at, decided_at)
    SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint, m.realm_key, m.name_key, m.realm, m.username,
      account_id, id, type, state, coalesce(uuid, decided_by), coalesce(device_name, ''), reason, sent_at, ?3
      FROM push_messages AS m
        JOIN users AS u ON u.realm_key = m.realm_key AND u.name_key = m.name_key
        LEFT JOIN push_devices AS d
        ON d.realm_key = m.realm_key AND d.mechanism_uid = m.decided_by
      WHERE m.realm_key = ?1 AND id = ?2 AND kind = 'authentication' AND state != 'pending'
    ON CONFLICT DO NOTHING
    """
}
