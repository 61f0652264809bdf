internal import Dispatch
internal import Foundation

extension PostgresConnection {
  /// Connects to what `address` says. Options that it leaves out come from the environment, as with every program that uses libpq.
  ///
  /// - Parameter patience: how long that may take, for all hosts together unless the address has `connect_timeout`. Seconds.
  /// - Throws: ``PostgresError``; it never shows the password.
  static func open(
    _ address: PostgresAddress, patience: TimeInterval, _ pq: LibPQ, generation: Int = 0
  ) async throws -> PostgresConnection {
    // Looking up a host's name may block, so opening has a queue, and by that a thread, of its own, which also waits for the server.
    let start = DispatchQueue(label: "sealring.postgres.connect")
    return try await withCheckedThrowingContinuation {
      (continuation: CheckedContinuation<PostgresConnection, any Error>) in
      start.async {
        continuation.resume(with: Result { try openFirst(of: address, patience, pq, generation) })
      }
    }
  }

  /// Tries one host after the other, and notes which did not answer.
  private static func openFirst(
    of address: PostgresAddress, _ patience: TimeInterval, _ pq: LibPQ, _ generation: Int
  ) throws -> PostgresConnection {
    var failures: [PostgresError] = []
    for attempt in address.attempts(within: patience, pq) {
      do {
        let connection = try begin(address, attempt, pq)
        do {
          return try finishOpening(connection, patience: attempt.patience, pq, generation)
        } catch {
          pq.finish(connection)
          throw error
        }
      } catch let error as PostgresError {
        if error.isUnanswered { address.turn(from: attempt.host) }
        failures.append(error)
      }
    }
    var error = PostgresError(failures.map(\.message).joined(separator: "; "))
    error.isUnanswered = failures.contains(where: \.isUnanswered)
    throw error
  }

  private static func begin(
    _ address: PostgresAddress, _ attempt: PostgresAddress.Attempt, _ pq: LibPQ
  ) throws -> OpaquePointer {
    let connection = pq.start(
      [("dbname", address.text), ("client_encoding", "UTF8"), ("fallback_application_name", "sealring")]
        + attempt.options.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
    guard let connection else { throw PostgresError("no memory for a connection") }
    // Notices of the server do not go to stderr.
    _ = pq.setNoticeProcessor(connection, { _, _ in }, nil)
    guard pq.status(connection) != 1 else {
      defer { pq.finish(connection) }
      throw PostgresError(libpq: LibPQ.text(pq.errorMessage(connection)))
    }
    return connection
  }

  /// Blocks until the connection is established.
  ///
  /// An answer that came in time counts, even if this process got no processor time to read it. If the server keeps sending and never
  /// finishes, this waits at most twice as long.
  private static func finishOpening(
    _ connection: OpaquePointer, patience: TimeInterval, _ pq: LibPQ, _ generation: Int
  ) throws -> PostgresConnection {
    let start = ContinuousClock.now
    var wanted = SocketReadiness.Wanted.writing
    while true {
      let rest = max(patience - (ContinuousClock.now - start) / .seconds(1), 0)
      let isReady = SocketReadiness.isReady(pq.socket(connection), wanted, within: rest)
      guard ContinuousClock.now - start < .seconds(isReady ? 2 * patience : patience) else {
        throw PostgresError.unanswered(for: patience)
      }
      guard isReady else { continue }
      switch LibPQ.Polling(rawValue: pq.connectPoll(connection)) {
      case .reading: wanted = .reading
      case .writing: wanted = .writing
      case .ok:
        guard pq.setNonblocking(connection, 1) == 0, pq.enterPipelineMode(connection) == 1,
          let readiness = SocketReadiness(pq.socket(connection), .reading)
        else { throw PostgresError(libpq: LibPQ.text(pq.errorMessage(connection))) }
        let opened = PostgresConnection(connection, pq, generation)
        opened.read(when: readiness)
        return opened
      default: throw PostgresError(libpq: LibPQ.text(pq.errorMessage(connection)))
      }
    }
  }
}
