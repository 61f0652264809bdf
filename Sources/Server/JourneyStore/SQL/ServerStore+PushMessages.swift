internal import BindingFormats
public import Foundation

extension ServerStore {
  /// Stores an enrolment that a device may answer. Throws ``StoreError/missing(_:)`` without the user.
  ///
  /// - Parameter id: the id that the account must have; `nil` for any account of that name.
  public func openPushEnrolment(_ message: PushMessageRecord, id: String? = nil) async throws {
    let key = AccountKey(message.account)
    let isAdded = try await write("the push enrolment of \(message.username)") {
      .certain(
        SQLStatement.insert(try message.row(serverKey), into: "push_messages", of: key, id: id).isDone)
    }
    guard isAdded else {
      throw StoreError.missing("the account \(message.username) of realm \(message.realm)")
    }
  }

  /// Stores a question and what each device gets, if the user's limits allow it: one conditional write.
  ///
  /// - Parameter step: the answered step of the journey that asks. The same write consumes it, whatever the limits say; when it was
  ///   consumed before, nothing else happens. `nil` when there is no step, or it is consumed already.
  public func openPushMessage(
    _ message: PushMessageRecord, inboxes: [PushInboxItem], limits: PushLimits,
    using step: OnceKey? = nil
  ) async throws -> PushOpening {
    let key = AccountKey(message.account)
    let counts = SQLStatement(
      PushMessageSQL.counts,
      ["realm": key.realm, "name": key.name, "now": message.sentAt, "memory": limits.memory]
    ).row(of: "push_accounts") { row in
      (
        open: try row.integer("open"), messages: try row.integer("messages"),
        wrongAnswers: try row.integer("wrong_answers")
      )
    }
    return try await write("the push message of \(message.username)") { [serverKey] in
      .ask(.all(SQLStatement.lock(key).flag, .consuming(step), counts)) { isThere, isFirst, counts in
        guard isFirst else { return .done(.stepWasUsed) }
        if let refusal = limits.refusal(counts ?? (0, 0, 0)) { return .done(refusal) }
        guard isThere else { return .done(.noSuchUser) }
        return .done(
          .opened,
          [.insert(try message.row(serverKey), into: "push_messages", of: key)]
            + inboxes.map { .insert($0.row(key), into: "push_inboxes") }
            + [PushMessageSQL.count(messages: 1, of: key.realm, key.name, message.sentAt, limits)])
      }
    }
  }

  /// The message as it is, or `nil` when there is none.
  public func pushMessage(id: String, realm: String) async throws -> PushMessageRecord? {
    try await look(.pushMessage(PushMessageSQL.one, id, RealmKey(realm).realm, serverKey))
  }

  /// Decides an open message and keeps the decision for later queries: one conditional write, `true` for exactly one caller. A device that
  /// the account no longer has cannot decide.
  public func decidePushMessage(
    id: String, realm: String, as state: PushMessageRecord.State, by mechanismUID: String, reason: String?,
    now: Date
  ) async throws -> Bool {
    let realm = RealmKey(realm).realm
    let decide = PushMessageSQL.decide(id, realm, as: state, by: mechanismUID, reason: reason, now: now)
    // The second statement adds nothing unless the first has decided: one message has one decision.
    let (isDecided, _) = try await change(
      "the decision of \(id)",
      .all(decide.decisive.isDone, .silent([SQLStatement(PushMessageSQL.keepDecision, [realm, id, now])])))
    return isDecided
  }

  /// Counts a wrong number or code against the message and against its user; at a limit the message ends as denied.
  /// One conditional write. `false` when the message is not open, or the account does not have the device.
  public func recordWrongPushAnswer(
    id: String, realm: String, by mechanismUID: String, limits: PushLimits, now: Date
  ) async throws -> Bool {
    let realm = RealmKey(realm).realm
    let values: StatementValues = [
      "limit": limits.wrongAnswersPerMessage, "device": mechanismUID, "realm": realm, "id": id, "now": now,
    ]
    return try await write("a wrong answer to \(id)") {
      .ask(SQLStatement(PushMessageSQL.recordWrongAnswer, values).row(of: "push_messages") { try $0.text() })
      {
        guard let name = $0 else { return .done(false) }
        return .done(
          true,
          [
            PushMessageSQL.count(wrongAnswers: 1, of: realm, name, now, limits),
            SQLStatement(PushMessageSQL.keepDecision, [realm, id, now]),
          ])
      }
    }
  }

