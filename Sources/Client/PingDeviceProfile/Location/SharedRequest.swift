internal import Concurrency

/// A request to the system whose one answer is for all calls that wait.
///
/// A call whose task is cancelled returns at once. The other calls go on waiting; with the last one the request ends.
@MainActor final class SharedRequest<Answer: Sendable> {
  private var waiting: [FirstAnswer<Result<Answer, any Error>>] = []
  private let begin: @MainActor () async -> Void
  private let end: @MainActor () async -> Void

  /// - Parameters:
  ///   - begin: Makes the request; called for each call, also while the system works on an earlier one.
  ///   - end: Withdraws the request.
  init(begin: @escaping @MainActor () async -> Void, end: @escaping @MainActor () async -> Void = {}) {
    self.begin = begin
    self.end = end
  }

  /// Makes the request and waits for the answer.
  ///
  /// - Throws: the answer's error, or `CancellationError`.
  func answer() async throws -> Answer {
    try Task.checkCancellation()
    let answer = FirstAnswer<Result<Answer, any Error>>()
    // First, because the system may answer before `begin` returns.
    waiting.append(answer)
    await begin()
    let result = await withTaskCancellationHandler {
      await answer.value
    } onCancel: {
      answer.give(.failure(CancellationError()))
    }
    if let index = waiting.firstIndex(where: { $0 === answer }) {
      // Cancelled: whoever is answered no longer waits.
      waiting.remove(at: index)
      if waiting.isEmpty { await end() }
    }
    return try result.get()
  }

  /// Answers all calls that wait.
  func give(_ result: Result<Answer, any Error>) {
    for answer in waiting { answer.give(result) }
    waiting = []
  }
}
