package import CoreMetrics
package import PasswordHashing
package import SecurityEvents

/// Where the server's parts count and measure, by swift-metrics.
package struct ServerMetrics: Sendable {
  /// Keeps the values; `nil` when nobody reads them, and then counting costs nothing.
  package let factory: (any MetricsFactory)?

  package init(factory: (any MetricsFactory)?) { self.factory = factory }

  package static let none = ServerMetrics(factory: nil)

  /// - Parameter values: the values of the metric's labels, in their order.
  package func count(_ metric: ServerMetric, _ values: String..., by amount: Int = 1) {
    guard let factory else { return }
    Counter(label: metric.rawValue, dimensions: dimensions(metric, values), factory: factory)
      .increment(by: amount)
  }

  package func record(_ metric: ServerMetric, _ values: String..., time: Duration) {
    guard let factory else { return }
    let (seconds, attoseconds) = time.components
    Timer(label: metric.rawValue, dimensions: dimensions(metric, values), factory: factory)
      .recordNanoseconds(max(0, seconds * 1_000_000_000 + attoseconds / 1_000_000_000))
  }

  package func set(_ metric: ServerMetric, _ values: String..., to value: Double) {
    guard let factory else { return }
    Meter(label: metric.rawValue, dimensions: dimensions(metric, values), factory: factory).set(value)
  }

  /// Adds to a counter of fractional numbers.
  package func add(_ metric: ServerMetric, _ values: [String], amount: Double) {
    guard let factory else { return }
    FloatingPointCounter(label: metric.rawValue, dimensions: dimensions(metric, values), factory: factory)
      .increment(by: amount)
  }

  private func dimensions(_ metric: ServerMetric, _ values: [String]) -> [(String, String)] {
    Array(zip(metric.labels, values))
  }
}

extension ServerMetrics {
  /// Measures how long passwords wait.
  package var hashing: HashingObserver {
    guard factory != nil else { return HashingObserver() }
    return HashingObserver(
      waited: { record(.passwordWait, time: $0) }, refused: { count(.limitReached, "waitingPasswords") })
  }

  /// Counts events on their way to `sink`.
  package func counting(_ sink: (any SecurityEventSink)?) -> (any SecurityEventSink)? {
    factory == nil ? sink : CountedEvents(sink: sink, metrics: self)
  }
}
