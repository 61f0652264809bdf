internal import Concurrency
internal import Dispatch
internal import Foundation
internal import JourneyStore

/// One connection to PostgreSQL. It works on one batch of statements at a time, and no thread waits for an answer: libpq does
/// not block, and the system says when the socket can be read or written.
///
/// `@unchecked Sendable`: everything that changes is used on `queue` only, and so is libpq's connection, which is closed on it after the
/// last use.
final class PostgresConnection: @unchecked Sendable {
  let queue = DispatchQueue(label: "sealring.postgres")
  private let pq: LibPQ

  /// The generation of its pool in which it was opened.
  let generation: Int

  /// libpq's connection; `nil` once it is closed.
  private var connection: OpaquePointer?
  private var reading: (any DispatchSourceProtocol)?
  private var writing: (any DispatchSourceProtocol)?

  private var batch: Batch?

  private var prepared: Set<String> = []

  /// Whether this connection may still be used. It is read off `queue`, too.
  private let health = Locked(true)

  private struct Batch {
    /// The expected results, in order: the preparation of the statement of that name, or an answer for `nil`.
    var steps: [String?]
    var position = 0
    var answers: [SQLAnswer] = []
    var failure: PostgresError?

    let continuation: CheckedContinuation<[SQLAnswer], any Error>

    /// How long the answer may take, in seconds, and until when that is.
    let patience: TimeInterval
    let deadline: ContinuousClock.Instant
  }

  /// Whether a batch that was given up is being cancelled. The connection is closed after that.
  private var isCancelling = false

  /// Whether a look at the socket is scheduled.
  private var isLooking = false

  /// The number of batches sent. A pool replaces it by one count for all its connections, before anybody uses this one.
  var roundTrips = Locked(0)

  init(_ connection: OpaquePointer, _ pq: LibPQ, _ generation: Int) {
    self.connection = connection
    self.generation = generation
    self.pq = pq
  }

  /// Reads whenever something has arrived, from now on.
  func read(when readiness: SocketReadiness) {
    queue.sync {
      let source = readiness.source(queue)
      source.setEventHandler { [self] in readInput() }
      source.setCancelHandler { [pq, connection] in
        readiness.close()
        pq.finish(connection)
      }
      reading = source
      source.activate()
    }
  }

  /// What libpq knows: whether the connection is encrypted, and the process id that the server has reported.
  func facts() async -> (usesTLS: Bool, process: Int) {
    await withCheckedContinuation { continuation in
      queue.async { [self] in
        continuation.resume(
          returning: (pq.usesTLS(connection) == 1, Int(pq.backendProcess(connection))))
      }
    }
  }

  // MARK: Closing

  /// Whether the connection can be used again, as far as is known.
  var isUsable: Bool { health.withLock { $0 } }

  /// Closes at once, or when the batch that was given up is cancelled.
  func end() { queue.async { [self] in if !isCancelling { close() } } }

  private func close() {
    guard let connection else { return }
    self.connection = nil
    health.withLock { $0 = false }
    writing?.cancel()
    writing = nil
    if let reading {
      reading.cancel()
      self.reading = nil
    } else {
      pq.finish(connection)
    }
  }

  /// Ends the connection with an error, and the batch under way with it.
  private func abandon(_ error: PostgresError) {
    let batch = batch
    self.batch = nil
    close()
    batch?.continuation.resume(throwing: batch?.failure ?? error)
  }

  /// Gives up the batch because its answer did not come, and asks PostgreSQL to end the statement. The connection is closed after that,
  /// because a pooler identifies the statement by it.
  ///
  /// This may interrupt a commit that waits for a standby: PostgreSQL then has it without the standby. It was reported to nobody as
  /// durable, and what others make durable comes after it.
  private func giveUp(_ batch: Batch) {
    self.batch = nil
    health.withLock { $0 = false }
    isCancelling = true
    cancel(attempts: 10)
    batch.continuation.resume(throwing: PostgresError.unanswered(for: batch.patience, isUncertain: true))
  }

  /// Asks for a cancellation each second until PostgreSQL answers, and closes then, or after the last attempt.
  ///
  /// PostgreSQL on a busy machine may get the cancellation before the statement, and ignores it because nothing is running.
  private func cancel(attempts: Int) {
    guard let connection else { return }
    StatementCancellation.begin(connection, pq) { [self] in
      queue.asyncAfter(deadline: .now() + 1) { [self] in
        guard attempts > 1, let connection = self.connection,
          !SocketReadiness.isReady(pq.socket(connection), .reading)
        else { return close() }
        cancel(attempts: attempts - 1)
      }
    }
  }

  // MARK: Statements

  /// Sends all statements at once, and returns their answers: one round trip. They are one transaction, unless an earlier batch began one.
  ///
  /// - Parameters:
  ///   - prepares: whether statements are prepared by name. Otherwise they are parsed each time.
  ///   - patience: how long the answer may take. Seconds.
  /// - Throws: the first ``PostgresError``; the statements after it were not carried out.
  func run(
    _ statements: [Statement], prepares: Bool, patience: TimeInterval
  ) async throws -> [SQLAnswer] {
    roundTrips.withLock { $0 += 1 }
    return try await withCheckedThrowingContinuation { continuation in
      // On this thread: nobody else works on the connection, so the queue is free, and sending does not block.
      queue.sync { send(statements, prepares: prepares, patience, continuation) }
    }
  }

