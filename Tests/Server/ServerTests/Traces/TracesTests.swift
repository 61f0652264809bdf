import CommonFixtures
import Concurrency
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import PushTransports
import ServiceLifecycle
import StrictJSON
import Testing
import Tracing

@testable import Assembly
@testable import Operations
@testable import ServerHTTP

/// Takes spans as a collector of OpenTelemetry does.
private struct Collector: Sendable {
  let address: String

  /// What was sent, a body each, with its content type.
  let received: Locked<[(path: String, type: String?, body: JSONValue)]>

  /// Runs a collector for the time of `body`.
  ///
  /// - Parameter statuses: of its first answers; 200 after that.
  static func run(
    statuses: [HTTPResponse.Status] = [], _ body: @escaping @Sendable (Collector) async throws -> Void
  ) async throws {
    let received = Locked<[(path: String, type: String?, body: JSONValue)]>([])
    let left = Locked(statuses)
    let router = Router()
    router.post("**") { request, _ in
      let bytes = try await request.body.collect(upTo: 1 << 22)
      let json = try JSONValue(parsing: Array(bytes.readableBytesView))
      received.withLock { $0.append((request.uri.path, request.headers[.contentType], json)) }
      let status = left.withLock { $0.isEmpty ? HTTPResponse.Status.ok : $0.removeFirst() }
      return Response(status: status, headers: [.contentType: "application/json"])
    }
    let (ports, listening) = AsyncStream.makeStream(of: Int.self)
    let application = Application(
      responder: router.buildResponder(),
      configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
      onServerRunning: { listening.yield($0.localAddress?.port ?? 0) },
      logger: Logger(label: "collector") { _ in SwiftLogNoOpLogHandler() })
    let group = ServiceGroup(services: [application], logger: application.logger)
    try await withThrowingTaskGroup(of: Void.self) { tasks in
      tasks.addTask { try await group.run() }
      let port = try #require(await ports.first { _ in true })
      try await body(Collector(address: "http://127.0.0.1:\(port)/v1/traces", received: received))
      await group.triggerGracefulShutdown()
      try await tasks.waitForAll()
    }
  }

  /// All spans that have come.
  var spans: [JSONValue] {
    received.withLock { $0 }.flatMap { request in
      (request.body["resourceSpans"]?.arrayValue ?? []).flatMap { $0["scopeSpans"]?.arrayValue ?? [] }
        .flatMap { $0["spans"]?.arrayValue ?? [] }
    }
  }
}

