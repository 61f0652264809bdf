internal import Bytes
internal import Foundation
internal import JourneyEngine
internal import StrictJSON

/// Notes the moment in shared state, for a ``TimerStopNode``.
struct TimerStartNode: JourneyNode {
  let outcomes = ["outcome"]
  private let variable: String
  private let services: NodeServices

  init(_ definition: NodeDefinition, services: NodeServices) throws(JourneyFileError) {
    self.services = services
    variable = try definition.startTimeVariable()
  }

  var stateOutputs: [String] { [variable] }

  func evaluate(_ context: inout NodeContext) async throws -> NodeResult {
    context.state.shared[variable] = .integer(services.clock().millisecondsSince1970)
    return .outcome("outcome")
  }
}

/// Measures the time since a ``TimerStartNode``. What it noted stays, so that several can measure from one start.
struct TimerStopNode: JourneyNode {
  let outcomes = ["outcome"]
  private let variable: String
  private let metric: String
  private let services: NodeServices

  /// Longer than any journey, including waits for mail. Milliseconds.
  private static let longest: Int64 = 30 * 86_400_000

  init(_ definition: NodeDefinition, services: NodeServices) throws(JourneyFileError) {
    self.services = services
    variable = try definition.startTimeVariable()
    metric = try definition.metricName()
  }

  var stateInputs: [String] { [variable] }

  func evaluate(_ context: inout NodeContext) async throws -> NodeResult {
    let now = services.clock().millisecondsSince1970
    // Scripts may have written it.
    guard let start = context.state.shared[variable]?.integerValue, (now - Self.longest...now).contains(start)
    else {
      return context.outcome("outcome", because: "no time was measured: no timer was started before")
    }
    services.metrics.record(metric, .milliseconds(now - start))
    return .outcome("outcome")
  }
}

/// Counts each visit.
struct MeterNode: JourneyNode {
  let outcomes = ["outcome"]
  private let metric: String
  private let services: NodeServices

  init(_ definition: NodeDefinition, services: NodeServices) throws(JourneyFileError) {
    self.services = services
    metric = try definition.metricName()
  }

  func evaluate(_ context: inout NodeContext) async throws -> NodeResult {
    services.metrics.count(metric)
    return .outcome("outcome")
  }
}

extension NodeDefinition {
  private static let longestMetricName = 64

  fileprivate func startTimeVariable() throws(JourneyFileError) -> String {
    let name = try string("startTimeProperty", default: "TimerNodeStartTime")
    if name.isEmpty { throw wrong("startTimeProperty", "must name a state variable") }
    if let objection = ReservedState.objection(to: name) { throw wrong("startTimeProperty", objection) }
    return name
  }

  /// What the metric is called; the node itself when the file does not say.
  fileprivate func metricName() throws(JourneyFileError) -> String {
    let name = try string("metricKey")
    if name.isEmpty { return String((displayName.isEmpty ? id : displayName).prefix(Self.longestMetricName)) }
    guard name.count > Self.longestMetricName else { return name }
    repaired(
      "metricKey", "has more than \(Self.longestMetricName) characters",
      instead: "The first \(Self.longestMetricName) are the name.")
    return String(name.prefix(Self.longestMetricName))
  }
}
