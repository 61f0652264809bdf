internal import Concurrency
internal import GRDB

/// Reads of a database: a reader that is at work goes on with the next waiting read, instead of being woken for each.
///
/// Waking a thread costs more than most reads. First come, first served, on as many readers as there are. A read that is certain
/// to be short does not even change threads while a reader is free.
///
/// Each reader is a connection of its own. GRDB's pool would hand these out, too, but asks the database before each read whether its
/// schema has changed, which takes as long as a read by key.
final class ReadQueue: Sendable {
  private typealias Read = @Sendable (Database) -> Void

  private struct State: Sendable {
    var waiting: [Read] = []
    var idle: [DatabaseQueue]

    /// Lets a reader rest; `false` when reads wait, so that it goes on.
    mutating func rest(_ reader: DatabaseQueue) -> Bool {
      guard waiting.isEmpty else { return false }
      idle.append(reader)
      return true
    }
  }

  /// Reads after which a reader lets others have the thread: in memory, reads and writes share one.
  private static let longestShift = 64

  private let readers: [DatabaseQueue]
  private let state: Locked<State>

  /// Whether a free reader waits for nobody. In memory, where reads and writes share a connection, it may.
  private let readsHere: Bool

  /// Reads on as many connections of their own as `count` says.
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
    // Who came meanwhile, and found no reader free, has this one next.
    defer { if !state.withLock({ $0.rest(reader) }) { beginShift(reader) } }
    return try lookHere(body, reader)
  }

  /// By itself, because asynchronous code would choose the database's asynchronous function of that name.
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

  /// Waits for the reads under way.
  func close() throws { for reader in readers { try reader.close() } }

  /// Of the functions that do not wait, this one does not put a transaction around each shift; a reader's connection refuses to write.
  private func beginShift(_ reader: DatabaseQueue) {
    reader.asyncWriteWithoutTransaction { [self] database in
      for _ in 0..<Self.longestShift {
        guard let read = next(reader) else { return }
        read(database)
      }
      beginShift(reader)
    }
  }

  /// The next read; or none, and then this reader rests.
  private func next(_ reader: DatabaseQueue) -> Read? {
    state.withLock { state in state.rest(reader) ? nil : state.waiting.removeFirst() }
  }
}
