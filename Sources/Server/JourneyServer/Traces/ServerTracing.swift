internal import HTTPTypes
internal import Hummingbird
internal import PushTransports
internal import Tracing

/// Where the server's parts begin spans, by swift-distributed-tracing.
struct ServerTracing: Sendable {
  /// `nil` when nobody wants traces, and then they cost nothing.
  let tracer: (any Tracer)?

  static let none = ServerTracing(tracer: nil)

  private struct Headers: Extractor {
    func extract(key: String, from carrier: HTTPFields) -> String? {
      HTTPField.Name(key).flatMap { carrier[$0] }
    }
  }

  /// Answers a request within a span. Paths, queries, addresses and names are left out of it.
  ///
  /// - Parameter isTrusted: Whether the request's `traceparent` counts: clients could otherwise have as many traces kept as they like, or
  ///   add to others'.
  func answering(
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
  func note(_ name: String, took time: Duration, hasFailed: Bool) {
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
  /// What a configuration asks for, and what sends the spans; the latter is `nil` when the program that embeds the server does.
  ///
  /// - Throws: ``ServerSetupError`` for an address that is none.
  static func make(
    _ configuration: ServerConfiguration, metrics: ServerMetrics
  ) throws(ServerSetupError) -> (ServerTracing, OTLPExporter?) {
    if let tracer = configuration.tracer { return (ServerTracing(tracer: tracer), nil) }
    guard let endpoint = configuration.traceEndpoint else { return (.none, nil) }
    let queue = SpanQueue()
    let exporter = OTLPExporter(
      queue: queue, client: OutgoingClient(), address: try CollectorAddress.complete(endpoint),
      metrics: metrics, logger: configuration.logger)
    let tracer = OTLPTracer(
      queue: queue, ratio: configuration.traceRatio, randomBytes: configuration.randomBytes)
    return (ServerTracing(tracer: tracer), exporter)
  }
}
