extension TerminalText {
  /// A span of time in words, as people say it: `45 seconds`, `15 minutes`, `1 minute 30 seconds`, `2 hours`.
  ///
  /// - Parameter seconds: Brought to whole seconds upwards; less than none counts as none.
  package static func duration(_ seconds: Double) -> String {
    let rounded = seconds.rounded(.up)
    // More than a hundred years, or no number.
    guard rounded < 4e9 else { return "a long time" }
    let total = rounded > 0 ? Int(rounded) : 0
    func words(_ count: Int, _ unit: String) -> String { "\(count) \(unit)\(count == 1 ? "" : "s")" }
    let parts = [
      (total / 86_400, "day"), (total / 3600 % 24, "hour"), (total / 60 % 60, "minute"),
      (total % 60, "second"),
    ].drop { $0.0 == 0 }
    guard let first = parts.first else { return words(0, "second") }
    // Only the two largest units are named.
    let second = parts.dropFirst().first.flatMap { $0.0 > 0 ? words($0.0, $0.1) : nil }
    return [words(first.0, first.1), second].compactMap { $0 }.joined(separator: " ")
  }
}
