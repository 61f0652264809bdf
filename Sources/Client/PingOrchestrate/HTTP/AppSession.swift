internal import Concurrency
internal import Foundation
internal import PingNetwork

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// Sends requests through an app's own subclass of `URLSession`: one for tests, or one that adds something to every request.
struct AppSession: Sendable {
  private let session: URLSession

  /// Wraps `session`; `nil` when it is one of Foundation's own.
  init?(_ session: URLSession) {
    #if canImport(Darwin)
      // On Apple's systems, Foundation's sessions are instances of its private subclasses.
      let foundation = Bundle(for: type(of: URLSession.shared))
      guard Bundle(for: type(of: session)) != foundation else { return nil }
    #else
      guard type(of: session) != URLSession.self else { return nil }
    #endif
    self.session = session
  }

  /// Sends `request` and waits for the whole answer. Cancelling the task cancels the request.
  ///
  /// - Parameter deadline: How long the whole exchange may take, in seconds.
  /// - Throws: ``ResponseError/tooLarge(size:limit:)`` once a larger answer has arrived; the session's error; `URLError` after the deadline
  ///   and for a cancelled task.
  func send(_ request: URLRequest, deadline: TimeInterval) async throws -> (Data, URLResponse) {
    let pending = PendingAnswer()
    let timer = Task {
      try await Task.sleep(for: .seconds(deadline.isFinite ? min(max(deadline, 0), 1e9) : 1e9))
      pending.end(.failure(URLError.requestTimedOut))
    }
    defer { timer.cancel() }
    let (data, head) = try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let task = session.dataTask(with: request) { data, head, error in
          guard let head else {
            let isLate = (error as? URLError)?.code == .timedOut
            return pending.end(
              .failure(isLate ? URLError.requestTimedOut : error ?? URLError(.badServerResponse)))
          }
          pending.end(.success((data ?? Data(), head)))
        }
        // A request that was cancelled or timed out before this point is not sent.
        if pending.begin(task, continuation) { task.resume() }
      }
    } onCancel: {
      pending.end(.failure(URLError(.cancelled)))
    }
    let limit = HttpClient.maximumAnswerSize
    guard data.count <= limit else { throw ResponseError.tooLarge(size: data.count, limit: limit) }
    return (data, head)
  }
}

extension URLError {
  /// The error for an answer that did not come in time, with the published SDK's text.
  static var requestTimedOut: URLError {
    URLError(
      .timedOut,
      userInfo: [NSLocalizedDescriptionKey: NetworkError.timeout.errorDescription ?? "The request timed out"])
  }
}

/// One request and its result: the answer, the deadline or a cancellation, whichever comes first.
private final class PendingAnswer: Sendable {
  typealias Answer = (Data, URLResponse)

  // A task and a response may be used from any thread; the result is handed on once.
  private struct State: @unchecked Sendable {
    var task: URLSessionTask?
    var continuation: CheckedContinuation<Answer, any Error>?
    var result: Result<Answer, any Error>?
  }

  private let state = Locked(State())

  /// Registers the request and returns whether it may be sent. When it has already ended, cancels it and resumes `continuation`.
  func begin(_ task: URLSessionTask, _ continuation: CheckedContinuation<Answer, any Error>) -> Bool {
    let state = State(task: task, continuation: continuation)
    let early = self.state.withLock { known in
      guard known.result == nil else { return known }
      known = state
      return State()
    }
    guard let result = early.result else { return true }
    task.cancel()
    continuation.resume(with: result)
    return false
  }

  /// Sets the result, unless there is one already. A failure cancels the request.
  func end(_ result: Result<Answer, any Error>) {
    let new = State(result: result)
    let ended = state.withLock { known in
      guard known.result == nil else { return State() }
      defer { known = new }
      return known
    }
    if case .failure = result { ended.task?.cancel() }
    ended.continuation?.resume(with: result)
  }
}
