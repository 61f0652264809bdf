internal import Concurrency
internal import NIOPosix

/// Dedicated threads for long computations, with a bounded queue in front.
///
/// A waiting task holds no thread, and leaves the queue at once when it is cancelled. The sources of jobs take turns
/// (``HashingQueue``).
final class HashingPool: Sendable {
  private struct State: Sendable {
    var free: Int
    var waiting = HashingQueue<Waiting>()
    var nextID = 0
    /// The ids of tasks that were cancelled before they were queued, or just when their turn came.
    var cancelled: Set<Int> = []
  }

  private struct Waiting {
    var id: Int
    var turn: CheckedContinuation<Void, any Error>
  }

  private enum Admission { case go, wait(displacing: Waiting?), refused(any Error) }

  private let threads: NIOThreadPool
  private let queueLimit: Int
  private let observer: HashingObserver
  private let state: Locked<State>

  /// - Parameters:
  ///   - threads: The number of computations that run at once, at least 1.
  ///   - queueLimit: The number of computations that may wait.
  init(threads: Int, queueLimit: Int, observer: HashingObserver = HashingObserver()) {
    let threads = max(1, threads)
    self.threads = NIOThreadPool(numberOfThreads: threads)
    self.queueLimit = max(0, queueLimit)
    self.observer = observer
    state = Locked(State(free: threads))
    self.threads.start()
  }

  deinit { threads.shutdownGracefully { _ in } }

  /// The number of computations that wait for a thread now.
  var waitingCount: Int { state.withLock { $0.waiting.count } }

  /// Runs `body` on one of the threads.
  ///
  /// - Parameter source: The source of the job, for taking turns.
  /// - Throws: ``PasswordHashingError/overloaded`` when the queue is full and no other source has more jobs waiting, or when another
  ///   source takes the place; `CancellationError` when the task is cancelled before its turn. A computation that has started is always
  ///   finished.
  func run<Value: Sendable>(
    source: String = WaitingSource.current, _ body: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    let began = ContinuousClock.now
    do { try await waitForTurn(source: source) } catch PasswordHashingError.overloaded {
      observer.refused()
      throw PasswordHashingError.overloaded
    }
    observer.waited(began.duration(to: .now))
    defer { passTurnOn() }
    return try await withCheckedThrowingContinuation { continuation in
      threads.submit { thread in
        guard case .active = thread else { return continuation.resume(throwing: CancellationError()) }
        continuation.resume(with: Result(catching: body))
      }
    }
  }

  private func waitForTurn(source: String) async throws {
    let id = state.withLock { state in
      state.nextID += 1
      return state.nextID
    }
    defer { _ = state.withLock { $0.cancelled.remove(id) } }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        switch admit(id, source: source, continuation) {
        case .go: continuation.resume()
        case .wait(let displaced): displaced?.turn.resume(throwing: PasswordHashingError.overloaded)
        case .refused(let error): continuation.resume(throwing: error)
        }
      }
    } onCancel: {
      leaveQueue(id, source: source)
    }
  }

  private func admit(_ id: Int, source: String, _ turn: CheckedContinuation<Void, any Error>) -> Admission {
    state.withLock { [queueLimit] state in
      if state.cancelled.remove(id) != nil { return .refused(CancellationError()) }
      if state.free > 0 {
        state.free -= 1
        return .go
      }
      let displaced = state.waiting.add(Waiting(id: id, turn: turn), source: source, limit: queueLimit)
      guard displaced?.id != id else { return .refused(PasswordHashingError.overloaded) }
      return .wait(displacing: displaced)
    }
  }

  private func leaveQueue(_ id: Int, source: String) {
    let waiting = state.withLock { state in
      let waiting = state.waiting.remove(source: source, where: { $0.id == id })
      if waiting == nil { state.cancelled.insert(id) }
      return waiting
    }
    waiting?.turn.resume(throwing: CancellationError())
  }

  private func passTurnOn() {
    let next = state.withLock { state in
      let next = state.waiting.removeNext()
      if next == nil { state.free += 1 }
      return next
    }
    next?.turn.resume()
  }
}
