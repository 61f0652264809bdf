import Concurrency
import Foundation

/// Shows the time left for the enrolment on the screen: in a line that is rewritten each second, or once where that is impossible.
final class EnrolmentCountdown: Sendable {
  private struct State {
    var end: ContinuousClock.Instant?
    var isShown = false
    var wasSaid = false
  }

  private let state = Locked(State())

  /// - Parameter seconds: The server's value; `nil` when no enrolment is open.
  func set(secondsLeft seconds: Int?) {
    state.withLock { state in
      state.end = seconds.map { .now + .seconds($0) }
      guard state.end == nil, state.isShown else { return }
      Output.replaceLine("")
      state.isShown = false
    }
  }

  /// Waits for `time`, and counts down meanwhile.
  func pause(_ time: Duration) async throws {
    let until = ContinuousClock.now + time
    while case let rest = ContinuousClock.now.duration(to: until), rest > .zero {
      say()
      try await Task.sleep(for: min(rest, .seconds(1)))
    }
  }

  private func say() {
    state.withLock { state in
      guard let end = state.end else { return }
      let line = Self.line(ContinuousClock.now.duration(to: end))
      if Output.canRewriteLine {
        Output.replaceLine(line)
        state.isShown = true
      } else if !state.wasSaid {
        Output.remark(line)
      }
      state.wasSaid = true
    }
  }

  private static func line(_ left: Duration) -> String {
    left > .zero
      ? "\(TerminalText.duration(Double(left.components.seconds + (left.components.attoseconds > 0 ? 1 : 0)))) left to scan the code."
      : "The time to scan the code is over."
  }
}