@Suite("Traces", .timeLimit(.minutes(2))) struct TracesTests {
  private static let parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
  private let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

  /// What callers may send, and whether it counts.
  private static let sent: [(String, Bool)] = {
    let (trace, span) = ("0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331")
    let zeros = String(repeating: "0", count: 32)
    return [
      (parent, true), ("00-\(trace)-\(span)-00", true), ("00-\(trace)-\(span)-ff", true),
      // A later version may have more.
      ("cc-\(trace)-\(span)-01", true), ("cc-\(trace)-\(span)-01-more", true),
      ("cc-\(trace)-\(span)-01more", false),
      ("00-\(trace)-\(span)-01-more", false), ("ff-\(trace)-\(span)-01", false),
      ("00-\(trace.uppercased())-\(span)-01", false), ("00-\(trace)-\(span)-0", false),
      ("00-\(zeros)-\(span)-01", false), ("00-\(trace)-\(zeros.prefix(16))-01", false), ("", false),
      ("00-0x\(trace.dropFirst(2))-\(span)-01", false), ("00-\(trace)-\(span)-+1", false),
      ("cc-\(trace)-\(span)-01-\(String(repeating: "a", count: 600))", false),
    ]
  }()

  @Test(arguments: Self.sent)
  func `traceparent is read as W3C defines it`(text: String, isValid: Bool) {
    let read = TraceParent(text)
    #expect((read != nil) == isValid)
    if let read {
      #expect(read.traceID == "0af7651916cd43dd8448eb211c80319c" && read.spanID == "b7ad6b7169203331")
    }
  }

  private struct Fields: Injector, Extractor {
    func inject(_ value: String, forKey key: String, into carrier: inout [String: String]) {
      carrier[key] = value
    }
    func extract(key: String, from carrier: [String: String]) -> String? { carrier[key] }
  }

  @Test func `a span goes on with its caller's trace, and hands it on`() throws {
    let queue = SpanQueue()
    let tracer = OTLPTracer(queue: queue, ratio: 0, randomBytes: { Array(repeating: 0x5A, count: $0) })
    var context = InstrumentationContext.topLevel
    tracer.extract(["traceparent": Self.parent], into: &context, using: Fields())
    let span = tracer.startSpan("GET", context: context, ofKind: .server)
    var carrier: [String: String] = [:]
    tracer.inject(span.context, into: &carrier, using: Fields())
    #expect(carrier["traceparent"] == "00-0af7651916cd43dd8448eb211c80319c-5a5a5a5a5a5a5a5a-01")
    span.end()
    span.end()
    let spans = queue.take()
    #expect(spans.count == 1 && spans[0]["parentSpanId"] == "b7ad6b7169203331" && spans[0]["kind"] == 2)
    // Of those that begin here none is kept, and what is below one is not either.
    let own = tracer.startSpan("GET", context: .topLevel)
    tracer.startSpan("Node", context: own.context).end()
    own.end()
    #expect(queue.take().isEmpty && own.context.traceParent?.isSampled == false)
  }

  @Test func `as many traces are kept as were asked for`() {
    var generator = SeededGenerator(seed: 7)
    let bytes = Locked((0..<24_000).map { _ in UInt8.random(in: 0...255, using: &generator) })
    let queue = SpanQueue(limit: 2_000, batch: 2_000)
    let tracer = OTLPTracer(queue: queue, ratio: 0.25) { count in
      bytes.withLock { bytes in
        defer { bytes.removeLast(count) }
        return Array(bytes.suffix(count))
      }
    }
    for _ in 1...1000 { tracer.startSpan("x", context: .topLevel).end() }
    #expect((150...350).contains(queue.take().count))
  }

  @Test func `a full queue drops what comes, and counts it`() {
    let queue = SpanQueue(limit: 3, batch: 2)
    for number in 1...5 { queue.add(["name": .integer(Int64(number))]) }
    #expect(queue.takeDropped() == 2 && queue.takeDropped() == 0)
    #expect(queue.take().map { $0["name"] } == [1, 2] && queue.take().map { $0["name"] } == [3])
    queue.close()
    queue.add([:])
    #expect(queue.take().isEmpty && queue.takeDropped() == 1)
  }

  @Test func `what an attribute holds is cut, and an error says its type only`() throws {
    struct Secretive: Error, CustomStringConvertible { let description = "mira's password" }
    let queue = SpanQueue()
    let tracer = OTLPTracer(queue: queue, ratio: 1, randomBytes: { Array(repeating: 1, count: $0) })
    let span = tracer.startSpan("x", context: .topLevel)
    span.attributes["long"] = String(repeating: "ä", count: 4_000)
    span.attributes["number"] = 7
    span.recordError(Secretive())
    span.end()
    let text = JSONValue.object(try #require(queue.take().first)).lineText
    #expect(text.utf8.count < 1_000 && text.contains("Secretive") && !text.contains("mira"))
    #expect(text.contains(#"{"key":"number","value":{"intValue":"7"}}"#))
  }

  /// Signs in, with traces sent to a collector.
  @Test func `a sign-in reaches the collector: a span of the request, and below it one of each node`()
    async throws
  {
    try await Collector.run { collector in
      try await StoppingServer.run(
        drain: 60, change: { $0.traceEndpoint = collector.address.replacing("/v1/traces", with: "") }
      ) { server in
        let request =
          "POST \(LocalServer.alpha)/authenticate?secret=7 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
          + "traceparent: \(Self.parent)\r\nContent-Type: application/json\r\nContent-Length: 2\r\n"
          + "X-OpenAM-Username: mira\r\nX-OpenAM-Password: wrong horse\r\n\r\n{}"
        let answer = try await server.answer(to: request)
        #expect(answer.hasPrefix("HTTP/1.1 401 "))
        try await server.stop()
      }
      // Stopping sent what was left.
      let sent = collector.received.withLock { $0 }
      #expect(sent.allSatisfy { $0.path == "/v1/traces" && $0.type == "application/json" })
      let resource = sent.first?.body["resourceSpans"]?.arrayValue?.first?["resource"]?["attributes"]?
        .arrayValue
      #expect(resource?.contains(["key": "service.name", "value": ["stringValue": "sealring"]]) == true)
      let spans = collector.spans
      let root = try #require(spans.first { $0["kind"] == 2 })
      #expect(root["name"] == "POST /am/json/{realm}/authenticate")
      // Clients choose no traces.
      #expect(root["parentSpanId"] == nil && root["traceId"] != "0af7651916cd43dd8448eb211c80319c")
      #expect(
        root["attributes"]?.arrayValue?.contains(
          ["key": "http.response.status_code", "value": ["intValue": "401"]]) == true)
      let nodes = spans.filter { $0["kind"] == 1 }
      #expect(nodes.contains { $0["name"] == "DataStoreDecisionNode" })
      #expect(nodes.allSatisfy { $0["parentSpanId"] == root["spanId"] && $0["traceId"] == root["traceId"] })
      #expect(
        spans.allSatisfy {
          guard let start = $0["startTimeUnixNano"]?.stringValue.flatMap(UInt64.init),
            let end = $0["endTimeUnixNano"]?.stringValue.flatMap(UInt64.init)
          else { return false }
          return start <= end && start > 1_600_000_000_000_000_000
        })
      let text = sent.map { $0.body.lineText }.joined()
      #expect(!text.contains("mira") && !text.contains("secret") && !text.contains("127.0.0.1"))
    }
  }

  @Test func `a trusted proxy's trace goes on`() async throws {
    try await Collector.run { collector in
      let proxy = try AddressBlock("127.0.0.1")
      try await StoppingServer.run(
        drain: 60,
        change: {
          $0.traceEndpoint = collector.address
          $0.traceRatio = 0
          $0.trustedProxies = [proxy]
        }
      ) { server in
        for parent in [Self.parent, Self.parent.replacing("-01", with: "-00"), "nonsense"] {
          _ = try await server.answer(
            to: "GET /health/live HTTP/1.1\r\nHost: x\r\nConnection: close\r\ntraceparent: \(parent)\r\n\r\n")
        }
        try await server.stop()
      }
      let spans = collector.spans
      #expect(spans.count == 1 && spans.first?["traceId"] == "0af7651916cd43dd8448eb211c80319c")
      #expect(spans.first?["parentSpanId"] == "b7ad6b7169203331")
    }
  }

  @Test(arguments: [
    ([HTTPResponse.Status.serviceUnavailable, .tooManyRequests], 3, 1), ([.badRequest], 1, 0),
    ([.serviceUnavailable, .badGateway, .gatewayTimeout], 3, 0),
  ])
  func `a batch is tried again when the collector asks for it, three times in all`(
    statuses: [HTTPResponse.Status], tries: Int, sent: Int
  ) async throws {
    try await Collector.run(statuses: statuses) { collector in
      let metrics = PrometheusMetrics()
      let queue = SpanQueue(batch: 1)
      let exporter = OTLPExporter(
        queue: queue, client: OutgoingClient(), address: collector.address,
        metrics: ServerMetrics(factory: metrics), logger: logger, timer: NoWaiting())
      queue.add(["name": "x"])
      let group = ServiceGroup(services: [exporter], logger: logger)
      let running = Task { try await group.run() }
      let outcome = sent > 0 ? #"{outcome="sent"} 1"# : #"{outcome="dropped"} 1"#
      defer { running.cancel() }
      try await eventually("the span is counted as \(outcome)") {
        metrics.text().contains("sealring_spans_total" + outcome)
      }
      #expect(collector.received.withLock { $0.count } == tries)
      await group.triggerGracefulShutdown()
      try await running.value
    }
  }

  @Test func `without a collector the server works, and stops`() async throws {
    let lines = try await StoppingServer.run(
      drain: 60,
      change: {
        // Nothing listens at port 1.
        $0.traceEndpoint = "http://127.0.0.1:1"
      }
    ) { server in
      let answer = try await server.answer(
        to: "GET /health/live HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
      #expect(answer.hasPrefix("HTTP/1.1 200 "))
      try await server.stop()
    }
    #expect(lines.contains { $0.hasPrefix("warning spans could not be sent") })
  }

  @Test(arguments: ["", "collector:4318", "ftp://x", "http://", "http://user:secret@x", "http://x?token=7"])
  func `an address that is none is refused at the start, without repeating it`(address: String) async throws {
    var configuration = LocalServer.configuration()
    configuration.traceEndpoint = address
    let error = await #expect(throws: ServerSetupError.self) { try await SealringServer.make(configuration) }
    #expect(error?.description.contains("--otlp-endpoint") == true)
    #expect(error?.description.contains("secret") == false)
  }
}

/// A clock whose short waits, those between attempts, are over at once, and whose long ones never.
private struct NoWaiting: Clock {
  typealias Instant = ContinuousClock.Instant
  var now: Instant { ContinuousClock.now }
  var minimumResolution: Duration { .zero }
  func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    try Task.checkCancellation()
    if now.duration(to: deadline) > .seconds(4) { try await Task.sleep(for: .seconds(86_400)) }
  }
}
