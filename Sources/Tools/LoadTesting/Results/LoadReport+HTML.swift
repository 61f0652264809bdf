internal import Bytes
internal import Foundation

/// One HTML page with the summary and plots, without scripts and external resources.
extension LoadReport {
  package var html: String {
    let title = MarkupText.html("sealring load \(scenario)")
    let intervals = intervals.list
    let seconds = Double(self.intervals.seconds)
    func milliseconds(_ percentile: Double) -> [Double?] {
      intervals.map { interval in
        interval.latencies.count > 0 ? interval.latencies.percentile(percentile) / .milliseconds(1) : nil
      }
    }
    let rate = LinePlot(
      title: "Runs a second", unit: "1/s", step: self.intervals.seconds,
      lines: asked + [
        LinePlot.Line(
          name: "completed", style: "one", values: intervals.map { Double($0.completed) / seconds }),
        LinePlot.Line(name: "failed", style: "bad", values: intervals.map { Double($0.failed) / seconds }),
      ])
    let latency = LinePlot(
      title: "Latency of whole runs, by when they ended", unit: "ms", step: self.intervals.seconds,
      lines: [
        LinePlot.Line(
          name: "max", style: "three",
          values: intervals.map { $0.latencies.count > 0 ? $0.latencies.maximum / .milliseconds(1) : nil }),
        LinePlot.Line(name: "p99", style: "two", values: milliseconds(99)),
        LinePlot.Line(name: "p50", style: "one", values: milliseconds(50)),
      ])
    return """
      <!DOCTYPE html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <title>\(title)</title>
      <style>
      \(Self.style)
      </style>
      </head>
      <body>
      <h1>\(title)</h1>
      \(facts)
      \(rate.svg)
      \(latency.svg)
      \(table)
      \(failures)
      </body>
      </html>

      """
  }

  /// The requested rate in each interval, for one process with an open loop.
  private var asked: [LinePlot.Line] {
    guard case .rate(let rate) = pacing, endings.count == 1 else { return [] }
    let schedule = ArrivalSchedule(rate: rate, ramp: rampTime)
    let (width, end) = (intervals.seconds, rampTime + elapsed)
    let values = intervals.list.indices.map { index -> Double? in
      let (from, to) = (Duration.seconds(index * width), Duration.seconds((index + 1) * width))
      guard to <= end else { return nil }
      return Double(schedule.count(before: to) - schedule.count(before: from)) / Double(width)
    }
    return [LinePlot.Line(name: "asked for", style: "three", values: values)]
  }

  private var facts: String {
    let paced =
      switch pacing {
      case .rate(let rate): "\(Self.short(rate)) a second (open loop)"
      case .concurrency(let count): "\(count) at a time (closed loop)"
      }
    let start = Date(timeIntervalSince1970: Double(startedAt) / 1000).formatted(.iso8601)
    let rows: [(String, String)] = [
      ("Journey", journey), ("Began", start), ("Devices", "\(devices)"), ("Asked for", paced),
      ("Runs", "\(completed) in \(Self.decimal(elapsed / .seconds(1), 1)) s"),
      (
        "Own delay",
        "p99 \(Self.time(lag.percentile(99))) between when a run should have begun and when it did"
      ),
      ("Throughput", "\(Self.decimal(throughput, 1)) a second"), ("Failed", "\(failed)"),
      (
        "Ramp",
        "\(ramp.completed) runs, \(ramp.failed) failed, in \(Self.decimal(rampTime / .seconds(1), 0)) s"
      ),
      ("Ended", endings.map(\.title).joined(separator: "; ")),
    ]
    let list = rows.map { "<dt>\($0.0)</dt><dd>\(MarkupText.html($0.1))</dd>" }
    return "<dl>\(list.joined(separator: "\n"))</dl>"
  }

  private var table: String {
    let head = (["", "count"] + Self.percentiles.map(\.name) + ["max"]).map { "<th>\($0)</th>" }.joined()
    func row(_ name: String, _ latencies: Latencies) -> String {
      let times = Self.percentiles.map { latencies.percentile($0.value) } + [latencies.maximum]
      let cells = (["\(latencies.count)"] + times.map(Self.time)).map { "<td>\($0)</td>" }.joined()
      return "<tr><th scope=\"row\">\(MarkupText.html(name))</th>\(cells)</tr>"
    }
    let rows = steps.map { row($0.step.title, $0.latencies) } + [row("whole run", whole)]
    return "<table><thead><tr>\(head)</tr></thead><tbody>\(rows.joined(separator: "\n"))</tbody></table>"
  }

  private var failures: String {
    guard !errors.entries.isEmpty else { return "" }
    let rows = errors.entries.map { entry in
      "<tr><td>\(entry.count)</td><td>\(entry.kind.rawValue)</td><td class=\"text\">\(MarkupText.html(entry.detail))</td></tr>"
    }
    return "<h2>Failures</h2><table><tbody>\(rows.joined(separator: "\n"))</tbody></table>"
  }

  private static let style = """
    :root { color-scheme: light dark; --ink: #1a1a1a; --paper: #fff; --grid: #ddd; --one: #0b5cad; --two: #b35900; --three: #7a7a7a; --bad: #b00020; }
    @media (prefers-color-scheme: dark) { :root { --ink: #eee; --paper: #161616; --grid: #3a3a3a; --one: #6db3f2; --two: #f0a050; --three: #999; --bad: #ff7080; } }
    body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 900px; margin: 2rem auto; padding: 0 1rem; }
    dl { display: grid; grid-template-columns: max-content auto; gap: 0 1rem; } dt { font-weight: 600; } dd { margin: 0; overflow-wrap: anywhere; }
    figure { margin: 1.5rem 0; } svg { width: 100%; height: auto; } figcaption span { margin-left: .8rem; font-weight: 600; }
    .grid { stroke: var(--grid); } .label { font-size: 12px; fill: var(--ink); }
    polyline { fill: none; stroke-width: 1.6; } circle { stroke: none; }
    polyline.one { stroke: var(--one); } polyline.two { stroke: var(--two); } polyline.three { stroke: var(--three); } polyline.bad { stroke: var(--bad); }
    circle.one { fill: var(--one); } circle.two { fill: var(--two); } circle.three { fill: var(--three); } circle.bad { fill: var(--bad); }
    span.one { color: var(--one); } span.two { color: var(--two); } span.three { color: var(--three); } span.bad { color: var(--bad); }
    table { border-collapse: collapse; } th, td { padding: .2rem .7rem; text-align: right; border-bottom: 1px solid var(--grid); } th[scope=row], td.text { text-align: left; overflow-wrap: anywhere; }
    """
}
