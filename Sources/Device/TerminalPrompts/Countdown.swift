internal import Foundation
internal import TerminalText

/// Says how much time is left for a question: on a line of its own and rarely, so that screen readers can follow and simple terminals show
/// it.
struct Countdown {
  private let end: Date
  private let clock: @Sendable () -> Date
  /// Seconds before the end at which something is said.
  private var marks: [TimeInterval] = [600, 300, 120, 60, 30, 10]

  init(until end: Date, clock: @escaping @Sendable () -> Date = { Date() }) {
    self.end = end
    self.clock = clock
    let left = end.timeIntervalSince(clock())
    marks = marks.filter { $0 < left }
  }

  /// What is due now.
  enum Event: Equatable {
    /// Nothing for so many milliseconds.
    case wait(Int32)
    case say(String)
    case over
  }

  mutating func next() -> Event {
    let left = end.timeIntervalSince(clock())
    guard left > 0 else { return .over }
    if let mark = marks.first, left <= mark {
      marks.removeFirst()
      return .say("\(TerminalText.duration(mark)) left.")
    }
    return .wait(Int32(min((left - (marks.first ?? 0)) * 1000 + 1, 60_000)))
  }
}
