extension TerminalText {
  package enum TimeUnit: String, Sendable { case day, hour, minute, second }

  /// A span of time in words, as people say it: `45 seconds`, `15 minutes`, `1 minute 30 seconds`, `2 hours`.
  ///
  /// - Parameter seconds: Rounded up to whole seconds; negative values count as 0.
  package static func duration(_ seconds: Double) -> String {
    guard let parts = parts(ofDuration: seconds) else { return "a long time" }
    return parts.map { "\($0.count) \($0.unit.rawValue)\($0.count == 1 ? "" : "s")" }.joined(separator: " ")
  }

  /// The one or two units that ``duration(_:)`` names, the larger one first. `nil` for more than a hundred years, or not-a-number.
  package static func parts(ofDuration seconds: Double) -> [(count: Int, unit: TimeUnit)]? {
    let rounded = seconds.rounded(.up)
    guard rounded < 4e9 else { return nil }
    let total = rounded > 0 ? Int(rounded) : 0
    let parts: [(count: Int, unit: TimeUnit)] = [
      (total / 86_400, .day), (total / 3600 % 24, .hour), (total / 60 % 60, .minute), (total % 60, .second),
    ]
    let named = parts.drop { $0.count == 0 }
    guard let first = named.first else { return [(0, .second)] }
    // Only the two largest units are named.
    return [first] + named.dropFirst().prefix(1).filter { $0.count > 0 }
  }
}
