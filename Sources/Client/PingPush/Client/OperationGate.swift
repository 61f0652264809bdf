internal import Concurrency

/// Lets operations begin until it is closed, and knows when the last one has ended.
final class OperationGate: Sendable {
  private struct State {
    var isClosed = false
    var running = 0
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Locked(State())

  var isClosed: Bool { state.withLock { $0.isClosed } }

  /// - Throws: ``PushError/notInitialized`` when closed, and what `body` throws.
  func run<Value>(_ body: () async throws -> Value) async throws -> Value {
    try state.withLock { state in
      guard !state.isClosed else { throw PushError.notInitialized }
      state.running += 1
    }
    defer { end() }
    return try await body()
  }

  /// Closes the gate for new operations; `false` when it was closed already.
  func close() -> Bool {
    state.withLock { state in
      defer { state.isClosed = true }
      return !state.isClosed
    }
  }

  /// Waits until no operation runs.
  func drained() async {
    await withCheckedContinuation { continuation in
      let isIdle = state.withLock { state in
        if state.running > 0 { state.waiting.append(continuation) }
        return state.running == 0
      }
      if isIdle { continuation.resume() }
    }
  }

  private func end() {
    let waiting = state.withLock { state -> [CheckedContinuation<Void, Never>] in
      state.running -= 1
      guard state.running == 0 else { return [] }
      defer { state.waiting = [] }
      return state.waiting
    }
    for continuation in waiting { continuation.resume() }
  }
}

/// One ``AsyncMutex`` for each name in use.
final class NamedMutexes: Sendable {
  private struct Entry {
    let mutex = AsyncMutex()
    var users = 0
  }

  private let entries = Locked<[String: Entry]>([:])

  /// Runs `body` while no other body of that name runs.
  func withLock<Value>(_ name: String, _ body: () async throws -> Value) async rethrows -> Value {
    let mutex = entries.withLock { entries in
      entries[name, default: Entry()].users += 1
      return entries[name]?.mutex ?? AsyncMutex()
    }
    defer {
      entries.withLock { entries in
        entries[name]?.users -= 1
        if entries[name]?.users == 0 { entries[name] = nil }
      }
    }
    return try await mutex.withLock { try await body() }
  }
}