  /// Decides an open enrolment and stores the device: one conditional write.
  public func completePushEnrolment(
    id: String, device: PushDeviceRecord, now: Date
  ) async throws -> PushEnrolmentResult {
    let key = AccountKey(device.account)
    let questions = SQLQuestion<(Void, PushMessageRecord?, Int)>.all(
      .silent([.hold(key)]), .pushMessage(PushMessageSQL.heldOne, id, key.realm, serverKey),
      DeviceTable.oath(serverKey).count(of: key))
    let decide = PushMessageSQL.decide(
      id, key.realm, as: .approved, by: device.mechanismUID, reason: nil, now: now)
    return try await write("the push device \(device.uuid) of \(device.username)") { [quotas, serverKey] in
      .ask(questions) { _, message, codes in
        guard let message, message.isOpen(at: now), let enrolment = message.enrolment else {
          return .done(.notOpen)
        }
        guard enrolment.oath == nil || codes == 0 else { return .done(.limitReached) }
        let limit = quotas.deviceLimit(
          DeviceLimit(enrolment.deviceLimit, onlyAsFirstFactor: enrolment.onlyAsFirstFactor))
        let added = try DeviceTable.push(serverKey).add(device, limit: limit)
        return .next(
          added.then { addition in
            let result = try device.enrolmentResult(addition)
            guard result == .added else { return .done(result) }
            guard let oath = enrolment.oath else { return .done(.added, [decide]) }
            // The limit of one was asked above, and the device above may be the first factor beside it.
            return .next(
              try DeviceTable.oath(serverKey).add(oath, limit: 1).then {
                _ = try oath.wasAdded($0)
                return .done(.added, [decide])
              })
          })
      }
    }
  }

  /// Removes a message that nobody signs in by, so that no later answer finds it. Returns the record as it was; `nil` when there was none.
  /// Only one of several callers gets it.
  public func removePushMessage(id: String, realm: String) async throws -> PushMessageRecord? {
    let taken = SQLQuestion.pushMessage(PushMessageSQL.take, id, RealmKey(realm).realm, serverKey)
    return try await write("the end of \(id)") { .ask(taken) { .done($0) } }
  }

  /// Removes the message in order to sign somebody in by it. Only one of several callers gets it.
  ///
  /// If the message was approved for the account, and the account is not locked, the same write forgets the failures of the scope and the
  /// counts of push messages since the last success, and updates the last access of the device that approved it. An approval becomes a
  /// denial when the account no longer has that device.
  ///
  /// - Parameter step: the answered step of the journey, consumed in the same write; when it was consumed before, nothing else happens.
  ///   `nil` when there is no step, or it is consumed already.
  public func usePushMessage(
    id: String, for use: PushUse, using step: OnceKey?
  ) async throws -> PushUsage {
    try await write("the end of \(id)") { PushMessageSQL.use(id, for: use, using: step, serverKey) }
  }

  /// The decisions on push messages, the newest first.
  public func pushDecisions(_ query: EvidenceQuery) async throws -> [PushDecisionRecord] {
    let scope = EvidenceSQL.scope(of: query, isSinceCreation: "decided_at >= \(EvidenceSQL.creation)")
    return try await read(
      PushDecisionRecord.all(
        where: """
          \(scope)
            AND (:before IS NULL OR number < :before) AND (:since IS NULL OR decided_at >= :since)
            AND (:until IS NULL OR decided_at < :until) AND (:type IS NULL OR type = :type)
            ORDER BY number DESC LIMIT :limit OFFSET :offset
          """,
        [
          "realm": query.realmKey, "name": query.nameKey, "account": query.accountID,
          "before": query.before, "limit": max(0, query.limit),
          "since": query.since.map { Double($0) / 1000 }, "until": query.until.map { Double($0) / 1000 },
          "type": query.kind, "offset": max(0, query.offset),
        ]))
  }
}

