package import EvidenceLedger
internal import Foundation
package import JOSE

/// Statements on the ledger's tables. SQLite has only lane 0, and no tables of lanes and epochs.
package enum EvidenceSQL {
  /// The ledger of the database; `nil` when it has none.
  package static func ledger(_ serverKey: ServerKey) -> SQLQuestion<SealedLedger?> {
    SQLStatement("SELECT header FROM evidence_ledger WHERE id = 1")
      .row(of: "evidence_ledger") { try SealedLedger(line: $0.text(), serverKey: serverKey) }
  }

  /// The signer of checkpoints. Only the right server key opens its private key.
  package static func signer(_ serverKey: ServerKey) -> SQLQuestion<P256Signer> {
    ServerKeySQL.sealedSecret(SealedLedger.keyName).map { try SealedLedger.signer($0, serverKey: serverKey) }
  }

  /// Locks lane 0, or what all lanes share.
  package static let lockLedger = SQLStatement(
    SQL(sqlite: "", postgres: "SELECT id FROM evidence_ledger WHERE id = 1 FOR NO KEY UPDATE"))

  private static let firstHead: SQL = """
    SELECT seal, number, hash FROM evidence_ledger LEFT JOIN evidence
      ON number = (SELECT max(number) FROM evidence WHERE number < ?)
    """

  /// In an empty lane `last` is below 64, which may be the number of an entry in lane 0.
  private static let isEnd = "number = last AND last >= \(EvidenceLane.lowest)"

  /// The end of a lane's chain, verified by its seal. The first statement locks the lane. The second one reads the end, because a statement
  /// that waits for a lock sees other rows as they were before.
  static func head(_ lane: EvidenceLane, of ledger: SealedLedger) -> SQLQuestion<EvidenceLaneEnd> {
    let statements =
      lane == .first
      ? [lockLedger, SQLStatement(firstHead, [EvidenceLane.lowest])]
      : [
        SQLStatement(lockLane, [lane.index]), SQLStatement(headOfLane, [lane.index]),
      ]
    return SQLQuestion(statements) {
      try $0.last?.first("evidence_ledger") { try ledger.head($0, of: lane) } ?? ledger.head(nil, of: lane)
    }
  }

  private static let lockLane: SQL = "SELECT lane FROM evidence_lanes WHERE lane = ? \(.held)"
  private static let headOfLane: SQL = """
    SELECT seal, number, hash FROM evidence_lanes LEFT JOIN evidence ON \(isEnd) WHERE lane = ?
    """

  /// The ends of all lanes at one moment, in ascending order.
  package static func heads(of ledger: SealedLedger) -> SQLQuestion<[EvidenceLaneEnd]> {
    SQLStatement(allHeads, [EvidenceLane.lowest]).rows(of: "evidence_lanes") { row in
      guard let lane = EvidenceLane(Int64(try row.integer("lane"))) else {
        throw StoreError.corrupt("table evidence_lanes: there is no such lane")
      }
      return try ledger.head(row, of: lane)
    }.map { $0.first?.lane == .first ? $0 : [try ledger.head(nil)] }
  }

  private static let allHeads: SQL = """
    SELECT CAST(0 AS bigint) AS lane, seal, number, hash FROM evidence_ledger LEFT JOIN evidence
      ON number = (SELECT max(number) FROM evidence WHERE number < ?) \(otherHeads)
    """
  private static let otherHeads = SQL(
    sqlite: "",
    postgres: """
      UNION ALL SELECT lane, seal, number, hash FROM evidence_lanes LEFT JOIN evidence ON \(isEnd) ORDER BY lane
      """)

  /// Notes the new end of a lane. Changes nothing when the seal's key is retired: retiring it holds the lane's lock.
  private static func end(_ lane: EvidenceLane, _ number: Int64, seal: ServerKey.Code) -> SQLStatement {
    lane == .first
      ? SQLStatement(firstEnd, [seal.bytes, seal.key])
      : SQLStatement(endOfLane, [number, seal.bytes, lane.index, seal.key])
  }

  private static let firstEnd: SQL =
    "UPDATE evidence_ledger SET seal = ?1 WHERE id = 1 AND \(KeyFence.isNotRetired("?2"))"
  private static let endOfLane: SQL =
    "UPDATE evidence_lanes SET last = ?1, seal = ?2 WHERE lane = ?3 AND \(KeyFence.isNotRetired("?4"))"

  /// A statement that stores a seal. Reading its answer throws ``OutdatedKey`` when the seal's key is retired.
  private static func store(_ statement: SQLStatement, _ seal: ServerKey.Code) -> SQLQuestion<Void> {
    statement.isDone.map { guard $0 else { throw OutdatedKey(retired: seal.key) } }
  }

  // MARK: Entries

  /// Appends the records to the chain that ends with `head`, whose lane the caller has locked until the end of the transaction. The answer
  /// has the numbers of the entries.
  ///
  /// - Throws: ``StoreError/unavailable(_:)`` for a record that is too large. Reading the answer throws ``StoreError/exhausted(_:)`` when
  ///   an account has used up its bytes of the day, by the record's clock.
  static func append(
    _ records: [EvidenceRecord], after head: EvidenceLaneEnd, _ ledger: SealedLedger, _ quotas: StoreQuotas
  ) throws -> SQLQuestion<[Int64]> {
    var head = head
    var numbers: [Int64] = []
    var questions: [SQLQuestion<Void>] = []
    for record in records {
      let entry = try SealedLedger.entry(record, after: head)
      let account = AccountKey(username: record.username, realm: record.realm)
      let (day, bytes) = (SealedLedger.day(of: record), entry.line.count)
      for charge in SealedLedger.charges(for: record, quotas) {
        let charged = SQLStatement(use, [charge.realm, charge.name, day, bytes, charge.limit])
        questions.append(
          charged.isDone.map { guard $0, bytes <= charge.limit else { throw charge.exhausted } })
      }
      let line = String(decoding: entry.line, as: UTF8.self)
      let values: StatementValues = [
        entry.number, account.realm, account.name, record.accountID, line, entry.hash.bytes,
      ]
      questions.append(.silent([SQLStatement(insert, values)]))
      numbers.append(entry.number)
      head = EvidenceLaneEnd(lane: head.lane, number: entry.number, head: entry.hash)
    }
    let seal = try ledger.seal(head)
    let stored = store(end(head.lane, head.number, seal: seal), seal)
    return SQLQuestion.each([stored] + questions).map { [numbers] _ in numbers }
  }

  private static let insert: SQL =
    "INSERT INTO evidence (number, realm_key, name_key, account_id, line, hash) VALUES (?, ?, ?, ?, ?, ?)"

  /// ?1 realm, ?2 name, ?3 day, ?4 bytes of an entry, ?5 bytes of a day. Changes nothing when they are used up. A clock that is set back
  /// by a day does not reopen a past day; a day further ahead was written by a clock that was wrong.
  private static let use: SQL = """
    INSERT INTO evidence_use AS known (realm_key, name_key, day, bytes) VALUES (?1, ?2, ?3, ?4)
    ON CONFLICT (realm_key, name_key) DO UPDATE SET
      bytes = CASE WHEN \(isSameDay) THEN known.bytes ELSE 0 END + ?4,
      day = CASE WHEN \(isSameDay) THEN known.day ELSE ?3 END
    WHERE NOT (\(isSameDay)) OR known.bytes + ?4 <= ?5
    """
  private static let isSameDay = "?3 BETWEEN known.day - 1 AND known.day"

  /// The entry of that number, unless its content was removed.
  static func entry(number: Int64) -> SQLQuestion<EvidenceEntry?> {
    SQLStatement("SELECT number, line FROM evidence WHERE number = ? AND line <> ''", [number])
      .row(of: "evidence", SealedLedger.entry)
  }

  /// The time at which the account of `:realm`, `:name` and `:account` was created; NULL when the account is gone. An entry without an
  /// account id counts as the account's unless it is older.
  static let creation = """
    (SELECT created_at FROM users WHERE users.realm_key = :realm AND users.name_key = :name
      AND users.account_id = :account)
    """

  /// The condition for rows of the query's realm and account, by `:realm`, `:name` and `:account`. A name without a realm, or an id without
  /// both, is no account, so the condition is true of no row.
  ///
  /// - Parameter isSinceCreation: whether a row without an account id is not older than the account, by ``creation``.
  static func scope(of query: EvidenceQuery, isSinceCreation: SQL) -> SQL {
    if query.accountID != nil {
      return """
        (realm_key = :realm AND name_key = :name
          AND (account_id = :account OR (account_id IS NULL AND \(isSinceCreation))))
        """
    }
    if query.username != nil { return "(realm_key = :realm AND name_key = :name)" }
    return query.realm == nil ? "TRUE" : "realm_key = :realm"
  }

  private static let kind = member("kind")
  private static let time = SQL(
    sqlite: member("time").sqlite, postgres: "(\(member("time").postgres))::bigint")
  private static let timeOfCreation = SQL(
    sqlite: "CAST(\(creation) * 1000 AS INTEGER)", postgres: "floor(\(creation) * 1000)")

  private static func member(_ name: String) -> SQL {
    SQL(sqlite: "json_extract(nullif(line, ''), '$.\(name)')", postgres: "nullif(line, '')::json->>'\(name)'")
  }

  /// Entries of the query, the newest first. Their times do not quite follow their numbers, because each server has its own clock. Entries
  /// that earlier versions wrote have no account id.
  static func page(_ query: EvidenceQuery) -> SQLQuestion<[EvidenceEntry]> {
    var sql: SQL = """
      SELECT number, line FROM evidence WHERE number < :before AND line <> ''
        AND \(scope(of: query, isSinceCreation: "\(time) >= \(timeOfCreation)"))
      """
    if query.since != nil { sql = "\(sql) AND \(time) >= :since" }
    if query.until != nil { sql = "\(sql) AND \(time) < :until" }
    if query.kind != nil { sql = "\(sql) AND \(kind) = :kind" }
    let values: StatementValues = [
      "before": query.before ?? Int64.max, "realm": query.realmKey, "name": query.nameKey,
      "account": query.accountID, "since": query.since, "until": query.until, "kind": query.kind,
      "limit": max(0, query.limit), "offset": max(0, query.offset),
    ]
    return SQLStatement("\(sql) ORDER BY number DESC LIMIT :limit OFFSET :offset", values)
      .rows(of: "evidence", SealedLedger.entry)
  }

  static let knows: SQL = """
    SELECT EXISTS (SELECT 1 FROM users WHERE realm_key = ?1 AND (?2 IS NULL OR name_key = ?2))
      OR EXISTS (SELECT 1 FROM evidence WHERE realm_key = ?1 AND (?2 IS NULL OR name_key = ?2))
    """

  /// Whether the account exists or has an entry; with `nil`, whether the realm has any account or entry.
  package static func knows(username: String?, realm: String) -> SQLQuestion<Bool> {
    let key = AccountKey(username: username ?? "", realm: realm)
    return SQLStatement(knows, [key.realm, username == nil ? nil : key.name]).flag
  }

  /// Adds the entry of a proof that has not been accepted before.
  ///
  /// - Parameter replayed: the error to throw when the proof was accepted before.
  static func add(
    _ record: EvidenceRecord, once: OnceKey, in lane: EvidenceLane, of ledger: SealedLedger,
    _ quotas: StoreQuotas, replayed: some Error
  ) -> SQLOperation<Int64> {
    let isNew = SQLStatement.consume(once).decisive.isDone.map { if !$0 { throw replayed } }
    return .ask(.all(isNew, head(lane, of: ledger))) { _, head in
      .next(
        .ask(try append([record], after: head, ledger, quotas)) { .done($0.first ?? head.number) })
    }
  }

  // MARK: Seals and retention

  /// How many entries have lost their content.
  package static func removed(of ledger: SealedLedger, isHeld: Bool = false) -> SQLQuestion<Int64?> {
    SQLStatement(isHeld ? "\(removedCount) \(.held)" : removedCount)
      .row(of: "evidence_retention") { try ledger.removed($0) }
  }

  private static let removedCount: SQL = "SELECT removed, seal FROM evidence_retention"

  /// Stores how many entries have lost their content.
  private static func note(removed: Int64, _ ledger: SealedLedger) throws -> SQLQuestion<Void> {
    let seal = try ledger.seal(removed: removed)
    return store(
      SQLStatement(
        """
        INSERT INTO evidence_retention (id, removed, seal) SELECT 1, ?1, ?2 WHERE \(KeyFence.isNotRetired("?3"))
        ON CONFLICT (id) DO UPDATE SET removed = ?1, seal = ?2
        """, [removed, seal.bytes, seal.key]), seal)
  }

  /// Seals the ends of all lanes, and what retention has removed, under the key in use. All lanes stay locked until the end of the
  /// transaction; a write that adds to one of them waits.
  static func sealAgain(_ ledger: SealedLedger) -> SQLOperation<Void> {
    let lockLanes = SQLStatement(
      SQL(sqlite: "", postgres: "SELECT lane FROM evidence_lanes ORDER BY lane FOR NO KEY UPDATE"))
    return .ask(
      .all(SQLQuestion.silent([lockLedger, lockLanes]), removed(of: ledger, isHeld: true), heads(of: ledger))
    ) { _, removed, heads in
      let ends = try heads.map { head in
        let seal = try ledger.seal(head)
        return store(end(head.lane, head.number, seal: seal), seal)
      }
      let retention = try removed.map { [try note(removed: $0, ledger)] } ?? []
      return .next(.ask(.each(ends + retention)) { _ in .done(()) })
    }
  }

  /// Removes the content of at most `limit` of the first `leaves` entries, up to the first entry that is not older than `time`. For a
  /// ledger that has only lane 0, whose order needs no epochs.
  package static func removeContent(
    before time: Int64, amongFirst leaves: Int64, limit: Int, of ledger: SealedLedger
  ) -> SQLOperation<EvidenceRemoval> {
    let questions = SQLQuestion<(Void, Int64?, Int, Bool)>.all(
      .silent([lockLedger]), removed(of: ledger),
      SQLStatement(firstKept, [EvidenceLane.lowest, time]).integer,
      SQLStatement(hasEpochs).flag)
    return .ask(questions) { _, known, kept, hasEpochs in
      let known = known ?? 0
      // Another server has made the first epoch since the caller looked for epochs.
      guard !hasEpochs else { return .done(EvidenceRemoval(removed: known, new: 0, isComplete: false)) }
      let wanted = min(Int64(kept) - 1, leaves)
      guard wanted > known else { return .done(EvidenceRemoval(removed: known, new: 0, isComplete: true)) }
      let removed = min(wanted, known + Int64(limit))
      let removal = EvidenceRemoval(removed: removed, new: removed - known, isComplete: removed == wanted)
      guard removed > known else { return .done(removal) }
      return try remove([EvidenceSpan(lane: .first, after: known, last: removed)], removal, ledger)
    }
  }

  /// Removes the content of the entries in `spans`, and notes how many entries have no content then.
  package static func remove(
    _ spans: [EvidenceSpan], _ removal: EvidenceRemoval, _ ledger: SealedLedger
  ) throws -> SQLOperation<EvidenceRemoval>.Decision {
    let blanks = spans.map { span in
      SQLStatement(
        """
        UPDATE evidence SET line = '', realm_key = '', name_key = '', account_id = NULL
          WHERE line <> '' AND \(span.condition)
        """, span.values)
    }
    let changes = SQLQuestion<(Void, Void)>.all(.silent(blanks), try note(removed: removal.removed, ledger))
    return .next(.ask(changes) { _, _ in .done(removal) })
  }

  private static let hasEpochs = SQL(
    sqlite: "SELECT false", postgres: "SELECT EXISTS (SELECT 1 FROM evidence_epochs)")

  /// In lane 0, the number of the first entry that has content and is not older than ?2.
  private static let firstKept: SQL = """
    SELECT coalesce(
      (SELECT min(number) FROM evidence WHERE number < ?1
        AND number > coalesce((SELECT removed FROM evidence_retention), 0) AND \(time) >= ?2),
      (SELECT max(number) + 1 FROM evidence WHERE number < ?1), 1)
    """

  /// Whether one of the entries has content and is not older than `moment`.
  package static func hasContent(since moment: Int64, _ span: EvidenceSpan) -> SQLQuestion<Bool> {
    SQLStatement(
      """
      SELECT EXISTS (SELECT 1 FROM evidence WHERE line <> '' AND \(time) >= ? AND \(span.condition))
      """, [moment] + span.values
    ).flag
  }

  /// The first entries, as lines of an export.
  package static func lines(_ span: EvidenceSpan, limit: Int) -> SQLQuestion<[[UInt8]]> {
    SQLStatement(
      "SELECT number, line, hash FROM evidence WHERE \(span.condition) ORDER BY number LIMIT ?",
      span.values + [limit]
    ).rows(of: "evidence", SealedLedger.line)
  }
}

/// The entries of one lane after the number `after`, up to and including `last`.
package struct EvidenceSpan: Sendable {
  let lane: EvidenceLane
  let after: Int64
  let last: Int64

  package init(lane: EvidenceLane, after: Int64, last: Int64) {
    (self.lane, self.after, self.last) = (lane, after, last)
  }

  /// Lane 0 has all numbers that the other lanes do not have.
  fileprivate var condition: String {
    let inLane = "AND number & \(EvidenceLane.maximum) = ? AND number >= \(EvidenceLane.lowest)"
    return "number > ? AND number <= ? \(lane == .first ? "" : inLane)"
  }

  fileprivate var values: StatementValues { [after, last] + (lane == .first ? [] : [lane.index]) }
}

extension EvidenceQuery {
  /// The realm and the name as the tables have them; `nil` when the query has none.
  var realmKey: String? { realm.map { RealmKey($0).realm } }
  var nameKey: String? { username.map { AccountKey(username: $0, realm: realm ?? "").name } }
}
