internal import EvidenceLedger
internal import Foundation
internal import GRDB
internal import JOSE

/// The ledger of a database that is being opened, or only read.
struct EvidenceTable: Sendable {
  let ledger: SealedLedger

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
    let head = try db.ask(EvidenceSQL.head(.first, of: ledger))
    guard head.number == chain.count, head.hash == chain.head else {
      throw StoreError.corrupt("table evidence: entry \(chain.count) is not the one that was sealed")
    }
    try ledger.require(removed: removed(in: db), in: chain)
    return chain
  }

  /// How many entries have lost their content.
  func removed(in db: Database) throws -> Int64 {
    guard try db.tableExists("evidence_retention") else { return 0 }
    return try db.ask(EvidenceSQL.removed(of: ledger)) ?? 0
  }
}

extension Database {
  func sealedSecret(named name: String) throws -> [UInt8]? { try ask(ServerKeySQL.sealedSecret(name)) }

  /// Tells the key which of its keys the database uses.
  ///
  /// - Throws: ``StoreError/corrupt(_:)`` when that one is not there.
  func takeKeys(into key: ServerKey) throws {
    // A database that a server of this version has not opened yet has no such table.
    guard try tableExists("server_keys") else { return }
    let instant = ContinuousClock.now
    try key.take(ask(ServerKeySQL.entries), askedAt: instant)
    try key.requireCurrent()
  }

  /// Notes the key of a database that has noted none: the one that opens what is there.
  func registerKey(of key: ServerKey) throws {
    let sealed = try sealedSecret(named: SealedLedger.keyName)
    let id = sealed.map { key.id(opening: $0, named: SealedLedger.keyName) } ?? key.loaded.first?.id
    guard let id else {
      // Says what is wrong.
      _ = try EvidenceTable.signer(in: self, serverKey: key)
      return
    }
    _ = try answers(to: [SQLStatement(ServerKeySQL.register, [id])])
    try takeKeys(into: key)
  }
}
