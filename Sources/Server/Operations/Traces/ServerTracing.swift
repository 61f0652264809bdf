internal import HTTPTypes
package import Hummingbird
package import Logging
internal import PushTransports
package import Tracing

/// Where the server's parts begin spans, by swift-distributed-tracing.
package struct ServerTracing: Sendable {
  /// `nil` when nobody wants traces, and then they cost nothing.
  package let tracer: (any Tracer)?

  package init(tracer: (any Tracer)?) { self.tracer = tracer }

  package static let none = ServerTracing(tracer: nil)

  private struct Headers: Extractor {
    func extract(key: String, from carrier: HTTPFields) -> String? {
      HTTPField.Name(key).flatMap { carrier[$0] }
    }
  }

  /// Answers a request within a span. Paths, queries, addresses and names are left out of it.
  ///
  /// - Parameter isTrusted: Whether the request's `traceparent` counts: clients could otherwise have as many traces kept as they like, or
  ///   add to others'.
  package func answering(
    _ request: Request, method: String, isTrusted: Bool, _ trail: RequestTrail,
    _ body: () async throws -> Response
  ) async throws -> Response {
    guard let tracer else { return try await body() }
    var context = InstrumentationContext.topLevel
    if isTrusted { tracer.extract(request.headers, into: &context, using: Headers()) }
    let span = tracer.startSpan(method, context: context, ofKind: .server)
    defer { span.end() }
    return try await InstrumentationContext.withValue(span.context) {
      let response = try await body()
      if let route = trail.route { span.operationName = "\(method) \(route)" }
      span.updateAttributes { attributes in
        attributes["http.request.method"] = method
        attributes["http.route"] = trail.route
        attributes["http.response.status_code"] = response.status.code
        attributes["sealring.request.id"] = trail.requestID
        attributes["sealring.journey.id"] = trail.journeyID
      }
      if response.status.kind == .serverError { span.setStatus(SpanStatus(code: .error)) }
      return response
    }
  }

  /// Notes work of the current request that has just ended.
  package func note(_ name: String, took time: Duration, hasFailed: Bool) {
    guard let tracer, let context = InstrumentationContext.current else { return }
    let (seconds, attoseconds) = time.components
    let nanoseconds = UInt64(max(0, seconds * 1_000_000_000 + attoseconds / 1_000_000_000))
    let now = DefaultTracerClock.now
    let start = DefaultTracerClock.Timestamp(
      nanosecondsSinceEpoch: now.nanosecondsSinceEpoch - min(nanoseconds, now.nanosecondsSinceEpoch))
    let span = tracer.startSpan(name, context: context, ofKind: .internal, at: start)
    if hasFailed { span.setStatus(SpanStatus(code: .error)) }
    span.end(at: now)
  }
}

extension ServerTracing {
  /// The tracing that sends spans to the collector at `endpoint`, and the exporter that sends them.
  ///
  /// - Parameter ratio: The part of the traces that is kept, from 0 to 1.
  /// - Throws: ``ServerSetupError`` for an address that is not valid.
  package static func exporting(
    to endpoint: String, ratio: Double, metrics: ServerMetrics, logger: Logger,
    randomBytes: @escaping @Sendable (Int) -> [UInt8]
  ) throws(ServerSetupError) -> (ServerTracing, OTLPExporter) {
    let queue = SpanQueue()
    let exporter = OTLPExporter(
      queue: queue, client: OutgoingClient(), address: try CollectorAddress.complete(endpoint),
      metrics: metrics, logger: logger)
    let tracer = OTLPTracer(queue: queue, ratio: ratio, randomBytes: randomBytes)
    return (ServerTracing(tracer: tracer), exporter)
  }
}