  private func send(
    _ statements: [Statement], prepares: Bool, _ patience: TimeInterval,
    _ continuation: CheckedContinuation<[SQLAnswer], any Error>
  ) {
    guard let connection, isUsable, batch == nil else {
      return continuation.resume(throwing: PostgresError("the connection is closed"))
    }
    var batch = Batch(
      steps: [], continuation: continuation, patience: patience, deadline: .now + .seconds(patience))
    var preparing: Set<String> = []
    var isSent = true
    var hasSent = false
    for statement in statements where isSent {
      let form = statement.form
      if prepares, !prepared.contains(form.name), preparing.insert(form.name).inserted {
        batch.steps.append(form.name)
        isSent =
          pq.sendPrepare(connection, form.name, form.sql, CInt(form.types.count), form.types) == 1
      }
      batch.steps.append(nil)
      isSent = isSent && send(statement, prepares: prepares, connection)
      hasSent = hasSent || isSent
    }
    isSent = isSent && pq.pipelineSync(connection) == 1
    self.batch = batch
    guard isSent else {
      // libpq sends when its buffer is full, and at the end: statements before the failure may have arrived, and one may have been a
      // commit.
      return abandon(PostgresError(libpq: LibPQ.text(pq.errorMessage(connection)), isUncertain: hasSent))
    }
    look()
    flush()
  }

  /// Looks at the socket every second, as long as a batch waits.
  ///
  /// Answers do not depend on libdispatch's events alone; see ``SocketReadiness``. One timer serves all batches of that second.
  private func look() {
    guard !isLooking else { return }
    isLooking = true
    queue.asyncAfter(deadline: .now() + 1) { [weak self] in
      guard let self else { return }
      isLooking = false
      guard batch != nil else { return }
      readInput()
      guard let batch else { return }
      guard .now < batch.deadline else {
        return giveUp(batch)
      }
      look()
    }
  }

  private func send(_ statement: Statement, prepares: Bool, _ connection: OpaquePointer) -> Bool {
    let values = statement.values.map(\.sent)
    let lengths = values.map { CInt($0?.count ?? 0) }
    // Bytes go as they are, the rest as text.
    let formats = statement.values.map { CInt($0.kind == .bytes ? 1 : 0) }
    return LibPQ.withPointers(values.map { $0.map { $0.map(CChar.init(bitPattern:)) } }) { pointers in
      let count = CInt(values.count)
      return prepares
        ? pq.sendQueryPrepared(connection, statement.form.name, count, pointers, lengths, formats, 0)
        : pq.sendQueryParams(
          connection, statement.form.sql, count, statement.form.types, pointers, lengths, formats, 0)
    } == 1
  }

  /// Sends what libpq has buffered, now or when the socket takes more.
  private func flush() {
    guard let connection else { return }
    let rest = pq.flush(connection)
    guard rest >= 0 else {
      return abandon(PostgresError(libpq: LibPQ.text(pq.errorMessage(connection)), isUncertain: true))
    }
    if rest == 0 {
      writing?.cancel()
      writing = nil
    } else if writing == nil, let readiness = SocketReadiness(pq.socket(connection), .writing) {
      let source = readiness.source(queue)
      source.setEventHandler { [self] in flush() }
      source.setCancelHandler { readiness.close() }
      writing = source
      source.activate()
    }
  }

  /// Reads what has arrived. Call it on `queue`; there need not be anything.
  func readInput() {
    guard let connection else { return }
    guard batch != nil else {
      // Without a batch, anything that the server sends means that it ends the connection. There may be nothing: `look` may have read it
      // before the system reported it.
      if SocketReadiness.isReady(pq.socket(connection), .reading) { close() }
      return
    }
    let isAlive = pq.consumeInput(connection) == 1
    takeResults(connection)
    if self.connection != nil, !isAlive || pq.status(connection) != LibPQ.connectionOK {
      abandon(PostgresError(libpq: LibPQ.text(pq.errorMessage(connection)), isUncertain: batch != nil))
    } else {
      flush()
    }
  }

  /// Takes all results that are complete. `PQgetResult` waits only while libpq is busy, so it is not called then.
  private func takeResults(_ connection: OpaquePointer) {
    while batch != nil, pq.isBusy(connection) == 0 {
      // A null pointer separates the results of two statements.
      guard let result = pq.getResult(connection) else {
        guard pq.status(connection) == LibPQ.connectionOK else { return }
        continue
      }
      defer { pq.clear(result) }
      take(result)
    }
  }

  private func take(_ result: OpaquePointer) {
    guard let batch else { return }
    let status = LibPQ.ResultStatus(rawValue: pq.resultStatus(result))
    if status == .pipelineSync {
      self.batch = nil
      if let failure = batch.failure {
        batch.continuation.resume(throwing: failure)
      } else {
        batch.continuation.resume(returning: batch.answers)
      }
      return
    }
    let preparation = batch.position < batch.steps.count ? batch.steps[batch.position] : nil
    self.batch?.position += 1
    switch (status, preparation) {
    case (.commandOK, let name?): prepared.insert(name)
    case (.commandOK, _), (.tuplesOK, _): self.batch?.answers.append(SQLAnswer(result, pq))
    case (.pipelineAborted, _): break
    default:
      var error = PostgresError(result, pq)
      // The error is libpq's own, not the server's: the connection is gone, and what was sent may have been carried out.
      if error.state.isEmpty { error.isUncertain = true }
      if batch.failure == nil { self.batch?.failure = error }
      if error.isReadOnly {
        health.withLock { $0 = false }
      } else if error.endsConnection {
        // Later results may be lost with the connection.
        abandon(error)
      }
    }
  }
}
