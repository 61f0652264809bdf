import Concurrency
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import NIOCore
import StrictJSON
import Testing
import WebAddresses

@testable import Assembly
@testable import Operations
@testable import ServerHTTP

@Suite("Ids of requests") struct RequestIDTests {
  /// The server's log as objects.
  private static func run(
    _ body: @Sendable (LocalServer, @escaping @Sendable () throws -> [JSONValue]) async throws -> Void
  ) async throws {
    let lines = Locked<[String]>([])
    let proxy = try AddressBlock("127.0.0.1")
    try await LocalServer.run(
      .live,
      {
        $0.host = "127.0.0.1"
        $0.trustedProxies = [proxy]
        $0.logger = Logger(label: "test") { label in
          LineLogHandler(.json(label: label)) { line in lines.withLock { $0.append(line) } }
        }
        $0.logger.logLevel = .debug
      }
    ) { server in
      try await body(server) { try lines.withLock { $0 }.map { try JSONValue(parsing: Array($0.utf8)) } }
    }
  }

  private static func id(of answer: Answer) throws -> String {
    let name = try #require(HTTPField.Name("X-Request-Id"))
    return try #require(answer.headers[name])
  }

  @Test func `every line of a request has its id, which the answer tells, and that of the journey's run`()
    async throws
  {
    try await Self.run { server, lines in
      let step = try await server.start("TwoSteps")
      let more = try await server.call(
        .post, "\(LocalServer.alpha)/authenticate", body: LocalServer.reply(to: step, "ada"))
      let other = try await server.start("TwoSteps")
      let ids = try [step, more, other].map(Self.id)
      #expect(Set(ids).count == 3)
      let decided = try lines().filter { $0["message"] == "node decided" }
      #expect(decided.count == 1 && decided.first?["requestId"]?.stringValue == ids[1])
      #expect(decided.first?["journeyId"]?.stringValue?.utf8.count == 16)
      #expect(try lines().allSatisfy { $0["hb.request.id"] == nil })
    }
  }

  @Test func `all steps of a run have one id, and other runs another`() async throws {
    try await Self.run { server, lines in
      for _ in 1...2 {
        let name = try await server.start("TwoSteps")
        let password = try await server.call(
          .post, "\(LocalServer.alpha)/authenticate", body: LocalServer.reply(to: name, "ada"))
        let refused = try await server.call(
          .post, "\(LocalServer.alpha)/authenticate", body: LocalServer.reply(to: password, "wrong"))
        #expect(refused.status == 401)
      }
      let runs = try lines().compactMap { line in
        line["message"] == "node decided" ? line["journeyId"]?.stringValue : nil
      }
      // Name and password, then the check, of each run.
      #expect(Set(runs).count == 2 && runs.count == 6, "\(runs)")
      let refusals = try lines().filter { $0["message"] == "request refused" }
      #expect(refusals.compactMap { $0["journeyId"]?.stringValue } == [runs[0], runs[3]])
    }
  }

  @Test func `a trusted proxy names the request, in a well formed word`() async throws {
    try await Self.run { server, lines in
      let answer = try await server.call(.get, "/am/nothing", headers: ["X-Request-Id": "edge-7.a_B"])
      #expect(try Self.id(of: answer) == "edge-7.a_B")
      let line = try #require(try lines().first { $0["message"] == "request refused" })
      #expect(line["requestId"] == "edge-7.a_B")
    }
  }

  @Test(
    arguments: [
      ("10.0.0.1", ["a"], "a"),
      ("10.0.0.1", [String(repeating: "a", count: 128)], String(repeating: "a", count: 128)),
      ("10.0.0.1", [String(repeating: "a", count: 129)], nil), ("10.0.0.1", [""], nil),
      ("10.0.0.1", ["a b"], nil),
      ("10.0.0.1", ["a\" level=error"], nil), ("10.0.0.1", ["ä"], nil), ("10.0.0.1", ["a", "b"], nil),
      ("10.0.0.1", [], nil), ("192.0.2.1", ["a"], nil),
    ] as [(String, [String], String?)])
  func `others choose no ids, and nobody strange ones`(peer: String, sent: [String], id: String?) throws {
    let name = try #require(HTTPField.Name("X-Request-Id"))
    var head = HTTPRequest(method: .get, scheme: nil, authority: "x", path: "/")
    for value in sent { head.headerFields.append(HTTPField(name: name, value: value)) }
    let proxies = TrustedProxies(blocks: [try AddressBlock("10.0.0.0/8")], isTLS: false)
    #expect(proxies.requestID(of: head, peer: IPAddress(peer)) == id)
    #expect(proxies.requestID(of: head, peer: nil) == nil)
  }
}