extension SQLQuestion where Value == PushMessageRecord? {
  fileprivate static func pushMessage(
    _ sql: SQL, _ id: String, _ realm: String, _ serverKey: ServerKey
  ) -> SQLQuestion {
    SQLStatement(sql, [realm, id]).row(of: "push_messages") { try PushMessageRecord($0, serverKey) }
  }
}

enum PushMessageSQL {
  /// Uses an approved message for the purpose it was sent for. Of several callers with the same step, the others wait until the first one
  /// is done, and then take nothing.
  static func use(
    _ id: String, for use: PushUse, using step: OnceKey?, _ serverKey: ServerKey
  ) -> SQLOperation<PushUsage> {
    let key = AccountKey(use.account)
    let questions = SQLQuestion<(Bool, Bool, PushMessageRecord?, LockoutCounts)>.all(
      .consuming(step), SQLStatement(hasDeciding, [key.realm, key.name, id]).flag,
      .pushMessage(take, id, key.realm, serverKey), .lockouts(key, use.scope))
    return .ask(questions) { isFirst, hasDevice, message, counts in
      guard isFirst else { throw Undone(answer: PushUsage.stepWasUsed) }
      guard let message, use.isMeant(by: message) else { return .done(.taken(message, isLocked: false)) }
      guard hasDevice else { return .done(.taken(message.withoutDevice, isLocked: false)) }
      let end = { @Sendable (counts: LockoutCounts) -> SQLOperation<PushUsage>.Decision in
        guard !counts.state.isLocked(at: use.date) else {
          return .done(.taken(message, isLocked: true))
        }
        let forgetting = counts.hasFailures ? counts.forgetting(key) : []
        // The counts of the account's push messages since its last success are forgotten, too.
        let success = [
          SQLStatement(forgetCounts, key.values),
          SQLStatement(noteUse, [use.date, key.realm, message.decidedBy]),
        ]
        return .done(.taken(message, isLocked: false), forgetting + success)
      }
      guard counts.hasFailures else { return end(counts) }
      return .next(.ask(.heldLockouts(key, use.scope, use.date), end))
    }
  }

  /// Decides an open message; one row if it was open.
  fileprivate static func decide(
    _ id: String, _ realm: String, as state: PushMessageRecord.State, by mechanismUID: String,
    reason: String?, now: Date
  ) -> SQLStatement {
    SQLStatement(
      decide,
      [
        "state": state.rawValue, "device": mechanismUID, "reason": reason, "realm": realm, "id": id,
        "now": now,
      ])
  }

  /// Adds to the user's counts of messages and wrong answers.
  fileprivate static func count(
    messages: Int = 0, wrongAnswers: Int = 0, of realm: String, _ name: String, _ now: Date,
    _ limits: PushLimits
  ) -> SQLStatement {
    SQLStatement(
      count,
      [
        "realm": realm, "name": name, "messages": messages, "wrongAnswers": wrongAnswers, "now": now,
        "memory": limits.memory,
      ])
  }

  // MARK: Text

  fileprivate static let one: SQL =
    "SELECT \(PushMessageRecord.columns) FROM push_messages WHERE realm_key = ? AND id = ?"
  fileprivate static let heldOne: SQL = "\(one) \(.held)"
  fileprivate static let take: SQL =
    "DELETE FROM push_messages WHERE realm_key = ? AND id = ? RETURNING \(PushMessageRecord.columns)"

  /// Open messages, and messages and wrong answers since the last success. Whatever is further ahead than the memory was written by a clock
  /// that was wrong.
  fileprivate static let counts: SQL = """
    SELECT
      (SELECT count(*) FROM push_messages WHERE realm_key = :realm AND name_key = :name
        AND kind = 'authentication' AND state = 'pending' AND expires_at > :now
        AND sent_at < :now + :memory) AS open,
      coalesce((SELECT messages FROM push_accounts WHERE realm_key = :realm AND name_key = :name
        AND abs(latest - :now) < :memory), 0) AS messages,
      coalesce((SELECT wrong_answers FROM push_accounts WHERE realm_key = :realm AND name_key = :name
        AND abs(latest - :now) < :memory), 0) AS wrong_answers
    """

