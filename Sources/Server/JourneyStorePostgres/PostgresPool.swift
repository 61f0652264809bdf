internal import Concurrency
internal import Dispatch
package import Foundation
internal import JourneyStore

/// The connections of a store: opened on demand, up to a limit, and used again.
final class PostgresPool: Sendable {
  private typealias Waiter = CheckedContinuation<PostgresConnection?, any Error>

  private struct State: Sendable {
    /// Open and unused; the last one was used last.
    var idle: [PostgresConnection] = []

    /// Open or being opened, used or not.
    var count = 0

    /// The tasks that wait for a connection, in order. A task that gets `nil` opens one.
    var waiters: [(number: UInt64, waiter: Waiter)] = []
    var latest: UInt64 = 0
    var isClosed = false

    /// Grows when all connections are to be replaced; those of an earlier generation are not used again.
    var generation = 0

    /// Operations that got a connection, and how long they waited for it.
    var taken = 0
    var waited = Duration.zero
  }

  private let state = Locked(State())
  private let address: PostgresAddress
  let limits: PostgresLimits
  private let pq: LibPQ

  /// The database as messages name it, without its password.
  let place: String

  /// Whether statements are prepared by name, once for each connection.
  ///
  /// This works on direct connections and through a pooler that knows prepared statements (PgBouncer 1.21 and later). An older pooler in
  /// transaction mode hands out connections on which they are missing, or exist already. The first such error turns it off: from then on
  /// each statement is sent with its text, in the same number of round trips, and parsed each time. No name executes a wrong statement
  /// meanwhile, because a name is derived from its statement.
  let prepares = Locked(true)

  init(_ address: String, _ limits: PostgresLimits) throws {
    (self.address, self.limits) = (PostgresAddress(address), limits)
    (place, pq) = (Self.place(address), try LibPQ())
  }

  /// Hosts and database of an address, and nothing that could be secret.
  static func place(_ address: String) -> String {
    guard let scheme = address.range(of: "://") else { return "PostgreSQL" }
    let all = address[scheme.upperBound...]
    var rest = all.prefix { $0 != "?" }
    if let at = rest.lastIndex(of: "@") {
      rest = rest[rest.index(after: at)...]
    } else if all.contains("@") {
      // libpq takes a question mark in a password, and what stands before it looks like a host.
      return "PostgreSQL"
    }
    return "PostgreSQL \(rest)"
  }

  /// Runs `body` with a connection that nobody else uses meanwhile.
  ///
  /// - Throws: ``PostgresError`` when none can be opened; ``StoreError/unavailable(_:)`` when none becomes free in time.
  func withConnection<Value: Sendable>(
    _ body: (PostgresConnection) async throws -> Value
  ) async throws -> Value {
    let began = ContinuousClock.now
    let connection = try await take()
    state.withLock { state in
      state.taken += 1
      state.waited += began.duration(to: .now)
    }
    defer { give(back: connection) }
    do { return try await body(connection) } catch let error as PostgresError
      where error.isOfOldForm || error.isUnanswered
    {
      // The other connections have prepared the same statement, or are on the host that does not answer.
      replaceAll(like: connection)
      throw error
    }
  }

  /// The number of round trips to PostgreSQL.
  let roundTrips = Locked(0)

  var load: StoreLoad {
    let (waiting, taken, waited, idle, count) = state.withLock {
      ($0.waiters.count, $0.taken, $0.waited, $0.idle.count, $0.count)
    }
    return StoreLoad(
      waiting: waiting, waits: taken, waitSeconds: waited / .seconds(1),
      connections: StoreLoad.Connections(idle: idle, used: count - idle))
  }

  private func take() async throws -> PostgresConnection {
    while true {
      guard let connection = try await next() else { return try await open() }
      if connection.isUsable, isCurrent(connection) { return connection }
      discard(connection)
    }
  }

  /// A connection that is free; `nil` when one is to be opened.
  private func next() async throws -> PostgresConnection? {
    try await withCheckedThrowingContinuation { (waiter: Waiter) in
      let answer: Result<PostgresConnection?, any Error>? = state.withLock { [limits] state in
        if state.isClosed { return .failure(StoreError.unavailable("it has been closed")) }
        if let connection = state.idle.popLast() { return .success(connection) }
        if state.count < limits.connections {
          state.count += 1
          return .success(nil)
        }
        state.latest += 1
        state.waiters.append((state.latest, waiter))
        let number = state.latest
        DispatchQueue.global().asyncAfter(deadline: .now() + limits.patience) { [weak self] in
          self?.giveUp(number)
        }
        return nil
      }
      if let answer { waiter.resume(with: answer) }
    }
  }

