internal import Bytes
internal import Foundation
internal import JourneyEngine
internal import StrictJSON

/// Receives what the authors of journeys let nodes count and measure.
///
/// The names come from journey files: the collector bounds how many there are.
public struct NodeMetrics: Sendable {
  /// Counts `name` once.
  public var count: @Sendable (_ name: String) -> Void

  /// Records a duration for `name`.
  public var record: @Sendable (_ name: String, _ time: Duration) -> Void

  /// Keeps nothing.
  public static let none = NodeMetrics(count: { _ in }, record: { _, _ in })

  public init(
    count: @escaping @Sendable (_ name: String) -> Void,
    record: @escaping @Sendable (_ name: String, _ time: Duration) -> Void
  ) {
    self.count = count
    self.record = record
  }
}

extension NodeDefinition {
  /// Notes the moment in shared state, for a ``timerStopNode(_:)``.
  func timerStartNode(_ services: NodeServices) throws(JourneyFileError) -> PlainNode {
    let variable = try startTimeVariable()
    return PlainNode(stateOutputs: [variable]) { context in
      context.state.shared[variable] = .integer(services.clock().millisecondsSince1970)
      return .outcome("outcome")
    }
  }

  /// Measures the time since a ``timerStartNode(_:)``. The start time stays in state, so that several nodes can measure from it.
  func timerStopNode(_ services: NodeServices) throws(JourneyFileError) -> PlainNode {
    let variable = try startTimeVariable()
    let metric = try metricName()
    // Longer than any journey, including waits for mail. Milliseconds.
    let longest: Int64 = 30 * 86_400_000
    return PlainNode(stateInputs: [variable]) { context in
      let now = services.clock().millisecondsSince1970
      // A script may have written the variable.
      guard let start = context.state.shared[variable]?.integerValue, (now - longest...now).contains(start)
      else {
        return context.outcome("outcome", because: "no time was measured: no timer was started before")
      }
      services.metrics.record(metric, .milliseconds(now - start))
      return .outcome("outcome")
    }
  }

  /// Counts each visit.
  func meterNode(_ services: NodeServices) throws(JourneyFileError) -> PlainNode {
    let metric = try metricName()
    return PlainNode { _ in
      services.metrics.count(metric)
      return .outcome("outcome")
    }
  }

  private static let longestMetricName = 64

  private func startTimeVariable() throws(JourneyFileError) -> String {
    let name = try string("startTimeProperty", default: "TimerNodeStartTime")
    if name.isEmpty { throw wrong("startTimeProperty", "must name a state variable") }
    if let objection = ReservedState.objection(to: name) { throw wrong("startTimeProperty", objection) }
    return name
  }

  /// The name of the metric; the node's name or id when the file has none.
  private func metricName() throws(JourneyFileError) -> String {
    let name = try string("metricKey")
    if name.isEmpty { return String((displayName.isEmpty ? id : displayName).prefix(Self.longestMetricName)) }
    guard name.count > Self.longestMetricName else { return name }
    repaired(
      "metricKey", "has more than \(Self.longestMetricName) characters",
      instead: "The first \(Self.longestMetricName) are the name.")
    return String(name.prefix(Self.longestMetricName))
  }
}
