internal import Concurrency
internal import GRDB

/// A queue of reads of a database. A reader at work continues with the next waiting read instead of being woken for each.
///
/// Waking a thread costs more than most reads. Reads are served in order of arrival, on as many readers as there are. A read that is
/// certain to be short does not even change threads while a reader is free.
///
/// Each reader is a connection of its own. GRDB's pool would hand these out, too, but asks the database before each read whether its
/// schema has changed, which takes as long as a read by key.
final class ReadQueue: Sendable {
  private typealias Read = @Sendable (Database) -> Void

  private struct State: Sendable {
    var waiting: [Read] = []
    var idle: [DatabaseQueue]

    /// Makes a reader idle; `false` when reads wait, so that the reader continues.
    mutating func rest(_ reader: DatabaseQueue) -> Bool {
      guard waiting.isEmpty else { return false }
      idle.append(reader)
      return true
    }
  }

  /// The number of reads after which a reader yields the thread: in memory, reads and writes share one.
  private static let longestShift = 64

  private let readers: [DatabaseQueue]
  private let state: Locked<State>

  /// Whether a free reader never waits. In memory it may, because reads and writes share a connection.
  private let readsHere: Bool

  /// Reads on `count` connections of its own.
  init(path: String, configuration: Configuration, readers count: Int) throws {
    var configuration = configuration
    configuration.readonly = true
    readers = try (0..<count).map { _ in try DatabaseQueue(path: path, configuration: configuration) }
    (state, readsHere) = (Locked(State(idle: readers)), true)
  }

  /// Reads on the connection that writes, too.
  init(sharing database: DatabaseQueue) {
    readers = [database]
    (state, readsHere) = (Locked(State(idle: readers)), false)
  }

  /// Carries out `body`, which looks up a few rows by their keys, on a reader outside of a transaction: on the caller's thread, if
  /// a reader is free.
  func look<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
    guard readsHere, let reader = state.withLock({ $0.idle.popLast() }) else { return try await read(body) }
    // A read that came meanwhile, and found no reader free, gets this one next.
    defer { if !state.withLock({ $0.rest(reader) }) { beginShift(reader) } }
    return try lookHere(body, reader)
  }

  /// A separate function, because asynchronous code would choose the database's asynchronous function of that name.
  private func lookHere<Value>(_ body: (Database) throws -> Value, _ reader: DatabaseQueue) throws -> Value {
    try reader.unsafeRead(body)
  }

  /// Carries out `body` on a reader, outside of a transaction.
  func read<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      let reader = state.withLock { state in
        state.waiting.append { database in continuation.resume(with: Result { try body(database) }) }
        return state.idle.popLast()
      }
      if let reader { beginShift(reader) }
    }
  }

  /// Closes the readers when the reads under way have ended.
  func close() throws { for reader in readers { try reader.close() } }

  /// Uses a function for writes because, of those that return at once, it puts no transaction around each shift; a reader's connection
  /// refuses to write.
  private func beginShift(_ reader: DatabaseQueue) {
    reader.asyncWriteWithoutTransaction { [self] database in
      for _ in 0..<Self.longestShift {
        guard let read = next(reader) else { return }
        read(database)
      }
      beginShift(reader)
    }
  }

  /// The next read; `nil` when there is none, and then this reader is idle.
  private func next(_ reader: DatabaseQueue) -> Read? {
    state.withLock { state in state.rest(reader) ? nil : state.waiting.removeFirst() }
  }
}
