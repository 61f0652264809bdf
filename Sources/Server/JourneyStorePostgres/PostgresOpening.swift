internal import EvidenceLedger
internal import Foundation
internal import JourneyStore
internal import Logging

/// The steps before a database is used: its tables are brought up to date, and any reason not to use it ends the start.
struct PostgresOpening: Sendable {
  let pool: PostgresPool

  /// How long the tables may take to be brought up to date, by this server or another one. Seconds.
  let patience: TimeInterval
  let logger: Logger

  /// Another transaction holds a lock that is not waited for.
  private struct Busy: Error { let cause: String }

  /// A change of a table waits for transactions that use it, and everybody else waits behind the change. So it gives up after this long,
  /// lets them pass, and tries again.
  private static let lockPatience = "3s"

  /// Carries out `body` in one transaction, under the lock that keeps other servers from opening the database meanwhile.
  ///
  /// A server that changes tables of a hundred million rows holds the lock for minutes. The others try again and again, rather than wait in
  /// the database, and log what they wait for.
  ///
  /// - Throws: ``StoreError/unavailable(_:)`` when it is still held after ``patience``.
  func alone<Value: Sendable>(
    _ body: @Sendable (PostgresTransaction) async throws -> Value
  ) async throws -> Value {
    let deadline = ContinuousClock.now + .seconds(patience)
    var hasSaid = false
    while true {
      do {
        // A single statement may take as long as any other.
        let patience = max(patience, PostgresLimits().statement)
        return try await pool.write("the database", patience: patience, body)
      } catch let busy as Busy {
        guard ContinuousClock.now < deadline else {
          throw StoreError.unavailable(
            "\(pool.place): for \(Int(patience)) seconds \(busy.cause); start this server again when that is over, or let it "
              + "wait longer (--migration-timeout)")
        }
        if !hasSaid {
          logger.notice("\(pool.place): \(busy.cause); waiting up to \(Int(patience)) seconds")
        }
        hasSaid = true
        try await Task.sleep(for: .milliseconds(Int.random(in: 100...500)))
      }
    }
  }

  /// Checks the server, and creates or migrates the tables.
  ///
  /// - Throws: ``StoreError/unavailable(_:)``, saying what is wrong and what to do.
  func prepare(_ transaction: PostgresTransaction) async throws {
    let place = pool.place
    try await Self.checkServer(transaction, place: place, logger)
    let known = try await Self.lock(transaction)
    guard known.oldest <= PostgresSchema.version else {
      throw StoreError.unavailable(
        "\(place) was changed by a newer version of this server (its schema is \(known.version), and needs at least "
          + "\(known.oldest); this server has \(PostgresSchema.version)); run that version, or restore an older backup"
      )
    }
    let missing = PostgresSchema.migrations.dropFirst(known.version)
    if !missing.isEmpty {
      // The limits that the database's administrator sets for requests do not apply here.
      transaction.later("SET LOCAL statement_timeout = \(Int(patience * 1000))")
      transaction.later("SET LOCAL lock_timeout = '\(Self.lockPatience)'")
    }
    let changes =
      known.version == 0
      ? [(name: "all of them", statements: PostgresSchema.schema.statements)]
      : missing.map { (name: $0.name, statements: $0.statements) }
    for change in changes {
      logger.notice("bringing the tables of \(place) up to date: \(change.name)")
      // The text is sent as it is, because it has no values.
      try await Self.orBusy("others have used tables that are to be changed") {
        _ = try await transaction.run(change.statements.map { Statement(literal: $0) })
      }
    }
    if let last = missing.last {
      try await transaction.run(
        """
        INSERT INTO sealring_schema (id, version, oldest) VALUES (1, ?1, ?2)
        ON CONFLICT (id) DO UPDATE SET version = ?1, oldest = ?2
        """, [PostgresSchema.version, last.oldest])
    }
    for table in try await transaction.missingTables() {
      throw StoreError.unavailable(
        "\(place) has no table \(table), although its schema has version \(max(known.version, PostgresSchema.version)); "
          + "restore the database from a backup")
    }
  }

  /// Takes the lock, if nobody has it.
  private static func lock(_ transaction: PostgresTransaction) async throws -> PostgresSchema.Present {
    try await orBusy("another server has been bringing the tables up to date") {
      try await transaction.ask(PostgresSchema.Present.question("FOR UPDATE NOWAIT")) ?? .init()
    }
  }

  private static func orBusy<Value>(
    _ cause: String, _ body: () async throws -> Value
  ) async throws -> Value {
    do { return try await body() } catch let error as PostgresError where error.isLocked {
      throw Busy(cause: cause)
    }
  }

