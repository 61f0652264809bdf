internal import Concurrency
package import JourneyNodes

/// The names that journey files give to what they measure, as labels. Journeys come and go while the server runs, so only the first names
/// are kept; all others are one.
final class JourneyMetricNames: Sendable {
  /// Names that are kept.
  static let mostNames = 100

  /// What stands for all others.
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
  /// What journeys' own nodes measure.
  package var nodeMetrics: NodeMetrics {
    guard factory != nil else { return .none }
    let (timers, meters) = (JourneyMetricNames(), JourneyMetricNames())
    return NodeMetrics(
      count: { count(.journeyMeter, meters.label(for: $0)) },
      record: { record(.journeyTimer, timers.label(for: $0), time: $1) })
  }
}
