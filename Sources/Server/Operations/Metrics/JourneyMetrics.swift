package import JourneyEngine
internal import JourneyStore
internal import SecurityEvents

/// Counts journeys, times and traces their nodes, records their paths, and marks the log's lines with the journey's run.
package struct JourneyMetrics: JourneyObserver {
  package let metrics: ServerMetrics
  package let tracing: ServerTracing

  /// Another observer that is told the same.
  package var other: (any JourneyObserver)?

  package init(metrics: ServerMetrics, tracing: ServerTracing, other: (any JourneyObserver)? = nil) {
    (self.metrics, self.tracing, self.other) = (metrics, tracing, other)
  }

  package func runs(journey: String, realm: String, id: String?, isStart: Bool) {
    other?.runs(journey: journey, realm: realm, id: id, isStart: isStart)
    if let id, let trail = RequestTrail.current {
      trail.note(journeyID: id)
      trail.note(
        JourneyRunTrail(
          id: id, journey: journey, realm: realm,
          address: SecurityEvents.clientAddress.flatMap { $0.isEmpty ? nil : $0 }))
    }
    if isStart { metrics.count(.journeysStarted, realm, journey) }
  }

  package func evaluated(node type: String, in time: Duration, hasFailed: Bool) {
    other?.evaluated(node: type, in: time, hasFailed: hasFailed)
    metrics.record(.nodeTime, type, time: time)
    tracing.note(type, took: time, hasFailed: hasFailed)
    if hasFailed { metrics.count(.nodeErrors, type) }
  }

  package func visited(_ visit: NodeVisit) {
    other?.visited(visit)
    RequestTrail.current?.change { $0.note(visit) }
  }

  package func ended(journey: String, realm: String, isSuccess: Bool) {
    other?.ended(journey: journey, realm: realm, isSuccess: isSuccess)
    RequestTrail.current?.change { $0.state = isSuccess ? .success : .failure }
    metrics.count(.journeysEnded, realm, journey, isSuccess ? "success" : "failure")
  }
}
