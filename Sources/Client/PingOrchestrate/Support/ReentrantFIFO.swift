internal import Concurrency

/// Lets one call at a time through, in the order of arrival.
///
/// A call whose task is cancelled while it waits throws `CancellationError`. A call made inside another call, by the same task
/// or a child task, enters at once, because a module's handler may call the workflow that runs it.
final class ReentrantFIFO: Sendable {
  private struct Line {
    var isTaken = false
    var waiting: [(ticket: UInt64, continuation: CheckedContinuation<Void, any Error>)] = []
    var nextTicket: UInt64 = 0
    /// Tickets that were cancelled before their task was queued.
    var gone: Set<UInt64> = []
  }

  /// The turns that the current task holds, innermost first.
  private final class Turn: Sendable {
    let queue: ObjectIdentifier
    let outer: Turn?
    /// Whether the turn has ended. A task that a handler started and did not await inherits the turn, and must not use it afterwards.
    let isOver = Locked(false)

    init(of queue: ReentrantFIFO, inside outer: Turn?) {
      self.queue = ObjectIdentifier(queue)
      self.outer = outer
    }
  }

  @TaskLocal private static var turn: Turn?

  private let line = Locked(Line())

  /// Whether a call is inside.
  var isTaken: Bool { line.withLock { $0.isTaken } }

  /// How many calls wait for their turn.
  var waitingCount: Int { line.withLock { $0.waiting.count } }

  /// Runs `body` when it is this call's turn.
  ///
  /// - Throws: `CancellationError` when the task was cancelled before its turn came, or what `body` throws.
  func pass<Result: Sendable>(_ body: @Sendable () async throws -> Result) async throws -> Result {
    if isInside { return try await body() }
    try await enter()
    defer { leave() }
    let turn = Turn(of: self, inside: Self.turn)
    defer { turn.isOver.withLock { $0 = true } }
    return try await Self.$turn.withValue(turn) { try await body() }
  }

  private var isInside: Bool {
    var turn = Self.turn
    while let current = turn {
      if current.queue == ObjectIdentifier(self), !current.isOver.withLock({ $0 }) { return true }
      turn = current.outer
    }
    return false
  }

  private func enter() async throws {
    let ticket = line.withLock { line in
      line.nextTicket += 1
      return line.nextTicket
    }
    defer { line.withLock { _ = $0.gone.remove(ticket) } }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
        let answer: Result<Void, any Error>? = line.withLock { line in
          if line.gone.contains(ticket) { return .failure(CancellationError()) }
          if line.isTaken {
            line.waiting.append((ticket, continuation))
            return nil
          }
          line.isTaken = true
          return .success(())
        }
        if let answer { continuation.resume(with: answer) }
      }
    } onCancel: {
      let continuation = line.withLock { line -> CheckedContinuation<Void, any Error>? in
        guard let place = line.waiting.firstIndex(where: { $0.ticket == ticket }) else {
          line.gone.insert(ticket)
          return nil
        }
        return line.waiting.remove(at: place).continuation
      }
      continuation?.resume(throwing: CancellationError())
    }
  }

  private func leave() {
    let next = line.withLock { line -> CheckedContinuation<Void, any Error>? in
      guard !line.waiting.isEmpty else {
        line.isTaken = false
        return nil
      }
      return line.waiting.removeFirst().continuation  // The turn passes on without ever being free.
    }
    next?.resume()
  }
}
