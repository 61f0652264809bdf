internal import Concurrency
package import Foundation

extension TerminalText {
  /// Times for people: in the local time zone with its offset from UTC, or in UTC on request. JSON always has ISO 8601 in UTC.
  package enum Times {
    /// The zone that a program shows times in.
    package struct Zone: Sendable {
      /// `nil` is the system's.
      fileprivate let local: TimeZone?
      fileprivate let isUTC = Locked(false)

      package init(local: TimeZone? = nil) { self.local = local }
    }

    /// The zone of this process. A command that runs in a test's process has its own.
    @TaskLocal package static var zone = Zone()

    /// Whether times are shown in UTC: `--utc`, `SEALRING_UTC`, or `utc = true` in the settings.
    package static var isUTC: Bool {
      get { zone.isUTC.withLock { $0 } }
      set { zone.isUTC.withLock { $0 = newValue } }
    }

    /// `2026-11-22 10:32:04 +01:00`, or `2026-11-22 09:32:04 UTC`.
    package static func text(_ date: Date) -> String { text(date, in: isUTC ? .gmt : zone.local ?? .current) }

    package static func text(_ date: Date, in zone: TimeZone) -> String {
      var calendar = Calendar(identifier: .gregorian)
      calendar.timeZone = zone
      let parts = calendar.dateComponents([.year, .month, .day, .hour, .minute, .second], from: date)
      func digits(_ number: Int?, _ count: Int = 2) -> String {
        let text = String(number ?? 0)
        return String(repeating: "0", count: max(0, count - text.count)) + text
      }
      let day = "\(digits(parts.year, 4))-\(digits(parts.month))-\(digits(parts.day))"
      let time = "\(digits(parts.hour)):\(digits(parts.minute)):\(digits(parts.second))"
      let minutes = zone.secondsFromGMT(for: date) / 60
      guard zone != .gmt else { return "\(day) \(time) UTC" }
      return
        "\(day) \(time) \(minutes < 0 ? "-" : "+")\(digits(abs(minutes) / 60)):\(digits(abs(minutes) % 60))"
    }
  }
}
