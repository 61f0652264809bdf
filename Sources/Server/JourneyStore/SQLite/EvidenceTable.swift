internal import EvidenceLedger
internal import Foundation
internal import GRDB
internal import JOSE

/// The ledger's tables: what is read and written inside of transactions that others begin.
struct EvidenceTable: Sendable {
  let ledger: SealedLedger

  /// What bounds the entries of a day.
  var quotas = StoreQuotas()

  // MARK: The ledger

  /// The ledger of this database; made, with a key of its own, if there is none.
  static func open(
    in db: Database, serverKey: ServerKey, randomBytes: (Int) -> [UInt8]
  ) throws -> EvidenceTable {
    if let table = try existing(in: db, serverKey: serverKey) { return table }
    let (ledger, sealedKey) = try SealedLedger.create(serverKey: serverKey, randomBytes: randomBytes)
    try db.insert(["name": SealedLedger.keyName, "sealed": sealedKey], into: "server_secrets")
    try db.insert(
      ["id": 1, "header": ledger.line, "seal": try ledger.seal().bytes], into: "evidence_ledger")
    return EvidenceTable(ledger: ledger)
  }

  /// The ledger of this database; `nil` when there is none.
  static func existing(in db: Database, serverKey: ServerKey) throws -> EvidenceTable? {
    let lines = try db.all("evidence_ledger", "SELECT header FROM evidence_ledger", []) { try $0.text() }
    return try lines.first.map {
      EvidenceTable(ledger: try SealedLedger(line: $0, serverKey: serverKey))
    }
  }

  /// The ledger of a database that is only looked at; `nil` for a new one, and one from before there was a ledger.
  ///
  /// - Throws: ``StoreError/corrupt(_:)`` when it was removed or exchanged.
  static func inspected(in db: Database, _ serverKey: ServerKey, _ mark: LedgerMark) throws -> EvidenceTable?
  {
    let applied = try StoreSchema.migrator.appliedMigrations(db).count
    guard applied >= StoreSchema.countBeforeLedger else { return nil }
    let table = try db.tableExists("evidence_ledger") ? existing(in: db, serverKey: serverKey) : nil
    try mark.check(table?.ledger.fingerprint, serverKey)
    if table == nil, applied == StoreSchema.migrator.migrations.count { try requireNoContent(in: db) }
    return table
  }

  /// For a database without a ledger.
  ///
  /// - Throws: ``StoreError/corrupt(_:)`` when it had one.
  static func requireNoContent(in db: Database) throws {
    guard try db.all("users", LedgerMark.hasContent, [], { try $0.flag() }) != [true] else {
      throw LedgerMark.isMissing
    }
  }

  /// Signs checkpoints.
  static func signer(in db: Database, serverKey: ServerKey) throws -> P256Signer {
    try SealedLedger.signer(db.sealedSecret(named: SealedLedger.keyName), serverKey: serverKey)
  }

  // MARK: Entries

  /// Chains the record to the last entry. The transaction must hold the write lock.
  ///
  /// - Throws: ``StoreError/exhausted(_:)`` when the account has added all that it may today, and the clock that counts is
  ///   the record's.
  func append(_ record: EvidenceRecord, to db: Database) throws -> Int64 {
    let entry = try SealedLedger.entry(record, after: head(in: db))
    let (day, bytes) = (SealedLedger.day(of: record), entry.line.count)
    for charge in SealedLedger.charges(for: record, quotas) {
      let values: StatementValues = [charge.realm, charge.name, day, bytes, charge.limit]
      guard bytes <= charge.limit, try db.change(Self.use, values) == 1 else { throw charge.exhausted }
    }
    let account = AccountKey(username: record.username, realm: record.realm)
    try db.insert(
      [
        "number": entry.number, "realm_key": account.realm, "name_key": account.name,
        "account_id": record.accountID,
        "line": String(decoding: entry.line, as: UTF8.self), "hash": entry.hash.bytes,
      ], into: "evidence")
    try Self.store(ledger.seal(endingWith: entry), in: db)
    return entry.number
  }

  /// Stores the seal of the chain's end.
  ///
  /// - Throws: ``OutdatedKey`` when its key is retired.
  private static func store(_ seal: ServerKey.Code, in db: Database) throws {
    let sql = "UPDATE evidence_ledger SET seal = ?1 WHERE id = 1 AND \(KeyFence.isNotRetired("?2"))"
    guard try db.change(sql, [seal.bytes, seal.key]) == 1 else { throw OutdatedKey(retired: seal.key) }
  }

  /// Seals the end of the chain, and what retention has removed, under the key in use.
  func sealAgain(in db: Database) throws {
    try Self.store(ledger.seal(head(in: db)), in: db)
    let removed = try removed(in: db)
    if removed > 0 { try note(removed: removed, in: db) }
  }

  /// ?1 realm, ?2 name, ?3 day, ?4 bytes of an entry, ?5 bytes of a day. Changes nothing when they are used up. A day that
  /// is over does not come again, even if a clock is set back.
  private static let use = """
    INSERT INTO evidence_use (realm_key, name_key, day, bytes) VALUES (?1, ?2, ?3, ?4)
    ON CONFLICT DO UPDATE SET
      bytes = CASE WHEN ?3 > day THEN ?4 ELSE bytes + ?4 END, day = max(day, ?3)
    WHERE ?3 > day OR bytes + ?4 <= ?5
    """

