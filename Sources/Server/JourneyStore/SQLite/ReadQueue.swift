internal import Concurrency
internal import GRDB

/// Reads of a database: a reader that is at work goes on with the next waiting read, instead of being woken for each.
///
/// Waking a thread costs more than most reads. First come, first served, on as many readers as there are. A read that is certain
/// to be short does not even change threads while a reader is free.
final class ReadQueue: Sendable {
  private typealias Read = @Sendable (Result<Database, any Error>) -> Void

  private struct State: Sendable {
    var waiting: [Read] = []
    /// Readers at work or about to begin.
    var active = 0
  }

  /// Reads after which a reader lets others have the thread: in memory, reads and writes share one.
  private static let longestShift = 64

  private let state = Locked(State())
  private let database: any DatabaseReader
  private let readers: Int

  /// Whether a free reader waits for nobody. In memory, where reads and writes share a connection, it may.
  private let readsHere: Bool

  init(_ database: any DatabaseReader, readers: Int) {
    self.database = database
    self.readers = readers
    readsHere = database is DatabasePool
  }

  /// Carries out `body`, which looks up a few rows by their keys, on a reader outside of a transaction: on the caller's thread, if
  /// a reader is free.
  func look<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
    let isFree = state.withLock { [readers, readsHere] state in
      guard readsHere, state.active < readers, state.waiting.isEmpty else { return false }
      state.active += 1
      return true
    }
    guard isFree else { return try await read(body) }
    // Who came meanwhile, and found no reader free, has this one next.
    defer { if handOver() { beginShift() } }
    return try lookHere(body)
  }

  /// By itself, because asynchronous code would choose the database's asynchronous function of that name.
  private func lookHere<Value>(_ body: (Database) throws -> Value) throws -> Value {
    try database.unsafeRead(body)
  }

  /// Whether reads wait, so that the reader goes on; otherwise it is at work no longer.
  private func handOver() -> Bool {
    state.withLock { state in
      if state.waiting.isEmpty { state.active -= 1 }
      return !state.waiting.isEmpty
    }
  }

  /// Carries out `body` on a reader, outside of a transaction.
  func read<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      let begins = state.withLock { [readers] state in
        state.waiting.append { database in
          continuation.resume(with: Result { try body(database.get()) })
        }
        guard state.active < readers else { return false }
        state.active += 1
        return true
      }
      if begins { beginShift() }
    }
  }

  private func beginShift() {
    database.asyncUnsafeRead { [self] database in
      for _ in 0..<Self.longestShift {
        guard let read = next() else { return }
        read(database)
      }
      beginShift()
    }
  }

  /// The next read; or none, and then this reader is at work no longer.
  private func next() -> Read? {
    state.withLock { state in
      guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
      state.active -= 1
      return nil
    }
  }
}
