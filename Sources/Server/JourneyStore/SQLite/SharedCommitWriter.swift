internal import Concurrency
internal import GRDB

/// The one writer of a database: all writes that arrive while a commit is under way share the next one.
///
/// Writes run in the order in which they were queued, on the writer's own dispatch queue. One that throws is undone alone. Success is
/// reported only after the shared `COMMIT` has returned, which with `synchronous = FULL` means that it is on disk; when the commit fails,
/// all its writes fail.
///
/// Most commits have no write that throws, so they go without savepoints, which would copy each page that a write changes.
/// When one throws, the transaction is rolled back, and all its writes are carried out again, each with a savepoint. So a
/// write may run twice, and changes nothing but the database.
///
/// A write that was queued is carried out even if the task that waits for it is cancelled.
final class SharedCommitWriter: Sendable {
  /// A write and its callbacks. It must not begin or end transactions, and may be carried out twice.
  struct Write: Sendable {
    /// Changes the database; returns what is to be done once the change is durable.
    let change: @Sendable (Database) throws -> @Sendable () -> Void
    let failed: @Sendable (any Error) -> Void
    let queuedAt = ContinuousClock.now
  }

  private struct State: Sendable {
    var waiting: [Write] = []
    /// Whether a commit is under way or about to begin.
    var isCommitting = false
    var isClosed = false

    /// Writes that were taken into a commit, and how long they had waited for it.
    var taken = 0
    var waited = Duration.zero
  }

  /// Bounds how long one transaction holds the write lock that other processes wait for.
  private static let largestCommit = 512

  private let state = Locked(State())
  private let database: any DatabaseWriter

  /// Watches the log of the commits, and is kept as long as one may come. `nil` in memory.
  let checkpoints: LogCheckpoints?

  init(_ database: any DatabaseWriter, _ checkpoints: LogCheckpoints? = nil) {
    self.database = database
    self.checkpoints = checkpoints
    if let checkpoints { database.writeWithoutTransaction { checkpoints.watch($0) } }
  }

  var load: StoreLoad {
    let (waiting, taken, waited) = state.withLock { ($0.waiting.count, $0.taken, $0.waited) }
    return StoreLoad(waiting: waiting, waits: taken, waitSeconds: waited / .seconds(1))
  }

  /// Carries out `body` in a shared transaction and returns when that is durable.
  func write<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      enqueue(
        Write(
          change: { db in
            let value = try body(db)
            return { continuation.resume(returning: value) }
          },
          failed: { continuation.resume(throwing: $0) }))
    }
  }

  /// Lets the writes that are queued finish; later ones are refused.
  func close() async {
    await withCheckedContinuation { continuation in
      let last = Write(change: { _ in { continuation.resume() } }, failed: { _ in continuation.resume() })
      enqueue(last, closing: true)
    }
  }

  /// Returns at once. The write is durable no later than any that is queued after it.
  func enqueue(_ write: Write, closing: Bool = false) {
    let (isRefused, begins) = state.withLock { state in
      if state.isClosed { return (true, false) }
      state.isClosed = closing
      state.waiting.append(write)
      defer { state.isCommitting = true }
      return (false, !state.isCommitting)
    }
    if isRefused { return write.failed(StoreError.unavailable("it has been closed")) }
    if begins { commitNext() }
  }

  private func commitNext() {
    database.asyncWriteWithoutTransaction { [self] db in
      commit(takeWaiting(), db)
      let more = state.withLock { state in
        state.isCommitting = !state.waiting.isEmpty
        return state.isCommitting
      }
      if more { commitNext() }
    }
  }

  private func takeWaiting() -> [Write] {
    state.withLock { state in
      let writes = Array(state.waiting.prefix(Self.largestCommit))
      state.waiting.removeFirst(writes.count)
      let now = ContinuousClock.now
      state.taken += writes.count
      state.waited += writes.reduce(.zero) { $0 + ($1.queuedAt.duration(to: now)) }
      return writes
    }
  }

  /// The outcome of a write: what is to be done once it is durable, or why it was undone.
  private typealias Outcome = Result<@Sendable () -> Void, any Error>

  /// Carries out the writes in one transaction, and reports the outcome of each.
  private func commit(_ writes: [Write], _ db: Database) {
    var outcomes: [Outcome] = []
    outcomes.reserveCapacity(writes.count)
    do {
      try db.cachedStatement(sql: "BEGIN IMMEDIATE").execute()
      do { for write in writes { outcomes.append(.success(try write.change(db))) } } catch {
        if db.isInsideTransaction { try? db.rollback() }
        outcomes.removeAll(keepingCapacity: true)
        try db.cachedStatement(sql: "BEGIN IMMEDIATE").execute()
        for write in writes { outcomes.append(try attempt(write, db)) }
      }
      // When this fails, it is unknown whether everything is on disk, so it is not tried again.
      try db.cachedStatement(sql: "COMMIT").execute()
    } catch {
      if db.isInsideTransaction { try? db.rollback() }
      for (index, write) in writes.enumerated() {
        if index < outcomes.count, case .failure(let own) = outcomes[index] {
          write.failed(own)
        } else {
          write.failed(error)
        }
      }
      return
    }
    for (write, outcome) in zip(writes, outcomes) {
      switch outcome {
      case .success(let durable): durable()
      case .failure(let error): write.failed(error)
      }
    }
  }

  /// Throws only when the whole transaction is lost: SQLite itself rolls back on a full disk or a failed read or
  /// write (https://sqlite.org/lang_transaction.html, "Response To Errors Within A Transaction").
  private func attempt(_ write: Write, _ db: Database) throws -> Outcome {
    try db.cachedStatement(sql: "SAVEPOINT one_write").execute()
    do {
      let durable = try write.change(db)
      try db.cachedStatement(sql: "RELEASE one_write").execute()
      return .success(durable)
    } catch {
      guard db.isInsideTransaction else { throw error }
      try db.cachedStatement(sql: "ROLLBACK TO one_write").execute()
      try db.cachedStatement(sql: "RELEASE one_write").execute()
      return .failure(error)
    }
  }
}
