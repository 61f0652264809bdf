package import Logging
internal import Tracing

extension Logger.MetadataProvider {
  /// The ids of the request, of the journey's run and of the trace that the current task works for, on each of its lines.
  package static let request = Logger.MetadataProvider {
    guard let trail = RequestTrail.current else { return [:] }
    var metadata: Logger.Metadata = ["requestId": "\(trail.requestID)"]
    if let journey = trail.journeyID { metadata["journeyId"] = "\(journey)" }
    if let span = InstrumentationContext.current?.traceParent, span.isSampled {
      metadata["traceId"] = "\(span.traceID)"
    }
    return metadata
  }
}

extension LogHandler {
  /// The logger's metadata, the task's and the line's own. The last value of a name counts.
  func allMetadata(of event: LogEvent) -> Logger.Metadata {
    metadata.merging(metadataProvider?.get() ?? [:]) { $1 }.merging(event.metadata ?? [:]) { $1 }
  }
}
