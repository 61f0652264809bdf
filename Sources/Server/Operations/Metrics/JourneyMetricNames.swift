internal import Concurrency
package import JourneyNodes

/// The names of the metrics that journey files define, as labels. Journeys come and go while the server runs, so only the first names are
/// kept. All others share one label.
final class JourneyMetricNames: Sendable {
  /// Names that are kept.
  static let mostNames = 100

  /// The label of all other names.
  static let other = "other"

  private let names = Locked<Set<String>>([])

  func label(for name: String) -> String {
    names.withLock { names in
      if names.contains(name) { return name }
      guard names.count < Self.mostNames else { return Self.other }
      names.insert(name)
      return name
    }
  }
}

extension ServerMetrics {
  /// The metrics that journeys' own nodes record.
  package var nodeMetrics: NodeMetrics {
    guard factory != nil else { return .none }
    let (timers, meters) = (JourneyMetricNames(), JourneyMetricNames())
    return NodeMetrics(
      count: { count(.journeyMeter, meters.label(for: $0)) },
      record: { record(.journeyTimer, timers.label(for: $0), time: $1) })
  }
}
