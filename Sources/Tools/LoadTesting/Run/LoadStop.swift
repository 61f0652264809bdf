internal import Concurrency

/// The reason why a load ended early.
package enum EarlyEnd: Sendable, Hashable {
  /// Ctrl-C, or SIGTERM.
  case interrupted
  /// The server did not answer for too long.
  case serverGone(LoadFailure)
  /// A failure that all further runs would repeat.
  case failed(LoadFailure)
}

/// Ends a load early; the first reason counts.
package final class LoadStop: Sendable {
  private struct State {
    var reason: EarlyEnd?
    var handler: (@Sendable () -> Void)?
  }

  private let state = Locked(State())

  package init() {}

  package var reason: EarlyEnd? { state.withLock { $0.reason } }

  package func request(_ reason: EarlyEnd) {
    let handler = state.withLock { state -> (@Sendable () -> Void)? in
      guard state.reason == nil else { return nil }
      state.reason = reason
      return state.handler
    }
    handler?()
  }

  /// Calls `handler` when the end is requested, or at once if it already was.
  func onRequest(_ handler: @escaping @Sendable () -> Void) {
    let isLate = state.withLock { state in
      state.handler = handler
      return state.reason != nil
    }
    if isLate { handler() }
  }
}
