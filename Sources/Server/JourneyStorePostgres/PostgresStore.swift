internal import Bytes
internal import Concurrency
package import EvidenceLedger
package import Foundation
package import JourneyStore
package import Logging

/// Everything that servers keep, in one PostgreSQL database (version 12 or later, or a database that speaks its protocol). Any number of
/// servers may share it.
///
/// Each decision that must happen once is one conditional statement, or is made under the lock of the account's row. Nothing is
/// acknowledged before PostgreSQL has committed it. Statements that do not need each other's answers are sent together: most requests of a
/// sign-in are one round trip each (`docs/scale.md`).
///
/// It works through a pooler in transaction mode: a session keeps nothing but prepared statements, and a server that finds these missing
/// does without them.
package final class PostgresStore: ServerStore {
  package let context: StoreContext
  let lanes: LedgerLanes

  /// Proofs of this server that arrive while others are being written share the next transaction.
  ///
  /// A proof is chained to the one before it under the lock of a lane of the ledger, and holds that lock until it is on disk. One by one,
  /// proofs take a flush each, however many commits PostgreSQL could flush at once; together they take one.
  let proofs: SharedBatches<LedgerProof, AcceptedProof>
  private let pool: PostgresPool

  init(_ pool: PostgresPool, _ context: StoreContext, lanes: Int) {
    (self.pool, self.context) = (pool, context)
    self.lanes = LedgerLanes(lanes)
    // Two transactions for each lane may run at once: while one is flushed the next one is prepared, and a connection that is lost silently
    // stops only the proofs that were sent on it. The size bounds how long a transaction holds its locks.
    proofs = SharedBatches(mostWrites: 2 * max(lanes, 1), largest: 64)
  }

  /// Connects to the database, brings its tables up to date, and checks that this server belongs to it.
  ///
  /// - Parameters:
  ///   - address: a URL of libpq, such as `postgres://sealring@db1,db2/sealring?target_session_attrs=read-write`, or its
  ///     `keyword=value` form. Every option of libpq is passed on.
  ///   - directory: holds `server.key`, the key of the secrets at rest, unless `keys` names other places. All servers need the
  ///     same one; the first server on an empty database makes it.
  ///   - lanes: how many chains of the ledger this server writes to, from 1 to ``EvidenceLane/maximum``; with more than 1 all servers must
  ///     know lanes.
  /// - Throws: ``StoreError``, saying what is wrong: no connection, a replica or read-only server, a newer schema, a missing
  ///   table, another server's key, commits that would not be durable.
  package static func open(
    _ address: String, directory: URL, keys: [any ServerKeySource] = [],
    limits: PostgresLimits = PostgresLimits(), quotas: StoreQuotas = StoreQuotas(), lanes: Int = 1,
    logger: Logger = Logger(label: "sealring.store"),
    randomBytes: @escaping @Sendable (Int) -> [UInt8] = SystemRandom.bytes
  ) async throws -> PostgresStore {
    try await opened(PostgresPool(address, limits)) { pool in
      // On its own, and without its error: of servers that start together all but one may fail, and other reasons for a failure show below.
      _ = try? await pool.run(
        "", PostgresSchema.versionTable.map { Statement(literal: $0) }, isRead: false)
      let opening = PostgresOpening(pool: pool, patience: limits.migration, logger: logger)
      try await opening.alone { try await opening.prepare($0) }
      let files = StoreDirectory(directory)
      try files.create(logger: logger)
      let mark = LedgerMark(folder: files)
      let (key, ledger) = try await opening.alone { transaction in
        let (key, ledger) = try await PostgresOpening.secrets(
          transaction, files.keySources(keys), mark, randomBytes)
        try await PostgresOpening.makeLanes(Int64(lanes), of: ledger, transaction)
        return (key, ledger)
      }
      let store = PostgresStore(
        pool, StoreContext(serverKey: key, ledger: ledger, mark: mark, quotas: quotas), lanes: lanes)
      mark.note(ledger.fingerprint, key, logger)
      try await store.reportDamage(to: logger)
      return store
    }
  }

  /// Opens the database that servers use, to read, export and prove: no table and no secret is made or changed. A user that may only read
  /// will do; where the ledger has lanes, an export also writes the epoch that it signs.
  ///
  /// - Throws: ``StoreError``, saying what is wrong: no connection, tables of another version, another server's key.
  package static func openForReading(
    _ address: String, directory: URL, keys: [any ServerKeySource] = []
  ) async throws -> PostgresStore {
    try await opened(PostgresPool(address, PostgresLimits(connections: 2))) { pool in
      let files = StoreDirectory(directory)
      let mark = LedgerMark(folder: files)
      let (key, ledger) = try await PostgresOpening.existing(pool, files.keySources(keys), mark)
      return PostgresStore(
        pool, StoreContext(serverKey: key, ledger: ledger, mark: mark, quotas: StoreQuotas()), lanes: 1)
    }
  }

  /// The store that `body` makes of the pool, which is closed when that fails.
  private static func opened(
    _ pool: PostgresPool, _ body: (PostgresPool) async throws -> PostgresStore
  ) async throws -> PostgresStore {
    do { return try await body(pool) } catch {
      pool.close()
      throw error
    }
  }

  /// A damaged end of the ledger is logged now, not only when the next signature is refused because of it.
  private func reportDamage(to logger: Logger) async throws {
    do { _ = try await read(EvidenceSQL.heads(of: ledger)) } catch let error as StoreError {
      guard case .corrupt = error else { throw error }
      logger.critical("signatures of devices will be refused: \(error)")
    }
  }

  package func close() async throws { pool.close() }

  package var roundTrips: Int { pool.roundTrips.withLock { $0 } }

  // MARK: Reading and writing

  package func read<Value>(_ question: SQLQuestion<Value>) async throws -> Value {
    try await pool.ask(question)
  }

  package func transact<Value>(
    _ subject: @autoclosure () -> String, _ operation: SQLOperation<Value>
  ) async throws -> Value {
    if let changes = operation.certain {
      return try await changes.read(
        pool.run(subject(), changes.statements.map { Statement($0) }, isRead: false)[...])
    }
    do {
      return try await transact(subject()) { try await $0.carryOut(operation) }
    } catch let undone as Undone<Value> { return undone.answer }
  }

  /// Carries out `body` in one transaction that is durable when this returns.
  func transact<Value: Sendable>(
    _ subject: @autoclosure () -> String, _ body: @Sendable (PostgresTransaction) async throws -> Value
  ) async throws -> Value {
    try await pool.write(subject()) { [serverKey] transaction in
      do { return try await body(transaction) } catch { throw serverKey.judged(error) }
    }
  }

  package func lead(of machineTime: Date) async throws -> TimeInterval {
    let time = SQLStatement("SELECT extract(epoch FROM clock_timestamp())::double precision AS time")
    return max(
      0, try await read(time.row(of: "") { try $0.date("time") }).map(machineTime.timeIntervalSince) ?? 0)
  }

  package func withLane<Value: Sendable>(
    _ body: (EvidenceLane) async throws -> Value
  ) async throws -> Value {
    let lane = lanes.take()
    defer { lanes.giveBack(lane) }
    return try await body(lane)
  }

  package var load: StoreLoad { pool.load }
}
