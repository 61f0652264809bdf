internal import JourneyEngine

/// Counts journeys, times their nodes and traces them, and marks the log's lines with the journey's run.
struct JourneyMetrics: JourneyObserver {
  let metrics: ServerMetrics
  let tracing: ServerTracing

  func runs(journey: String, realm: String, id: String?, isStart: Bool) {
    if let id { RequestTrail.current?.note(journeyID: id) }
    if isStart { metrics.count(.journeysStarted, realm, journey) }
  }

  func evaluated(node type: String, in time: Duration, hasFailed: Bool) {
    metrics.record(.nodeTime, type, time: time)
    tracing.note(type, took: time, hasFailed: hasFailed)
    if hasFailed { metrics.count(.nodeErrors, type) }
  }

  func ended(journey: String, realm: String, isSuccess: Bool) {
    metrics.count(.journeysEnded, realm, journey, isSuccess ? "success" : "failure")
  }
}
