internal import Foundation
internal import TerminalText

/// The report as text, with at most 80 columns.
extension LoadReport {
  package var text: String {
    var lines = [summary, ""]
    lines.append(Self.row("", ["count"] + Self.percentiles.map(\.name) + ["max"]))
    for step in steps { lines.append(Self.row(step.step.title, Self.cells(step.latencies))) }
    lines.append(Self.row("whole run", Self.cells(whole)))
    if ramp.completed + ramp.failed > 0 {
      let runs = "\(ramp.completed) runs during the ramp, and \(ramp.failed) that failed"
      lines += ["", "Not counted above: \(runs)."]
    }
    if lag.percentile(99) >= Self.mostLag {
      lines += [
        "", "This machine was too slow for the load: it began runs late although devices",
        "were free, by \(Self.time(lag.percentile(99))) (p99). That is in the latencies above.",
      ]
    }
    if !errors.entries.isEmpty {
      lines += ["", "Failures:"]
      for entry in errors.entries {
        let count = String(entry.count)
        let text = "\(entry.kind.rawValue): \(entry.detail)"
        let width = 76 - max(count.count, 8)
        lines.append("  \(Self.left(count, 8))  \(text.count > width ? text.prefix(width - 1) + "…" : text)")
      }
    }
    return lines.joined(separator: "\n")
  }

  private var summary: String {
    let seconds = Self.decimal(elapsed / .seconds(1), 1)
    let paced =
      switch pacing {
      case .rate(let rate): "asked for \(Self.short(rate))/s"
      case .concurrency(let count): "\(count) at a time"
      }
    let ended = endings.filter { $0 != .completed }.map(\.title)
    let how = ended.isEmpty ? "" : " The load \(Set(ended).sorted().joined(separator: ", "))."
    let processes = endings.count > 1 ? ", \(endings.count) processes" : ""
    return """
      \(scenario) by \(TerminalText.line(journey, columns: 24)): \(devices) devices, \(paced)\(processes).
      \(completed) runs in \(seconds) s: \(Self.decimal(throughput, 1))/s; \(failed) failed.\(how)
      """
  }

  private static func cells(_ latencies: Latencies) -> [String] {
    guard latencies.count > 0 else { return ["0"] }
    return ["\(latencies.count)"] + percentiles.map { time(latencies.percentile($0.value)) }
      + [time(latencies.maximum)]
  }

  private static func row(_ name: String, _ cells: [String]) -> String {
    let line = name.padding(toLength: 20, withPad: " ", startingAt: 0) + cells.map { left($0, 9) }.joined()
    return "  " + line
  }

  private static func left(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.count)) + text
  }

  /// Milliseconds below ten seconds, else seconds.
  package static func time(_ duration: Duration) -> String {
    let milliseconds = duration / .milliseconds(1)
    if milliseconds >= 10_000 { return decimal(milliseconds / 1000, 1) + " s" }
    return decimal(milliseconds, milliseconds < 100 ? 2 : 0) + " ms"
  }

  static func decimal(_ value: Double, _ digits: Int) -> String { String(format: "%.\(digits)f", value) }

  /// A number without decimals if it is whole.
  package static func short(_ value: Double) -> String {
    value == value.rounded() ? decimal(value, 0) : decimal(value, 2)
  }
}

extension LoadReport.Ending {
  package var title: String {
    switch self {
    case .completed: "ran to its end"
    case .interrupted: "was interrupted"
    case .serverGone: "ended because the server went away"
    case .failed: "ended with a failure that more runs would repeat"
    }
  }
}