  /// The end of the chain, if the seal says that it is the end.
  func head(in db: Database) throws -> SealedLedger.Head {
    let sql = """
      SELECT seal, number, hash FROM evidence_ledger LEFT JOIN evidence
        ON number = (SELECT max(number) FROM evidence)
      """
    let heads = try db.all("evidence_ledger", sql, []) { try ledger.head($0) }
    return try heads.first ?? ledger.head(nil)
  }

  /// The entry of that number, or `nil`.
  static func entry(number: Int64, in db: Database) throws -> EvidenceEntry? {
    try db.all(
      "evidence", "SELECT number, line FROM evidence WHERE number = ? AND line <> ''", [number],
      SealedLedger.entry
    ).first
  }

  static func entries(_ query: EvidenceQuery, in db: Database) throws -> [EvidenceEntry] {
    var conditions = ["number < ?", "line <> ''"]
    var values: StatementValues = [query.before ?? Int64.max]
    if let realm = query.realm {
      let key = AccountKey(username: query.username ?? "", realm: realm)
      conditions.append("realm_key = ?")
      values = values + [key.realm]
      if query.username != nil {
        conditions.append("name_key = ?")
        values = values + [key.name]
        if let id = query.accountID {
          conditions.append(
            """
            (account_id = ? OR (account_id IS NULL AND json_extract(nullif(line, ''), '$.time') >= (
              SELECT CAST(created_at * 1000 AS INTEGER) FROM users
              WHERE realm_key = ? AND name_key = ? AND account_id = ?)))
            """)
          values = values + [id, key.realm, key.name, id]
        }
      }
    }
    // Times are not quite in the order of numbers: several servers have several clocks.
    for (condition, value) in [
      ("json_extract(nullif(line, ''), '$.time') >= ?", query.since?.storedValue),
      ("json_extract(nullif(line, ''), '$.time') < ?", query.until?.storedValue),
      ("json_extract(nullif(line, ''), '$.kind') = ?", query.kind?.storedValue),
    ] {
      guard let value else { continue }
      conditions.append(condition)
      values = values + StatementValues([value])
    }
    return try db.all(
      "evidence",
      """
      SELECT number, line FROM evidence WHERE \(conditions.joined(separator: " AND "))
        ORDER BY number DESC LIMIT ? OFFSET ?
      """,
      values + [max(0, query.limit), max(0, query.offset)], SealedLedger.entry)
  }

  /// Walks over all lines in order, checking the chain and that it ends at the sealed head.
  ///
  /// - Parameter start: what is known of the first ones, which are not read; `nil` reads all.
  func walk(
    _ db: Database, from start: EvidenceChain? = nil, _ visit: ([UInt8]) throws -> Void
  ) throws -> EvidenceChain {
    var chain = start ?? EvidenceChain(header: ledger.header)
    let statement = "SELECT number, line, hash FROM evidence WHERE number > ? ORDER BY number"
    try db.each("evidence", statement, [chain.count]) { row in
      let line = try SealedLedger.line(row)
      do throws(EvidenceFault) { try chain.append(line) } catch {
        throw StoreError.corrupt("table evidence: \(error)")
      }
      try visit(line)
    }
    let head = try head(in: db)
    guard head.number == chain.count, head.hash == chain.head else {
      throw StoreError.corrupt("table evidence: entry \(chain.count) is not the one that was sealed")
    }
    try ledger.require(removed: removed(in: db), in: chain)
    return chain
  }

  // MARK: Retention

  /// How many entries have lost their content.
  func removed(in db: Database) throws -> Int64 {
    guard try db.tableExists("evidence_retention") else { return 0 }
    let counts = try db.all("evidence_retention", "SELECT removed, seal FROM evidence_retention", []) {
      try ledger.removed($0)
    }
    return counts.first ?? 0
  }

  /// Takes the content of at most `limit` of the first `leaves` entries, up to the first that is not older than `time`.
  func removeContent(
    before time: Int64, amongFirst leaves: Int64, limit: Int, in db: Database
  ) throws -> EvidenceRemoval {
    let known = try removed(in: db)
    let kept = try db.all(
      "evidence",
      """
      SELECT coalesce(
        (SELECT min(number) FROM evidence WHERE number > ?1 AND json_extract(nullif(line, ''), '$.time') >= ?2),
        (SELECT max(number) + 1 FROM evidence), 1)
      """, [known, time]
    ) { Int64(try $0.integer()) }
    let wanted = min((kept.first ?? 1) - 1, leaves)
    guard wanted > known else { return EvidenceRemoval(removed: known, new: 0, isComplete: true) }
    let removed = min(wanted, known + Int64(limit))
    try db.change(
      """
      UPDATE evidence SET line = '', realm_key = '', name_key = '', account_id = NULL
        WHERE number > ? AND number <= ?
      """,
      [known, removed])
    try note(removed: removed, in: db)
    return EvidenceRemoval(removed: removed, new: removed - known, isComplete: removed == wanted)
  }

  private func note(removed: Int64, in db: Database) throws {
    let seal = try ledger.seal(removed: removed)
    let changed = try db.change(
      """
      INSERT INTO evidence_retention (id, removed, seal) SELECT 1, ?1, ?2 WHERE \(KeyFence.isNotRetired("?3"))
      ON CONFLICT DO UPDATE SET removed = ?1, seal = ?2
      """, [removed, seal.bytes, seal.key])
    guard changed == 1 else { throw OutdatedKey(retired: seal.key) }
  }
}
