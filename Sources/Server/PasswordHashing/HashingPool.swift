internal import Locking
internal import NIOPosix

/// Threads of its own for long computations, with a bounded queue before them.
///
/// Who waits holds no thread, and leaves the queue at once when its task is cancelled. First come, first served.
final class HashingPool: Sendable {
  private struct State: Sendable {
    var free: Int
    var waiting: [(id: Int, turn: CheckedContinuation<Void, any Error>)] = []
    var nextID = 0
    /// Cancelled before they began to wait, or when their turn had just come.
    var cancelled: Set<Int> = []
  }

  private enum Admission { case go, wait, refused(any Error) }

  private let threads: NIOThreadPool
  private let queueLimit: Int
  private let state: Locked<State>

  /// - Parameters:
  ///   - threads: How many run at once, at least 1.
  ///   - queueLimit: How many may wait beside those.
  init(threads: Int, queueLimit: Int) {
    let threads = max(1, threads)
    self.threads = NIOThreadPool(numberOfThreads: threads)
    self.queueLimit = max(0, queueLimit)
    state = Locked(State(free: threads))
    self.threads.start()
  }

  deinit { threads.shutdownGracefully { _ in } }

  /// How many wait for a thread now.
  var waitingCount: Int { state.withLock { $0.waiting.count } }

  /// Runs `body` on one of the threads.
  ///
  /// - Throws: ``PasswordHashingError/overloaded`` at once when the queue is full, `CancellationError` when the task is
  ///   cancelled before its turn. A computation that has begun is finished.
  func run<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await waitForTurn()
    defer { passTurnOn() }
    return try await withCheckedThrowingContinuation { continuation in
      threads.submit { thread in
        guard case .active = thread else { return continuation.resume(throwing: CancellationError()) }
        continuation.resume(with: Result(catching: body))
      }
    }
  }

  private func waitForTurn() async throws {
    let id = state.withLock { state in
      state.nextID += 1
      return state.nextID
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        switch admit(id, continuation) {
        case .go: continuation.resume()
        case .wait: break
        case .refused(let error): continuation.resume(throwing: error)
        }
      }
    } onCancel: {
      leaveQueue(id)
    }
    _ = state.withLock { $0.cancelled.remove(id) }
  }

  private func admit(_ id: Int, _ turn: CheckedContinuation<Void, any Error>) -> Admission {
    state.withLock { [queueLimit] state in
      if state.cancelled.remove(id) != nil { return .refused(CancellationError()) }
      if state.free > 0 {
        state.free -= 1
        return .go
      }
      guard state.waiting.count < queueLimit else { return .refused(PasswordHashingError.overloaded) }
      state.waiting.append((id, turn))
      return .wait
    }
  }

  private func leaveQueue(_ id: Int) {
    let turn = state.withLock { state -> CheckedContinuation<Void, any Error>? in
      if let index = state.waiting.firstIndex(where: { $0.id == id }) {
        return state.waiting.remove(at: index).turn
      }
      state.cancelled.insert(id)
      return nil
    }
    turn?.resume(throwing: CancellationError())
  }

  private func passTurnOn() {
    let next = state.withLock { state -> CheckedContinuation<Void, any Error>? in
      if state.waiting.isEmpty {
        state.free += 1
        return nil
      }
      return state.waiting.removeFirst().turn
    }
    next?.resume()
  }
}