  private func giveUp(_ number: UInt64) {
    let waiter = state.withLock { state -> Waiter? in
      guard let index = state.waiters.firstIndex(where: { $0.number == number }) else { return nil }
      return state.waiters.remove(at: index).waiter
    }
    waiter?.resume(
      throwing: StoreError.unavailable(
        "all \(limits.connections) connections to PostgreSQL were in use for \(Int(limits.patience)) seconds")
    )
  }

  private func isCurrent(_ connection: PostgresConnection) -> Bool {
    state.withLock { $0.generation == connection.generation }
  }

  /// Replaces all connections as they come back, because the others would meet the same error as this one.
  func replaceAll(like connection: PostgresConnection) {
    state.withLock { if $0.generation == connection.generation { $0.generation += 1 } }
  }

  private func open() async throws -> PostgresConnection {
    do {
      let generation = state.withLock { $0.generation }
      let connection = try await PostgresConnection.open(
        address, patience: limits.patience, pq, generation: generation)
      do { try await begin(connection) } catch {
        connection.end()
        throw error
      }
      connection.roundTrips = roundTrips
      return connection
    } catch {
      leave()
      throw error
    }
  }

  /// Sets the time limits for statements of a new connection, and checks that its commits are durable: that may differ from the start,
  /// because a host was promoted or a setting was changed.
  private func begin(_ connection: PostgresConnection) async throws {
    let values: StatementValues = [
      limits.milliseconds(before: 1), limits.milliseconds(before: 2),
    ]
    let answer = try await connection.run(
      [Statement(Self.setting, values)], prepares: false, patience: limits.patience)
    let commit = try answer.first?.all("pg_settings") { try $0.text("commit") }.first
    guard commit != "off" else { throw PostgresOpening.notDurable(place) }
  }

  /// ?1 statement_timeout, ?2 lock_timeout. Milliseconds. A lower limit that the database's administrator has set stays.
  private static let setting = """
    SELECT current_setting('synchronous_commit') AS commit, count(set_config(name, CASE
      WHEN setting::bigint BETWEEN 1 AND longest THEN setting ELSE longest::text END, false)) AS changed
      FROM (SELECT name, setting, CASE name WHEN 'lock_timeout' THEN ?2 ELSE ?1 END AS longest FROM pg_settings
        WHERE name IN ('statement_timeout', 'lock_timeout')) AS limits
    """

  private func give(back connection: PostgresConnection) {
    guard connection.isUsable, isCurrent(connection) else { return discard(connection) }
    let (waiter, isClosed) = state.withLock { state -> (Waiter?, Bool) in
      if state.isClosed { return (nil, true) }
      guard state.waiters.isEmpty else { return (state.waiters.removeFirst().waiter, false) }
      state.idle.append(connection)
      return (nil, false)
    }
    if isClosed { return discard(connection) }
    waiter?.resume(returning: connection)
  }

  private func discard(_ connection: PostgresConnection) {
    connection.end()
    leave()
  }

  /// Counts one connection less, so that the first task that waits may open another.
  private func leave() {
    let waiter = state.withLock { state -> Waiter? in
      guard !state.waiters.isEmpty else {
        state.count -= 1
        return nil
      }
      return state.waiters.removeFirst().waiter
    }
    waiter?.resume(returning: nil)
  }

  /// Closes unused connections now, and the others when they are given back. Tasks that wait are refused.
  func close() {
    let (idle, waiters) = state.withLock { state in
      state.isClosed = true
      defer { (state.idle, state.waiters) = ([], []) }
      return (state.idle, state.waiters.map(\.waiter))
    }
    for connection in idle { discard(connection) }
    for waiter in waiters { waiter.resume(throwing: StoreError.unavailable("it has been closed")) }
  }
}

/// The limits of a store's use of its PostgreSQL.
package struct PostgresLimits: Sendable, Hashable {
  /// Most connections of this server. One connection carries about ten thousand short statements a second.
  package var connections: Int

  /// Wait for a connection at most this long. Seconds.
  package var patience: TimeInterval

  /// Wait for an answer at most this long, unless more is asked for. PostgreSQL ends the statement a little earlier, and one that waits for
  /// a lock earlier still, so that no change happens after its failure was reported. Seconds.
  package var statement: TimeInterval

  /// How often a transaction is tried that loses conflicts with others.
  package var attempts: Int

  /// At the start: how long the tables may take to be brought up to date, by this server or by another one that is waited for.
  /// Seconds.
  package var migration: TimeInterval

  package init(
    connections: Int = 16, patience: TimeInterval = 10, statement: TimeInterval = 30, attempts: Int = 8,
    migration: TimeInterval = 600
  ) {
    self.connections = max(1, connections)
    self.patience = patience
    self.statement = statement
    self.attempts = max(1, attempts)
    self.migration = migration
  }

  /// ``statement`` less `parts` parts, each of which is a tenth of it, or a second if that is less.
  fileprivate func milliseconds(before parts: Double) -> Int {
    max(1, Int((statement - parts * min(1, statement / 10)) * 1000))
  }
}
