import CommonFixtures
import Concurrency
import Foundation
import HTTPTypes
import JourneyEngine
import JourneyStore
import StrictJSON
import Testing

@testable import Assembly
@testable import ServerHTTP

/// Suspends the journey with a link that the test reads, as a node that sends a mail does.
private struct LinkNode: JourneyNode {
  let outcomes = ["outcome"]
  let sent: Locked<[String]>

  func evaluate(_ context: inout NodeContext) async throws -> NodeResult {
    if context.isResumed { return .outcome("outcome") }
    let link = try context.resumeLink()
    return .suspend(
      Suspension(link: link, message: "Look into your mail") { [sent] in
        sent.withLock { $0.append(link.address) }
      })
  }
}

@Suite("Suspended journeys over HTTP") struct SuspendedJourneyTests {
  private static let journey = TestJourneys.file(
    "Mail", entry: "name",
    nodes: [
      "name": TestJourneys.Node(type: "UsernameCollectorNode", connections: ["outcome": "link"]),
      "link": TestJourneys.Node(type: "LinkNode", connections: ["outcome": "password"]),
      "password": TestJourneys.Node(type: "PasswordCollectorNode", connections: ["outcome": "check"]),
      "check": TestJourneys.Node(
        type: "DataStoreDecisionNode",
        connections: ["true": TestJourneys.success, "false": TestJourneys.failure]),
    ])

  private func run(
    publicURL: String? = "https://id.example.com/am", limits: ServerLimits = ServerLimits(),
    _ body: @Sendable (LocalServer, _ sent: Locked<[String]>) async throws -> Void
  ) async throws {
    let sent = Locked<[String]>([])
    let folder = try TemporaryFolder.make()
    try folder.write(Self.journey.serialized, to: "alpha/Mail.journey.json")
    try await LocalServer.run {
      $0.journeysDirectory = folder.url
      $0.furtherNodes = ["LinkNode": { _ in LinkNode(sent: sent) }]
      $0.publicURL = publicURL
      $0.limits = limits
    } body: {
      try await body($0, sent)
    }
  }

  private func suspend(_ server: LocalServer) async throws -> Answer {
    try await server.call(
      .post, "\(LocalServer.alpha)/authenticate",
      body: LocalServer.reply(to: server.start("Mail"), "ada"))
  }

  private func id(in link: String?) throws -> String {
    let items = URLComponents(string: try #require(link))?.queryItems
    return try #require(items?.first { $0.name == "suspendedId" }?.value)
  }

  private func resume(_ id: String, _ server: LocalServer, realm: String = LocalServer.alpha) async throws
    -> Answer
  {
    try await server.call(.post, "\(realm)/authenticate?suspendedId=\(id)", body: [:])
  }

  @Test func `the link goes on once, and the sign-in ends as if it had never waited`() async throws {
    try await run { server, sent in
      let waiting = try await suspend(server)
      #expect(waiting.status == 200)
      #expect(waiting["callbacks"]?[0]?["type"] == "SuspendedTextOutputCallback")
      let link = try #require(sent.withLock { $0.last })
      #expect(link.hasPrefix("https://id.example.com/am/XUI/?realm=/alpha&suspendedId="))
      let id = try id(in: link)
      let step = try await resume(id, server)
      let end = try await server.call(
        .post, "\(LocalServer.alpha)/authenticate", body: LocalServer.reply(to: step, "ada-password"))
      #expect(end["tokenId"]?.stringValue?.isEmpty == false)
      let again = try await resume(id, server)
      #expect(again.status == 401 && again.message?.contains("SuspendedAuthSessionException") == true)
    }
  }

  @Test func `a link of another realm, a changed one and a late one are refused, and only time ends it`()
    async throws
  {
    try await run { server, sent in
      _ = try await suspend(server)
      let id = try id(in: sent.withLock { $0.last })
      #expect(try await resume(id, server, realm: LocalServer.root).status == 401)
      #expect(try await resume(id.withAnotherStart, server).status == 401)
      server.clock.advance(by: 301)
      #expect(try await resume(id, server).status == 401)
    }
  }

  /// Whoever asks proves nothing, and each journey that waits is a row.
  @Test func `one address makes no more journeys wait than it may in a minute`() async throws {
    var limits = ServerLimits()
    limits.suspensionsPerAddress = 2
    try await run(limits: limits) { server, sent in
      var statuses: [Int] = []
      for _ in 0..<3 { statuses.append(try await suspend(server).status) }
      #expect(statuses == [200, 200, 503])
      #expect(sent.withLock { $0.count } == 2)
      server.clock.advance(by: 60)
      let later = try await suspend(server)
      #expect(later.status == 200)
    }
  }

  @Test func `the id is in no log, and no row of the store has it`() async throws {
    try await run { server, sent in
      _ = try await suspend(server)
      let id = try id(in: sent.withLock { $0.last })
      _ = try await resume(id, server)
      _ = try await resume(id, server)
      #expect(!server.log.withLock { $0 }.contains { $0.contains(id) })
    }
  }

  @Test func `without a public address the host that a client names does not get into a link`() async throws {
    try await run(publicURL: nil) { server, sent in
      let step = try await server.call(
        .post, "\(LocalServer.alpha)/authenticate?authIndexType=service&authIndexValue=Mail", body: [:],
        headers: ["Host": "evil.example"])
      let answer = try await server.call(
        .post, "\(LocalServer.alpha)/authenticate", body: LocalServer.reply(to: step, "ada"),
        headers: ["Host": "evil.example"])
      #expect(sent.withLock { $0 }.allSatisfy { !$0.contains("evil") })
      #expect(answer.status == 401 || sent.withLock { $0.count } == 1)
    }
  }
}
