package import EvidenceLedger
internal import Foundation
package import JOSE

/// Statements about the ledger's tables. SQLite has lane 0 alone, and no tables of lanes and epochs.
package enum EvidenceSQL {
  /// The ledger of the database; `nil` when it has none.
  package static func ledger(_ serverKey: ServerKey) -> SQLQuestion<SealedLedger?> {
    SQLStatement("SELECT header FROM evidence_ledger WHERE id = 1")
      .row(of: "evidence_ledger") { try SealedLedger(line: $0.text(), serverKey: serverKey) }
  }

  /// Signs checkpoints; only the right server key opens it.
  package static func signer(_ serverKey: ServerKey) -> SQLQuestion<P256Signer> {
    ServerKeySQL.sealedSecret(SealedLedger.keyName).map { try SealedLedger.signer($0, serverKey: serverKey) }
  }

  /// Holds lane 0, or what all lanes have in common.
  package static let lockLedger = SQLStatement(
    SQL(sqlite: "", postgres: "SELECT id FROM evidence_ledger WHERE id = 1 FOR NO KEY UPDATE"))

  private static let firstHead: SQL = """
    SELECT seal, number, hash FROM evidence_ledger LEFT JOIN evidence
      ON number = (SELECT max(number) FROM evidence WHERE number < ?)
    """

  /// In an empty lane `last` is below 64, which may be the number of an entry in lane 0.
  private static let isEnd = "number = last AND last >= \(EvidenceLane.lowest)"

  /// The end of a lane's chain, if the seal says that it is the end. The lane is held first. The end is a statement of its own, because
  /// one that waits for a lock sees other rows as they were before.
  static func head(_ lane: EvidenceLane, of ledger: SealedLedger) -> SQLQuestion<SealedLedger.Head> {
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
  package static func heads(of ledger: SealedLedger) -> SQLQuestion<[SealedLedger.Head]> {
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

  /// Chains the records to `head`, one to the other; whoever asked for that holds the lane until the end of the transaction. The answer
  /// is their numbers.
  ///
  /// - Throws: ``StoreError/unavailable(_:)`` for a record that is too large. Reading the answer throws
  ///   ``StoreError/exhausted(_:)`` when an account has added all that it may today, and the clock that counts is the record's.
  static func append(
    _ records: [EvidenceRecord], after head: SealedLedger.Head, _ ledger: SealedLedger, _ quotas: StoreQuotas
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
      head = SealedLedger.Head(entry, in: head.lane)
    }
    let seal = try ledger.seal(head)
    let stored = store(end(head.lane, head.number, seal: seal), seal)
    return SQLQuestion.each([stored] + questions).map { [numbers] _ in numbers }
  }

  private static let insert: SQL =
    "INSERT INTO evidence (number, realm_key, name_key, account_id, line, hash) VALUES (?, ?, ?, ?, ?, ?)"

  /// ?1 realm, ?2 name, ?3 day, ?4 bytes of an entry, ?5 bytes of a day. Changes nothing when they are used up. A day that
  /// is over does not come again, even if a clock is set back.
  private static let use: SQL = """
    INSERT INTO evidence_use AS known (realm_key, name_key, day, bytes) VALUES (?1, ?2, ?3, ?4)
    ON CONFLICT (realm_key, name_key) DO UPDATE SET
      bytes = CASE WHEN ?3 > known.day THEN ?4 ELSE known.bytes + ?4 END, day = \(.greatest)(known.day, ?3)
    WHERE ?3 > known.day OR known.bytes + ?4 <= ?5
    """

  /// The entry of that number, unless its content was removed.
  static func entry(number: Int64) -> SQLQuestion<EvidenceEntry?> {
    SQLStatement("SELECT number, line FROM evidence WHERE number = ? AND line <> ''", [number])
      .row(of: "evidence", SealedLedger.entry)
  }

  /// When the account of `:realm`, `:name` and `:account` was created; nothing when it is gone. What has no id and is not older is taken for
  /// the account's.
  static let creation = """
    (SELECT created_at FROM users WHERE users.realm_key = :realm AND users.name_key = :name
      AND users.account_id = :account)
    """

  private static let kind = member("kind")
  private static let time = SQL(
    sqlite: member("time").sqlite, postgres: "(\(member("time").postgres))::bigint")
  private static let timeOfCreation = SQL(
    sqlite: "CAST(\(creation) * 1000 AS INTEGER)", postgres: "floor(\(creation) * 1000)")

  private static func member(_ name: String) -> SQL {
    SQL(sqlite: "json_extract(nullif(line, ''), '$.\(name)')", postgres: "nullif(line, '')::json->>'\(name)'")
  }

  /// Times are not quite in the order of numbers: several servers have several clocks. Entries that servers of earlier versions wrote
  /// have no id.
  static func page(_ query: EvidenceQuery) -> SQLQuestion<[EvidenceEntry]> {
    let key = AccountKey(username: query.username ?? "", realm: query.realm ?? "")
    var sql: SQL = "SELECT number, line FROM evidence WHERE number < :before AND line <> ''"
    if query.realm != nil {
      sql = "\(sql) AND realm_key = :realm"
      if query.username != nil {
        sql = "\(sql) AND name_key = :name"
        if query.accountID != nil {
          sql = """
            \(sql) AND (account_id = :account OR (account_id IS NULL AND \(time) >= \(timeOfCreation)))
            """
        }
      }
    }
    if query.since != nil { sql = "\(sql) AND \(time) >= :since" }
    if query.until != nil { sql = "\(sql) AND \(time) < :until" }
    if query.kind != nil { sql = "\(sql) AND \(kind) = :kind" }
    let values: StatementValues = [
      "before": query.before ?? Int64.max, "realm": key.realm, "name": key.name, "account": query.accountID,
      "since": query.since, "until": query.until, "kind": query.kind, "limit": max(0, query.limit),
      "offset": max(0, query.offset),
    ]
    return SQLStatement("\(sql) ORDER BY number DESC LIMIT :limit OFFSET :offset", values)
      .rows(of: "evidence", SealedLedger.entry)
  }

  static let knows: SQL = """
    SELECT EXISTS (SELECT 1 FROM users WHERE realm_key = ?1 AND (?2 IS NULL OR name_key = ?2))
      OR EXISTS (SELECT 1 FROM evidence WHERE realm_key = ?1 AND (?2 IS NULL OR name_key = ?2))
    """

  /// Whether there is such an account or an entry of it; of anybody in the realm for `nil`.
  package static func knows(username: String?, realm: String) -> SQLQuestion<Bool> {
    let key = AccountKey(username: username ?? "", realm: realm)
    return SQLStatement(knows, [key.realm, username == nil ? nil : key.name]).flag
  }

  /// Adds the entry of a proof that has not been accepted before.
  ///
  /// - Parameter replayed: what is thrown when it has.
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
  package static func note(removed: Int64, _ ledger: SealedLedger) throws -> SQLQuestion<Void> {
    let seal = try ledger.seal(removed: removed)
    return store(
      SQLStatement(
        """
        INSERT INTO evidence_retention (id, removed, seal) SELECT 1, ?1, ?2 WHERE \(KeyFence.isNotRetired("?3"))
        ON CONFLICT (id) DO UPDATE SET removed = ?1, seal = ?2
        """, [removed, seal.bytes, seal.key]), seal)
  }

  /// Seals the ends of all lanes, and what retention has removed, under the key in use. All lanes are held until the end; whoever
  /// adds to one waits for it.
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

  /// Takes the content of at most `limit` of the first `leaves` entries, up to the first that is not older than `time`; where lane 0 is
  /// alone, and its order needs no epochs.
  package static func removeContent(
    before time: Int64, amongFirst leaves: Int64, limit: Int, of ledger: SealedLedger
  ) -> SQLOperation<EvidenceRemoval> {
    let questions = SQLQuestion<(Void, Int64?, Int, Bool)>.all(
      .silent([lockLedger]), removed(of: ledger),
      SQLStatement(firstKept, [EvidenceLane.lowest, time]).integer,
      SQLStatement(hasEpochs).flag)
    return .ask(questions) { _, known, kept, hasEpochs in
      let known = known ?? 0
      // Since the epochs were looked for, somebody has made the first.
      guard !hasEpochs else { return .done(EvidenceRemoval(removed: known, new: 0, isComplete: false)) }
      let wanted = min(Int64(kept) - 1, leaves)
      guard wanted > known else { return .done(EvidenceRemoval(removed: known, new: 0, isComplete: true)) }
      let removed = min(wanted, known + Int64(limit))
      let removal = EvidenceRemoval(removed: removed, new: removed - known, isComplete: removed == wanted)
      let changes = SQLQuestion<(Void, Void)>.all(
        .silent([blank(after: known, upTo: removed)]), try note(removed: removed, ledger))
      return .next(.ask(changes) { _, _ in .done(removal) })
    }
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

  /// Takes the content of entries after a number, up to another.
  ///
  /// - Parameter condition: which of them besides.
  package static func blank(
    after number: Int64, upTo last: Int64, _ condition: String = "", _ values: StatementValues = []
  ) -> SQLStatement {
    SQLStatement(
      """
      UPDATE evidence SET line = '', realm_key = '', name_key = '', account_id = NULL
        WHERE line <> '' AND number > ? AND number <= ? \(condition)
      """, [number, last] + values)
  }

  /// The condition of the entries of a lane. Lane 0 has all numbers that others do not have.
  package static let inLane =
    "AND number & \(EvidenceLane.maximum) = ? AND number >= \(EvidenceLane.lowest)"

  /// Entries of one lane after a number, up to another, as lines of an export.
  package static func part(
    _ lane: EvidenceLane, after: Int64, upTo last: Int64 = EvidenceLane.lowest - 1, limit: Int
  ) -> SQLQuestion<[[UInt8]]> {
    let isFirst = lane == .first
    return SQLStatement(
      """
      SELECT number, line, hash FROM evidence WHERE number > ? AND number <= ? \(isFirst ? "" : inLane)
        ORDER BY number LIMIT ?
      """, [after, last] + (isFirst ? [] : [lane.index]) + [limit]
    ).rows(of: "evidence", SealedLedger.line)
  }
}
