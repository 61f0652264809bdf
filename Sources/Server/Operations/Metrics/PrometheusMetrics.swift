internal import Bytes
internal import Concurrency
internal import CoreMetrics

/// Keeps metrics and writes them as Prometheus reads them: text format 0.0.4
/// (https://prometheus.io/docs/instrumenting/exposition_formats/).
///
/// swift-prometheus is not used, because it is not in the registries that Sealring is built from. The server needs counters, gauges, and
/// histograms of seconds.
package final class PrometheusMetrics: MetricsFactory {
  /// Upper bounds of the histograms' buckets, in seconds: from a read of the database to a request that is about to be given up.
  static let buckets: [Double] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

  /// The most combinations of labels that are kept for one metric. More would mean that clients choose a label's values.
  private let maximumSeries: Int

  private struct Family: Sendable {
    let kind: ServerMetric.Kind
    /// By the labels as they are written.
    var series: [String: PrometheusSeries] = [:]
  }

  private struct State: Sendable {
    var families: [String: Family] = [:]
    var refused = 0
  }

  private let state = Locked(State())
  private let help: [String: String]

  /// - Parameter help: what the metrics mean, by name.
  package init(
    help: [String: String] = Dictionary(
      uniqueKeysWithValues: ServerMetric.allCases.map { ($0.rawValue, $0.help) }), maximumSeries: Int = 2_000
  ) {
    self.help = help
    self.maximumSeries = maximumSeries
  }

  // MARK: MetricsFactory

  func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
    series(label, dimensions, .counter)
  }

  func makeFloatingPointCounter(
    label: String, dimensions: [(String, String)]
  ) -> any FloatingPointCounterHandler { series(label, dimensions, .counter) }

  func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
    series(label, dimensions, .gauge)
  }

  func makeRecorder(
    label: String, dimensions: [(String, String)], aggregate: Bool
  ) -> any RecorderHandler { series(label, dimensions, aggregate ? .histogram : .gauge) }

  func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
    series(label, dimensions, .histogram)
  }

  // Counters that fall look like a restart to Prometheus, so nothing is ever forgotten.
  func destroyCounter(_ handler: any CounterHandler) {}
  func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) {}
  func destroyMeter(_ handler: any MeterHandler) {}
  func destroyRecorder(_ handler: any RecorderHandler) {}
  func destroyTimer(_ handler: any TimerHandler) {}

  /// The series of these labels. It is not written if there is no room, or if the metric of that name has another kind.
  private func series(
    _ label: String, _ dimensions: [(String, String)], _ kind: ServerMetric.Kind
  ) -> PrometheusSeries {
    let name = Self.name(label)
    let labels = dimensions.map { "\(Self.name($0.0))=\"\(Self.escaped($0.1, quotes: true))\"" }
      .joined(separator: ",")
    return state.withLock { [maximumSeries] state in
      var family = state.families[name] ?? Family(kind: kind)
      if family.kind == kind, let known = family.series[labels] { return known }
      let series = PrometheusSeries(isHistogram: kind == .histogram)
      guard family.kind == kind, family.series.count < maximumSeries else {
        state.refused += 1
        return series
      }
      family.series[labels] = series
      state.families[name] = family
      return series
    }
  }

  // MARK: Text

  package static let contentType = "text/plain; version=0.0.4; charset=utf-8"

  /// All metrics that have a value, sorted by name and labels.
  package func text() -> String {
    let (families, refused) = state.withLock { ($0.families, $0.refused) }
    var text = ""
    for (name, family) in families.sorted(by: { $0.key < $1.key }) {
      if let help = help[name] { text += "# HELP \(name) \(Self.escaped(help, quotes: false))\n" }
      text += "# TYPE \(name) \(family.kind.rawValue)\n"
      for (labels, series) in family.series.sorted(by: { $0.key < $1.key }) {
        series.write(name: name, labels: labels, to: &text)
      }
    }
    let name = ServerMetric.seriesRefused.rawValue
    if let help = help[name] { text += "# HELP \(name) \(Self.escaped(help, quotes: false))\n" }
    return text + "# TYPE \(name) counter\n\(name) \(refused)\n"
  }

  /// `text` with all characters replaced that are not allowed in a name.
  private static func name(_ text: String) -> String {
    var name = ""
    for byte in text.utf8 {
      let isDigit = (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
      if isDigit, name.isEmpty { name = "_" }
      name.unicodeScalars.append(byte.isASCIILetterOrDigit ? Unicode.Scalar(byte) : "_")
    }
    return name.isEmpty ? "_" : name
  }

  private static func escaped(_ text: String, quotes: Bool) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\": escaped += "\\\\"
      case "\n": escaped += "\\n"
      case "\"" where quotes: escaped += "\\\""
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }
}
