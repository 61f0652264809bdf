import CommonFixtures
import Concurrency
import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import PushService
import StrictJSON
import Testing

@testable import Assembly
@testable import Operations
@testable import ServerHTTP

@Suite("Stopping", .timeLimit(.minutes(2))) struct DrainTests {
  private static let begunRequest =
    "POST \(LocalServer.alpha)/authenticate HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
    + "Content-Length: 2\r\n\r\n{"

  private static func get(_ path: String) -> String { "GET \(path) HTTP/1.1\r\nHost: x\r\n\r\n" }

  @Test func `a request under way is answered, its connection closed, and the server ends`() async throws {
    let lines = try await StoppingServer.run(drain: 60) { server in
      try await server.connect().executeThenClose { inbound, outbound in
        try await outbound.write(ByteBuffer(string: Self.begunRequest))
        try await eventually("the request is under way") { server.server.drain.running > 0 }
        try await server.stop()
        try await outbound.write(ByteBuffer(string: "}"))
        var answer = ""
        for try await buffer in inbound { answer += String(buffer: buffer) }
        #expect(answer.hasPrefix("HTTP/1.1 200 "))
        #expect(answer.lowercased().contains("connection: close\r\n"))
      }
    }
    #expect(lines.contains { $0.hasPrefix("notice the server is stopping") && $0.contains("requests=1") })
    #expect(!lines.contains { $0.contains(" cut") })
  }

  @Test func `what is not finished in time is cut, and the log names it without its query`() async throws {
    let lines = try await StoppingServer.run(drain: 0.05) { server in
      let begun = Self.begunRequest.replacing("/authenticate", with: "/authenticate?secret=7")
      try await server.connect().executeThenClose { inbound, outbound in
        try await outbound.write(ByteBuffer(string: begun))
        try await eventually("the request is under way") { server.server.drain.running > 0 }
        try await server.stop()
        var answer = ""
        do { for try await buffer in inbound { answer += String(buffer: buffer) } } catch {}
        #expect(!answer.hasPrefix("HTTP/1.1 200 "))
      }
    }
    #expect(lines.contains { $0.hasPrefix("warning the time to stop is up") && $0.contains("requests=1") })
    #expect(lines.contains("warning request cut method=POST path=\(LocalServer.alpha)/authenticate"))
    #expect(!lines.contains { $0.contains("secret") })
  }

  @Test
  func `during the notice the server answers and says that it is not ready, on connections that it closes`()
    async throws
  {
    try await StoppingServer.run(drain: 60, notice: 600) { server in
      try await server.connect().executeThenClose { inbound, outbound in
        // Kept from before.
        try await outbound.write(ByteBuffer(string: Self.get("/health/ready")))
        var iterator = inbound.makeAsyncIterator()
        var answer = String(buffer: try await iterator.next() ?? ByteBuffer())
        while !answer.hasSuffix("}") {
          answer += String(buffer: try await iterator.next() ?? ByteBuffer(string: "}"))
        }
        #expect(answer.hasPrefix("HTTP/1.1 200 ") && !answer.lowercased().contains("connection: close"))
        try await server.stop()
        try await outbound.write(ByteBuffer(string: Self.get("/health/ready")))
        answer = ""
        while let buffer = try await iterator.next() { answer += String(buffer: buffer) }
        #expect(answer.hasPrefix("HTTP/1.1 503 ") && answer.lowercased().contains("connection: close\r\n"))
        #expect(answer.hasSuffix(#"{"status":"unavailable","reason":"stopping"}"#))
      }
      // A new one.
      let live = try await server.answer(to: Self.get("/health/live"))
      #expect(live.hasPrefix("HTTP/1.1 200 ") && live.lowercased().contains("connection: close\r\n"))
    }
  }

  @Test func `devices that wait are answered at once, and streams say when to come again`() async throws {
    try await LocalServer.runPush { server in
      let phone = try await server.enrolled()
      async let poll = phone.pollAnswer(server, wait: 30)
      async let stream = phone.stream(server)
      try await eventually("the device waits") {
        server.server.drain.running > 0 && !server.server.direct.listening.isEmpty
      }
      server.server.drain.begin()
      let (answer, text) = try await (poll, stream)
      #expect(answer.status == 200 && answer["messages"]?.arrayValue?.isEmpty == true)
      let wait = try #require(answer.headers[.retryAfter].flatMap(Int.init))
      #expect((1...15).contains(wait))
      let time = try #require(text.components(separatedBy: "retry: ").last?.trimmingCharacters(in: .newlines))
      #expect(Drain.reconnection.contains(try #require(Int(time))))
      // One that comes later, too.
      #expect(try await phone.stream(server).contains("retry: "))
      #expect(try await phone.pollAnswer(server, wait: 30).status == 200)
    }
  }

  @Test func `devices are told different times to come again`() async throws {
    let random = Locked(UInt64(7))
    try await LocalServer.run(
      .router,
      {
        $0.randomBytes = { count in
          random.withLock { seed in
            var generator = SeededGenerator(seed: seed)
            seed += 1
            return (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
          }
        }
      }
    ) { server in
      let times = (0..<1000).map { _ in server.server.drain.reconnectionTime() }
      #expect(times.allSatisfy(Drain.reconnection.contains))
      #expect(Set(times).count > 900)
      #expect((times.min() ?? 0) < 2_000 && (times.max() ?? 0) > 14_000)
    }
  }
}

@Suite("Health") struct HealthTests {
  @Test(arguments: ["", "/am"])
  func `while the server stops it lives, works and is not ready`(base: String) async throws {
    try await LocalServer.run { server in
      for path in ["/health", "/health/live", "/health/ready"] {
        #expect(try await server.call(.get, base + path).json == ["status": "ok"])
      }
      server.server.drain.begin()
      #expect(try await server.call(.get, base + "/health/live").status == 200)
      #expect(try await server.call(.get, base + "/health").status == 200)
      let ready = try await server.call(.get, base + "/health/ready")
      #expect(ready.status == 503 && ready.headers[.retryAfter] == "1")
      #expect(ready.json == ["status": "unavailable", "reason": "stopping"])
    }
  }

  @Test func `without its store a server lives and is not ready; outsiders do not learn why`() async throws {
    let server = try await SealringServer.make(LocalServer.configuration())
    try await server.application().test(.router) { client in
      try await server.close()
      let live = Answer(
        try await client.executeRequest(uri: "/health/live", method: .get, headers: [:], body: nil))
      #expect(live.status == 200)
      let ready = Answer(
        try await client.executeRequest(uri: "/health/ready", method: .get, headers: [:], body: nil))
      #expect(ready.status == 503)
      #expect(ready.json == ["status": "unavailable", "reason": "store"])
    }
  }
}

@Suite("Answers of a server that stops") struct ClosingAnswersTests {
  private static let get = HTTPRequest(method: .get, scheme: nil, authority: nil, path: "/")
  private static let post = HTTPRequest(method: .post, scheme: nil, authority: nil, path: "/")

  private func run(_ body: (EmbeddedChannel, Drain) throws -> Void) async throws {
    let server = try await SealringServer.make(LocalServer.configuration())
    try body(try channel(server.drain), server.drain)
    try await server.close()
  }

  private func channel(_ drain: Drain) throws -> EmbeddedChannel {
    let channel = EmbeddedChannel(handler: ClosingAnswers(drain: drain))
    try channel.connect(to: SocketAddress(ipAddress: "192.0.2.1", port: 1)).wait()
    return channel
  }

  /// Sends an answer; what its `Connection` says.
  private func answer(_ channel: EmbeddedChannel) throws -> String? {
    try channel.writeOutbound(HTTPResponsePart.head(HTTPResponse(status: .ok)))
    try channel.writeOutbound(HTTPResponsePart.end(nil))
    var connection: String?
    while let part = try channel.readOutbound(as: HTTPResponsePart.self) {
      if case .head(let head) = part { connection = head.headerFields[.connection] }
    }
    return connection
  }

  @Test func `a kept connection closes after its next answer`() async throws {
    try await run { channel, drain in
      try channel.writeInbound(HTTPRequestPart.head(Self.get))
      try channel.writeInbound(HTTPRequestPart.end(nil))
      #expect(try answer(channel) == nil && channel.isActive)
      drain.begin()
      #expect(channel.isActive)
      try channel.writeInbound(HTTPRequestPart.head(Self.get))
      try channel.writeInbound(HTTPRequestPart.end(nil))
      #expect(try answer(channel) == "close" && !channel.isActive)
    }
  }

  @Test func `requests that were sent one after the other are all answered first`() async throws {
    try await run { channel, drain in
      for _ in 0..<2 {
        try channel.writeInbound(HTTPRequestPart.head(Self.get))
        try channel.writeInbound(HTTPRequestPart.end(nil))
      }
      drain.begin()
      #expect(try answer(channel) == nil && channel.isActive)
      #expect(try answer(channel) == "close" && !channel.isActive)
    }
  }

  @Test func `a refused body is read to its end before the connection closes`() async throws {
    try await run { channel, drain in
      try channel.writeInbound(HTTPRequestPart.head(Self.post))
      drain.begin()
      #expect(try answer(channel) == "close" && channel.isActive)
      try channel.writeInbound(HTTPRequestPart.body(ByteBuffer(string: "x")))
      #expect(channel.isActive)
      try channel.writeInbound(HTTPRequestPart.end(nil))
      #expect(!channel.isActive)
    }
  }

  @Test func `a request that comes after the last answer was announced is not begun`() async throws {
    try await run { channel, drain in
      try channel.writeInbound(HTTPRequestPart.head(Self.get))
      try channel.writeInbound(HTTPRequestPart.end(nil))
      drain.begin()
      try channel.writeOutbound(HTTPResponsePart.head(HTTPResponse(status: .ok)))
      while try channel.readInbound(as: HTTPRequestPart.self) != nil {}
      try channel.writeInbound(HTTPRequestPart.head(Self.get))
      try channel.writeInbound(HTTPRequestPart.end(nil))
      #expect(try channel.readInbound(as: HTTPRequestPart.self) == nil)
      try channel.writeOutbound(HTTPResponsePart.end(nil))
      #expect(!channel.isActive)
    }
  }
}
