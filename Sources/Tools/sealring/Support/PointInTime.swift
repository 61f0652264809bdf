import ArgumentParser
import Foundation

/// A point in time on the command line: a day, a day and a time, or a time span before now.
struct PointInTime: ExpressibleByArgument {
  let date: Date

  static let help =
    "2026-11-22 (midnight, local time), 2026-11-22T10:30:00Z, or how long ago: 90m, 24h, 7d."

  init?(argument: String) { self.init(argument, now: Date(), zone: .current) }

  init?(_ text: String, now: Date, zone: TimeZone) {
    guard text.utf8.count <= 40 else { return nil }
    if let time = try? Date(text, strategy: .iso8601) {
      date = time
    } else if let ago = Self.ago(text) {
      date = now.addingTimeInterval(-ago)
    } else if let day = Self.day(text, zone) {
      date = day
    } else {
      return nil
    }
  }

  /// Parses `90m`, `24h`, `7d` into seconds.
  private static func ago(_ text: String) -> TimeInterval? {
    guard let unit = text.last, let seconds = ["m": 60, "h": 3600, "d": 86400][unit] as Double?,
      let count = UInt32(text.dropLast())
    else { return nil }
    return Double(count) * seconds
  }

  private static func day(_ text: String, _ zone: TimeZone) -> Date? {
    let style = Date.ISO8601FormatStyle(timeZone: zone).year().month().day()
    // A text that formats differently is not a valid day, or has more than a day.
    return (try? style.parse(text)).flatMap { $0.formatted(style) == text ? $0 : nil }
  }
}

/// `--since` and `--until`.
struct TimeRange: ParsableArguments {
  @Option(help: "Only from this time on: \(PointInTime.help)")
  var since: PointInTime?

  @Option(help: "Only before this time.")
  var until: PointInTime?

  /// Whether the range includes every time.
  var isOpen: Bool { since == nil && until == nil }

  func contains(_ date: Date) -> Bool {
    since.map { date >= $0.date } ?? true && until.map { date < $0.date } ?? true
  }
}
