internal import Concurrency
internal import StrictJSON

/// Spans that wait to be sent. When it is full, new ones are dropped and counted: tracing never holds the server up.
final class SpanQueue: Sendable {
  private struct State: Sendable {
    var spans: [JSONObject] = []
    var dropped = 0
    var waiting: CheckedContinuation<Void, Never>?
    var isClosed = false
  }

  private let limit: Int
  private let batch: Int
  private let state = Locked(State())

  /// - Parameters:
  ///   - limit: Most spans that wait.
  ///   - batch: Most spans that are sent together.
  init(limit: Int = 4_096, batch: Int = 512) {
    self.limit = limit
    self.batch = batch
  }

  func add(_ span: JSONObject) {
    let waiting = state.withLock { [limit, batch] state -> CheckedContinuation<Void, Never>? in
      guard state.spans.count < limit, !state.isClosed else {
        state.dropped += 1
        return nil
      }
      state.spans.append(span)
      guard state.spans.count >= batch else { return nil }
      defer { state.waiting = nil }
      return state.waiting
    }
    waiting?.resume()
  }

  /// Returns when a whole batch waits, when the queue is closed, or when ``wake()`` is called. One task may wait.
  func whole() async {
    await withCheckedContinuation { continuation in
      let isDue = state.withLock { [batch] state in
        if state.spans.count >= batch || state.isClosed { return true }
        state.waiting = continuation
        return false
      }
      if isDue { continuation.resume() }
    }
  }

  /// Resumes the task that waits in ``whole()``.
  func wake() {
    let waiting = state.withLock { state in
      defer { state.waiting = nil }
      return state.waiting
    }
    waiting?.resume()
  }

  /// Takes no more spans.
  func close() {
    state.withLock { $0.isClosed = true }
    wake()
  }

  var isClosed: Bool { state.withLock { $0.isClosed } }

  /// The oldest spans, a batch at most.
  func take() -> [JSONObject] {
    state.withLock { [batch] state in
      let spans = Array(state.spans.prefix(batch))
      state.spans.removeFirst(spans.count)
      return spans
    }
  }

  /// Returns how many spans were dropped since the last call.
  func takeDropped() -> Int {
    state.withLock { state in
      defer { state.dropped = 0 }
      return state.dropped
    }
  }
}
