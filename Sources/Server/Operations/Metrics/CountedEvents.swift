internal import SecurityEvents

/// Counts security events on their way to where they are written.
struct CountedEvents: SecurityEventSink {
  /// `nil` when events are written nowhere.
  let sink: (any SecurityEventSink)?
  let metrics: ServerMetrics

  func record(_ event: SecurityEvent, durably: Bool) async throws {
    metrics.count(.securityEvents, event.kind.rawValue, event.outcome.rawValue)
    try await sink?.record(event, durably: durably)
  }
}