  /// Makes the lanes that this server writes to. From then on servers that do not know lanes must stay away.
  static func makeLanes(
    _ count: Int64, of ledger: SealedLedger, _ transaction: PostgresTransaction
  ) async throws {
    guard count > 1 else { return }
    var statements = [
      SQLStatement("UPDATE sealring_schema SET oldest = greatest(oldest, ?) WHERE id = 1", [2])
    ]
    for lane in (1...count).compactMap({ EvidenceLane($0) }) {
      statements.append(
        .insert(
          ["lane": lane.index, "last": lane.start, "seal": try ledger.seal(in: lane).bytes],
          into: "evidence_lanes",
          onConflict: "ON CONFLICT DO NOTHING"))
    }
    _ = try await transaction.ask(.each(statements.map(\.count)))
  }

  static func checkServer(
    _ transaction: PostgresTransaction, place: String, _ logger: Logger
  ) async throws {
    let (isReplica, settings) = try await transaction.ask(
      .all(
        SQLStatement("SELECT pg_is_in_recovery()").flag,
        .settings(["synchronous_commit", "fsync", "server_encoding", "transaction_read_only"])))
    guard !isReplica, settings["transaction_read_only"] != "on" else {
      throw StoreError.unavailable(
        "\(place) is \(isReplica ? "a replica" : "read-only"); name the primary, or several hosts with "
          + "target_session_attrs=read-write")
    }
    if settings["synchronous_commit"] == "off" {
      throw notDurable(place)
    }
    if settings["fsync"] == "off" {
      logger.warning(
        "\(place) has fsync off: a crash of its machine may damage the database; use that for tests only")
    }
    if let encoding = settings["server_encoding"], encoding.uppercased() != "UTF8" {
      throw StoreError.unavailable(
        "\(place) has the encoding \(encoding); create the database with ENCODING 'UTF8'")
    }
  }

  /// The error for a database that reports commits before they are durable.
  static func notDurable(_ place: String) -> StoreError {
    .unavailable(
      "\(place) has synchronous_commit off, so what is stored would not be safe; set it to on for this user or database"
    )
  }

  /// The server key of `sources` and the database's ledger. Both are made for a new database, under the lock, so that only one of several
  /// servers that start together makes them.
  ///
  /// - Throws: ``StoreError/corrupt(_:)`` when the key belongs to another database, or the ledger was removed or is another one than
  ///   before, ``StoreError/unavailable(_:)`` when the key is missing.
  static func secrets(
    _ transaction: PostgresTransaction, _ sources: [any ServerKeySource], _ mark: LedgerMark,
    _ randomBytes: @escaping @Sendable (Int) -> [UInt8]
  ) async throws -> (ServerKey, SealedLedger) {
    _ = try await lock(transaction)
    // The shared lock keeps the key that seals here from being retired meanwhile.
    transaction.later("SELECT pg_advisory_xact_lock_shared(\(KeyFence.lock))")
    return try await transaction.carryOut(
      SealedLedger.opening(mark, randomBytes: randomBytes) {
        try ServerKey(sources, mayCreate: $0, randomBytes: randomBytes)
      })
  }

  /// The server key and the ledger of a database that servers use, for reading only: nothing is made, stored or locked.
  ///
  /// - Throws: ``StoreError`` when the tables are not of this version, or something is missing.
  static func existing(
    _ pool: PostgresPool, _ sources: [any ServerKeySource], _ mark: LedgerMark
  ) async throws -> (ServerKey, SealedLedger) {
    let isThere = SQLStatement("SELECT to_regclass('sealring_schema') IS NOT NULL").flag
    guard try await pool.ask(isThere) else {
      throw StoreError.unavailable(
        "\(pool.place) has no tables of Sealring; name the one that the server has as --database")
    }
    let known = try await pool.ask(PostgresSchema.Present.question())
    guard let known, known.version >= PostgresSchema.version,
      known.oldest <= PostgresSchema.version
    else {
      throw StoreError.unavailable(
        "the schema of \(pool.place) is \(known?.version ?? 0), and this program reads \(PostgresSchema.version); use the "
          + "program of its servers' version")
    }
    let instant = ContinuousClock.now
    let entries = try await pool.ask(ServerKeySQL.entries)
    let key = try ServerKey(sources, mayCreate: false, randomBytes: { _ in [] })
    try key.take(entries, askedAt: instant)
    let ledger = try await pool.ask(EvidenceSQL.ledger(key))
    // Only the right key opens it.
    if ledger != nil { _ = try await pool.ask(EvidenceSQL.signer(key)) }
    try mark.check(ledger?.fingerprint, key)
    guard let ledger else { throw LedgerMark.isMissing }
    return (key, ledger)
  }
}
