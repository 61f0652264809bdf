internal import Foundation
internal import TerminalText

/// Says how much time is left for a question. It writes rarely and on a line of its own, so that screen readers can follow and simple
/// terminals can show it.
struct Countdown {
  private let end: Date
  private let clock: @Sendable () -> Date
  /// The numbers of seconds before the end at which the time left is announced.
  private var marks: [TimeInterval] = [600, 300, 120, 60, 30, 10]

  init(until end: Date, clock: @escaping @Sendable () -> Date = { Date() }) {
    self.end = end
    self.clock = clock
    let left = end.timeIntervalSince(clock())
    marks = marks.filter { $0 < left }
  }

  /// What to do now.
  enum Event: Equatable {
    /// Wait this many milliseconds.
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
