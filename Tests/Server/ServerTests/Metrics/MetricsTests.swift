import CommonFixtures
import Concurrency
import Foundation
import HTTPTypes
import HummingbirdTesting
import Logging
import NIOCore
import StrictJSON
import Testing

@testable import Assembly
@testable import Operations
@testable import ServerHTTP

@Suite("Metrics", .timeLimit(.minutes(2))) struct MetricsTests {
  /// Runs a server that offers metrics; the second argument reads them.
  private static func run(
    _ change: @escaping @Sendable (inout ServerConfiguration) -> Void = { _ in },
    _ body: @escaping @Sendable (StoppingServer, _ port: Int) async throws -> Void
  ) async throws {
    try await StoppingServer.run(
      drain: 60,
      change: {
        $0.metricsPort = 0
        change(&$0)
      }
    ) { server in
      try await eventually("the metrics have a port") { server.server.metricsPort.withLock { $0 } != nil }
      try await body(server, try #require(server.server.metricsPort.withLock { $0 }))
      try await server.stop()
    }
  }

  private static func request(_ line: String, host: String = "127.0.0.1", _ more: String = "") -> String {
    "\(line) HTTP/1.1\r\nHost: \(host)\r\nConnection: close\r\n\(more)\r\n"
  }

  private static func signIn(_ name: String) -> String {
    request(
      "POST \(LocalServer.alpha)/authenticate",
      "Content-Type: application/json\r\nContent-Length: 2\r\n"
        + "X-OpenAM-Username: \(name)\r\nX-OpenAM-Password: wrong horse\r\n"
    ) + "{}"
  }

  @Test func `what clients do is counted, by route and never by what they chose`() async throws {
    try await Self.run { server, port in
      for request in [
        Self.request("GET /health/live"), Self.request("GET /health/live"),
        Self.request("GET /am/json/mira-was-here"), Self.request("PROPFIND /calendar-of-mira"),
        Self.signIn("mira"), Self.signIn("mira"),
      ] { _ = try await server.answer(to: request) }
      let text = try await server.answer(to: Self.request("GET /metrics"), port: port)
      #expect(text.hasPrefix("HTTP/1.1 200 "))
      #expect(text.lowercased().contains("content-type: text/plain; version=0.0.4; charset=utf-8\r\n"))
      for line in [
        #"sealring_http_requests_total{method="GET",route="/health/live",status="200"} 2"#,
        #"sealring_http_requests_total{method="GET",route="none",status="404"} 1"#,
        #"sealring_http_requests_total{method="other",route="none",status="404"} 1"#,
        #"sealring_http_requests_total{method="POST",route="/am/json/{realm}/authenticate",status="401"} 2"#,
        #"sealring_http_request_duration_seconds_count{method="GET",route="/health/live"} 2"#,
        #"sealring_journeys_started_total{realm="alpha",journey="Login"} 2"#,
        #"sealring_journeys_ended_total{realm="alpha",journey="Login",outcome="failure"} 2"#,
        #"sealring_node_duration_seconds_count{node="DataStoreDecisionNode"} 2"#,
        #"sealring_security_events_total{event="sign-in.refused",outcome="refused"} 2"#,
        #"sealring_security_events_total{event="server.started",outcome="success"} 1"#,
        "sealring_ledger_head 0", "sealring_passwords_waiting 0", "sealring_store_waiting 0",
        "# TYPE sealring_password_wait_seconds histogram", "# TYPE sealring_store_waits_total counter",
      ] {
        #expect(text.split(whereSeparator: \.isNewline).contains(Substring(line)), "\(line)\n\(text)")
      }
      #expect(!text.contains("mira") && !text.contains("127.0.0.1") && !text.contains("wrong horse"))
      // Each family has one type line, and what follows belongs to it.
      let types = text.split(whereSeparator: \.isNewline).filter { $0.hasPrefix("# TYPE ") }
      #expect(Set(types).count == types.count && types.count > 15)
    }
  }

  @Test func `limits that are reached are counted by their names in the documents`() async throws {
    try await Self.run({ $0.limits.requestsPerAddress = 1 }) { server, port in
      for _ in 1...3 { _ = try await server.answer(to: Self.request("GET /am/json/serverinfo/*")) }
      let text = try await server.answer(to: Self.request("GET /metrics"), port: port)
      #expect(text.contains(#"sealring_limit_reached_total{limit="requestsPerAddress"} 2"#), "\(text)")
      // Reading metrics is not a client's request.
      for _ in 1...3 {
        let again = try await server.answer(to: Self.request("GET /metrics"), port: port)
        #expect(again.hasPrefix("HTTP/1.1 200 "))
      }
    }
  }

  @Test func `the port has nothing else, and is read under this machine's own names only`() async throws {
    try await Self.run { server, port in
      let hosts = ["localhost", "localhost:\(port)", "127.0.0.1:\(port)", "[::1]:9464"]
      // What a page in a browser of this machine could ask under, with a name that leads here.
      let foreign = ["evil.example", "127.0.0.1.evil.example:80", "192.0.2.1", "[::1]x", "localhost:x:1"]
      let rows =
        [
          (Self.request("GET /"), "404"), (Self.request("GET \(LocalServer.alpha)/users"), "404"),
          (Self.request("POST /metrics", "Content-Length: 0\r\n"), "405"),
          (Self.request("HEAD /metrics"), "200"),
        ] + hosts.map { (Self.request("GET /metrics", host: $0), "200") }
        + foreign.map { (Self.request("GET /metrics", host: $0), "421") }
      for (request, status) in rows {
        let answer = try await server.answer(to: request, port: port)
        #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(request)\(answer)")
      }
      let elsewhere = try await server.answer(to: Self.request("GET /metrics"))
      #expect(elsewhere.hasPrefix("HTTP/1.1 404 "))
    }
  }

  @Test func `they can be read while the server stops`() async throws {
    try await Self.run { server, port in
      try await server.connect().executeThenClose { inbound, outbound in
        try await outbound.write(
          ByteBuffer(
            string: Self.request(
              "POST \(LocalServer.alpha)/authenticate",
              "Content-Type: application/json\r\nContent-Length: 2\r\n") + "{"))
        try await eventually("the request is under way") { server.server.drain.running > 0 }
        try await server.stop()
        let text = try await server.answer(to: Self.request("GET /metrics"), port: port)
        #expect(text.contains("sealring_http_requests_running 1\n"), "\(text)")
        try await outbound.write(ByteBuffer(string: "}"))
        for try await _ in inbound {}
      }
    }
  }

  @Test func `a program that embeds the server receives them in its own factory`() async throws {
    let own = PrometheusMetrics()
    try await LocalServer.run(.router, { $0.metricsFactory = own }) { server in
      _ = try await server.signIn("ada")
    }
    #expect(
      own.text().contains(
        #"sealring_journeys_ended_total{realm="alpha",journey="Login",outcome="success"} 1"#))
  }
}

@Suite("The documents of metrics") struct MetricsDocumentsTests {
  private static func text(_ path: String) throws -> String {
    try String(
      contentsOf: URL(filePath: #filePath).appending(path: "../../../../../\(path)").standardizedFileURL,
      encoding: .utf8)
  }

  @Test func `the table of docs-metrics is that of the code`() throws {
    let rows = try Self.text("docs/metrics.md").split(separator: "\n").filter { row in
      ServerMetric.Kind.allCases.contains { row.contains("` | \($0.rawValue) | ") }
    }
    let expected = ServerMetric.allCases.map { metric in
      let labels = metric.labels.map { "`\($0)`" }.joined(separator: ", ")
      return "| `\(metric.rawValue)` | \(metric.kind.rawValue) | \(labels) | \(metric.help) |"
    }
    for row in expected { #expect(rows.contains(Substring(row)), "missing in docs/metrics.md: \(row)") }
    #expect(rows.count == expected.count)
  }

  /// The dashboard's queries name what is exported; and what is exported is on the dashboard.
  @Test func `Grafana's dashboard and the code know the same metrics`() throws {
    let dashboard = try JSONValue(parsing: Array(Self.text("packaging/grafana/sealring.json").utf8))
    var queries: [String] = []
    func collect(_ value: JSONValue) {
      if let object = value.objectValue {
        if let query = object["expr"]?.stringValue { queries.append(query) }
        for (_, member) in object { collect(member) }
      }
      for member in value.arrayValue ?? [] { collect(member) }
    }
    collect(dashboard)
    #expect(queries.count > 10)
    let words = Set(
      queries.flatMap { query in
        query.split { !($0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_")) }.map(String.init)
      }.filter { $0.hasPrefix("sealring_") || $0.hasPrefix("process_") })
    let exported = Set(
      ServerMetric.allCases.flatMap { metric in
        metric.kind == .histogram
          ? ["_bucket", "_sum", "_count"].map { metric.rawValue + $0 } : [metric.rawValue]
      })
    #expect(words.subtracting(exported).isEmpty)
    for metric in ServerMetric.allCases {
      #expect(words.contains { $0.hasPrefix(metric.rawValue) }, "not on the dashboard: \(metric.rawValue)")
    }
  }
}