  private static let count: SQL = """
    INSERT INTO push_accounts AS known (realm_key, name_key, messages, wrong_answers, latest)
    VALUES (:realm, :name, :messages, :wrongAnswers, :now)
    ON CONFLICT (realm_key, name_key) DO UPDATE SET
      messages = CASE WHEN \(isRecent) THEN known.messages ELSE 0 END + :messages,
      wrong_answers = CASE WHEN \(isRecent) THEN known.wrong_answers ELSE 0 END + :wrongAnswers,
      latest = CASE WHEN \(isRecent) THEN \(.greatest)(known.latest, :now) ELSE :now END
    """

  private static let isRecent = "abs(known.latest - :now) < :memory"

  private static let forgetCounts: SQL =
    "UPDATE push_accounts SET messages = 0, wrong_answers = 0 WHERE realm_key = ? AND name_key = ?"

  private static let noteUse: SQL = """
    UPDATE push_devices SET last_access_date = \(.greatest)(last_access_date, ?)
      WHERE realm_key = ? AND mechanism_uid = ?
    """

  private static let isOpen = "realm_key = :realm AND id = :id AND state = 'pending' AND expires_at > :now"

  /// Whether the message's account still has the device that answers. The write checks it again, because the answer was verified a moment
  /// earlier. A removal of the device waits until the message is decided or used, or the other way round.
  private static let hasDevice: SQL = """
    EXISTS (SELECT 1 FROM push_devices WHERE push_devices.realm_key = :realm AND push_devices.mechanism_uid = :device
      AND push_devices.name_key = push_messages.name_key \(.held))
    """

  private static let decide: SQL = """
    UPDATE push_messages SET state = :state, decided_by = :device, reason = :reason
    WHERE \(isOpen) AND \(hasDevice)
    """

  fileprivate static let recordWrongAnswer: SQL = """
    UPDATE push_messages SET wrong_answers = wrong_answers + 1,
      state = CASE WHEN wrong_answers + 1 >= :limit THEN 'denied' ELSE state END,
      decided_by = CASE WHEN wrong_answers + 1 >= :limit THEN :device ELSE decided_by END,
      reason = CASE WHEN wrong_answers + 1 >= :limit THEN 'wrong number or code' ELSE reason END
    WHERE \(isOpen) AND \(hasDevice) RETURNING name_key
    """

  /// ?1 realm, ?2 name, ?3 message: whether the account still has the device that decided it.
  private static let hasDeciding: SQL = """
    SELECT true FROM push_devices WHERE realm_key = ?1 AND name_key = ?2
      AND mechanism_uid = (SELECT decided_by FROM push_messages WHERE realm_key = ?1 AND id = ?3) \(.held)
    """

  /// The ascending number of a decision. In PostgreSQL it is the time in microseconds, so that no server waits for another.
  private static let number = SQL(
    sqlite: "NULL", postgres: "(extract(epoch FROM clock_timestamp()) * 1000000)::bigint")

  /// ?1 realm, ?2 message, ?3 now: keeps the decision on the message, if there is one. The device may be gone.
  fileprivate static let keepDecision: SQL = """
    INSERT INTO push_decisions (number, realm_key, name_key, realm, username, account_id, message_id, type, state,
      device, device_name, reason, sent_at, decided_at)
    SELECT \(number), m.realm_key, m.name_key, m.realm, m.username,
      account_id, id, type, state, coalesce(uuid, decided_by), coalesce(device_name, ''), reason, sent_at, ?3
      FROM push_messages AS m
        JOIN users AS u ON u.realm_key = m.realm_key AND u.name_key = m.name_key
        LEFT JOIN push_devices AS d
        ON d.realm_key = m.realm_key AND d.mechanism_uid = m.decided_by
      WHERE m.realm_key = ?1 AND id = ?2 AND kind = 'authentication' AND state != 'pending'
    ON CONFLICT DO NOTHING
    """
}
