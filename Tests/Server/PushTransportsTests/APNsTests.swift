import Concurrency
import Crypto
import Foundation
import JourneyStore
import NIOCore
import ProofFixtures
import PushServiceFixtures
import StrictJSON
import Testing

@testable import PushTransports

@Suite("APNs") struct APNsTests {
  private static let key = P256.Signing.PrivateKey()

  private func configuration(
    _ environment: APNsConfiguration.Environment = .production
  ) throws -> APNsConfiguration {
    try APNsConfiguration(
      key: Self.key, keyID: "KEY1234567", teamID: "TEAM123456", topic: "com.example.signer",
      environment: environment)
  }

  /// Runs a sender against stand-ins for both environments; the sandbox answers only where a test says how.
  private func withApple(
    clock: PausingClock = PausingClock(), environment: APNsConfiguration.Environment = .production,
    streams: Int = 100, timeouts: Timeouts = Timeouts(),
    sandbox: @escaping TestPushService.Answer = { _ in .error(400, "BadDeviceToken") },
    answer: @escaping TestPushService.Answer,
    body: (APNsService, _ production: TestPushService, _ sandbox: TestPushService) async throws -> Void
  ) async throws {
    let certificates = try TestCertificates()
    try await TestPushService.run(tls: certificates, streams: streams, answer: answer) { production in
      try await TestPushService.run(tls: certificates, answer: sandbox) { sandbox in
        let sender = APNsService(
          try configuration(environment), clock: { clock.now },
          address: .init(
            hosts: [
              .production: "https://localhost:\(production.port)",
              .sandbox: "https://localhost:\(sandbox.port)",
            ], trust: certificates.trust), timeouts: timeouts)
        do {
          try await body(sender, production, sandbox)
          await sender.close()
        } catch {
          await sender.close()
          throw error
        }
      }
    }
  }

  private func send(_ sender: APNsService, device: String = "m1") async -> PushSendOutcome {
    guard let notice = try? await Fixture.notice() else { return .failed("no notice") }
    return await sender.send(notice, toToken: Fixture.appleToken, device: device)
  }

  // MARK: The request

  @Test func `a message goes out as Apple and the client SDKs want it`() async throws {
    try await withApple(answer: { _ in
      .ok
    }) { sender, apple, _ in
      #expect(await send(sender) == .sent)
      let request = try #require(apple.requests.first)
      #expect(request.path == "/3/device/\(Fixture.appleToken.lowercased())")
      #expect(request.header("apns-topic") == "com.example.signer")
      #expect(request.header("apns-push-type") == "alert")
      #expect(request.header("apns-priority") == "10")
      #expect(request.header("apns-expiration") == String(Int(noon.timeIntervalSince1970) + 120))
      #expect(UUID(uuidString: request.header("apns-id") ?? "") != nil)
      #expect((1...64).contains(request.header("apns-collapse-id")?.utf8.count ?? 0))
      let item = try await Fixture.item()
      #expect(
        String(decoding: request.body, as: UTF8.self)
          == #"{"aps":{"alert":"Login attempt from demo at Bank","sound":"default","category":"authentication_challenge","interruption-level":"time-sensitive","messageId":"AUTHENTICATE:1","data":"\#(item.message)","content-available":1,"mutable-content":1}}"#
      )
      let bearer = try #require(request.header("authorization"))
      #expect(bearer.hasPrefix("bearer "))
      let token = try VerifiedToken(String(bearer.dropFirst(7)), jwk: Self.key.publicKey.jwk())
      #expect(token.keyID == "KEY1234567")
      #expect(
        token.claims == ["iss": "TEAM123456", "iat": .integer(Int64(noon.timeIntervalSince1970))])
    }
  }

  @Test(
    arguments: [
      ("default", "authentication"), ("challenge", "authentication_challenge"),
      ("biometric", "authentication_biometric"),
    ])
  func `the category says what kind of answer is wanted`(type: String, category: String) async throws {
    let bytes = try APNsPayload.bytes(try await Fixture.notice(type: type))
    #expect(try JSONValue(parsing: bytes)["aps"]?["category"] == .string(category))
  }

  @Test func `a message that does not fit is not sent`() async throws {
    try await withApple(answer: { _ in
      .ok
    }) { sender, apple, _ in
      let notice = try await Fixture.notice(text: String(repeating: "x", count: 2000))
      guard case .failed(let reason) = await sender.send(notice, toToken: Fixture.appleToken, device: "m1")
      else {
        Issue.record("It must fail.")
        return
      }
      #expect(reason.contains("4096"))
      #expect(apple.requests.isEmpty)
    }
  }

  @Test func `the longest message has 4096 bytes`() async throws {
    // Grows by one in the alert, and by 4/3 of one in the token.
    var longest = 0
    for count in 1500...1650 {
      if let bytes = try? APNsPayload.bytes(
        try await Fixture.notice(text: String(repeating: "x", count: count)))
      {
        longest = max(longest, bytes.count)
      }
    }
    #expect((4093...4096).contains(longest))
  }

  @Test func `another attempt has the same ids, another device its own`() async throws {
    try await withApple(answer: { _ in
      .ok
    }) { sender, apple, _ in
      for device in ["m1", "m1", "m2"] { #expect(await send(sender, device: device) == .sent) }
      let ids = apple.requests.map { $0.header("apns-id") }
      #expect(ids[0] == ids[1] && ids[1] != ids[2])
      #expect(Set(apple.requests.map { $0.header("apns-collapse-id") }).count == 1)
    }
  }

  @Test(arguments: ["", "abc", "xy", "12 34", "../../x1", "ab\r\n", "é1"])
  func `only hexadecimal digits are a token`(token: String) throws {
    let sender = APNsService(try configuration(), clock: { noon })
    #expect(throws: PushSendError.self) { try sender.address(forToken: token) }
    #expect(try sender.address(forToken: "AB12") == "ab12")
  }

  // MARK: Answers

  struct Row: Sendable, CustomTestStringConvertible {
    let status: Int
    let reason: String
    let outcome: PushSendOutcome
    var testDescription: String { "\(status) \(reason)" }
  }

  private static func row(
    _ status: Int, _ reasons: [String], _ outcome: (String) -> PushSendOutcome
  ) -> [Row] {
    reasons.map { Row(status: status, reason: $0, outcome: outcome("APNs answered \(status) \($0)")) }
  }

  static let table: [Row] =
    row(
      400,
      [
        "BadCollapseId", "BadExpirationDate", "BadMessageId", "BadPriority", "BadTopic",
        "DeviceTokenNotForTopic",
        "DuplicateHeaders", "InvalidPushType", "MissingDeviceToken", "MissingTopic", "PayloadEmpty",
        "TopicDisallowed",
      ]
    ) { .failed($0) } + row(400, ["IdleTimeout"]) { .retry($0) }
    + row(
      403,
      [
        "BadCertificate", "BadCertificateEnvironment", "Forbidden", "InvalidProviderToken",
        "MissingProviderToken",
      ]
    ) { .failed("\($0): check key, key id, team id and topic against the developer account") }
    + row(404, ["BadPath"]) { .failed($0) } + row(405, ["MethodNotAllowed"]) { .failed($0) }
    + row(410, ["ExpiredToken", "Unregistered"]) { .retired($0) }
    + row(413, ["PayloadTooLarge"]) { .failed($0) }
    + row(429, ["TooManyProviderTokenUpdates", "TooManyRequests"]) { .retry($0) }
    + row(500, ["InternalServerError"]) { .retry($0) }
    + row(503, ["ServiceUnavailable", "Shutdown"]) { .retry($0) }

  @Test func `each answer of Apple's has its consequence`() async throws {
    let index = Locked(0)
    try await withApple(answer: { _ in
      let row = Self.table[index.withLock { $0 }]
      return .error(row.status, row.reason)
    }) { sender, apple, sandbox in
      for (number, row) in Self.table.enumerated() {
        index.withLock { $0 = number }
        #expect(await send(sender) == row.outcome, "\(row.status) \(row.reason)")
      }
      #expect(apple.requests.count == Self.table.count, "none of them is tried again at once")
      #expect(sandbox.requests.isEmpty)
    }
  }

  @Test(arguments: ["", "no JSON", #"{"reason":1}"#, #"{"reason":"a b"}"#])
  func `answers that are not valid JSON, or too long, do not confuse`(body: String) async throws {
    try await withApple(answer: { _ in
      Reply(status: 400, body: body)
    }) { sender, _, _ in
      #expect(await send(sender) == .failed("APNs answered 400"))
    }
    try await withApple(answer: { _ in
      Reply(status: 400, body: String(repeating: "x", count: 10_000))
    }) { sender, _, _ in
      guard case .retry = await send(sender) else {
        Issue.record("What could not be read is tried again.")
        return
      }
    }
  }

  @Test func `a dead token comes with the moment of its death`() async throws {
    try await withApple(answer: { _ in
      Reply(status: 410, body: #"{"reason":"Unregistered","timestamp":1767956400000}"#)
    }) { sender, _, _ in
      #expect(
        await send(sender)
          == .retired("APNs answered 410 Unregistered", since: Date(timeIntervalSince1970: 1_767_956_400)))
    }
  }

  @Test(arguments: [("7", 7.0), ("Fri, 09 Jan 2026 12:00:30 GMT", 30.0)])
  func `what Apple asks to wait is told`(value: String, seconds: Double) async throws {
    try await withApple(answer: { _ in
      Reply(status: 503, headers: [("retry-after", value)], body: #"{"reason":"Shutdown"}"#)
    }) { sender, _, _ in
      #expect(await send(sender) == .retry("APNs answered 503 Shutdown", after: seconds))
    }
  }

  // MARK: Environments

  @Test func `a token that production does not know is tried in the sandbox once, and remembered there`()
    async throws
  {
    try await withApple(
      sandbox: { _ in .ok },
      answer: { _ in
        .error(400, "BadDeviceToken")
      }
    ) { sender, production, sandbox in
      #expect(await send(sender) == .sent)
      #expect(await send(sender) == .sent)
      #expect(production.requests.count == 1)
      #expect(sandbox.requests.count == 2)
    }
  }

  @Test(arguments: APNsConfiguration.Environment.allCases)
  func `a token that neither environment knows is dead`(environment: APNsConfiguration.Environment)
    async throws
  {
    try await withApple(
      environment: environment,
      answer: { _ in
        .error(400, "BadDeviceToken")
      }
    ) { sender, production, sandbox in
      #expect(
        await send(sender) == .retired("APNs answered 400 BadDeviceToken in both environments"))
      #expect(production.requests.count == 1)
      #expect(sandbox.requests.count == 1)
    }
  }

  @Test func `while the other environment has trouble, no token is called dead`() async throws {
    try await withApple(
      sandbox: { _ in .error(503, "Shutdown") },
      answer: { _ in
        .error(400, "BadDeviceToken")
      }
    ) { sender, _, _ in
      #expect(await send(sender) == .retry("APNs answered 503 Shutdown"))
    }
  }

  // MARK: The sender's token

  @Test func `the sender's token serves for 50 minutes, and no two are made at once`() async throws {
    let clock = PausingClock()
    try await withApple(
      clock: clock,
      answer: { _ in
        .ok
      }
    ) { sender, apple, _ in
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<20 { group.addTask { _ = await send(sender) } }
      }
      clock.advance(by: 50 * 60 - 1)
      _ = await send(sender)
      #expect(apple.requests.count == 21)
      #expect(Set(apple.requests.map { $0.header("authorization") }).count == 1)
      clock.advance(by: 1)
      _ = await send(sender)
      #expect(Set(apple.requests.map { $0.header("authorization") }).count == 2)
    }
  }

  @Test func `a sender's token that Apple calls expired is made anew, and the message sent again once`()
    async throws
  {
    let clock = PausingClock()
    let refused = Locked<Set<String>>([])
    try await withApple(
      clock: clock,
      answer: { request in
        refused.withLock { $0.contains(request.header("authorization") ?? "") }
          ? .error(403, "ExpiredProviderToken") : .ok
      }
    ) { sender, apple, _ in
      #expect(await send(sender) == .sent)
      _ = refused.withLock { $0.insert(apple.requests.first?.header("authorization") ?? "") }
      clock.advance(by: 20 * 60)
      #expect(await send(sender) == .sent)
      #expect(apple.requests.count == 3)
    }
  }

  @Test func `a sender's token is not made anew within 20 minutes: the clocks are wrong`() async throws {
    let clock = PausingClock()
    try await withApple(
      clock: clock,
      answer: { _ in
        .error(403, "ExpiredProviderToken")
      }
    ) { sender, apple, _ in
      for _ in 0..<3 {
        guard case .failed(let reason) = await send(sender) else {
          Issue.record("It must fail.")
          return
        }
        #expect(reason.contains("clock"))
        clock.advance(by: 60)
      }
      #expect(Set(apple.requests.map { $0.header("authorization") }).count == 1)
      clock.advance(by: 20 * 60)
      _ = await send(sender)
      #expect(Set(apple.requests.map { $0.header("authorization") }).count == 2)
      #expect(apple.requests.count == 5, "the last was sent again with the new token, and not a third time")
    }
  }

  // MARK: Connections

  @Test func `many messages share one connection, and no more go at once than Apple allows`() async throws {
    try await withApple(
      streams: 4,
      answer: { _ in
        await Task.yield()
        return .ok
      }
    ) { sender, apple, _ in
      #expect(await send(sender) == .sent)
      let outcomes = await withTaskGroup(of: PushSendOutcome.self) { group in
        for _ in 0..<60 { group.addTask { await send(sender) } }
        return await group.reduce(into: []) { $0.append($1) }
      }
      #expect(outcomes.allSatisfy { $0 == .sent })
      #expect(apple.connections == 1)
      #expect(apple.mostAtOnce <= 4)
    }
  }

  @Test func `after a GOAWAY the next message takes another connection`() async throws {
    let first = Locked(true)
    var timeouts = Timeouts()
    timeouts.answering = .seconds(2)
    try await withApple(
      timeouts: timeouts,
      answer: { _ in
        let isFirst = first.withLock { first in
          defer { first = false }
          return first
        }
        return Reply(status: 200, then: isFirst ? .goAway : .nothing)
      }
    ) { sender, apple, _ in
      #expect(await send(sender) == .sent)
      // The GOAWAY may still be under way; a message that it overtakes is sent again by the queue.
      for _ in 0..<20 where apple.connections < 2 { _ = await send(sender) }
      #expect(apple.connections == 2)
      #expect(await send(sender) == .sent)
    }
  }

  @Test func `a dropped connection is worth another attempt, on a new one`() async throws {
    let first = Locked(true)
    try await withApple(answer: { _ in
      first.withLock { first in
        defer { first = false }
        return first
      } ? nil : .ok
    }) { sender, apple, _ in
      guard case .retry(let reason, nil) = await send(sender) else {
        Issue.record("It must be tried again.")
        return
      }
      #expect(!reason.contains(Fixture.appleToken.lowercased()))
      // The next may still meet the end of the old connection.
      for _ in 0..<20 where apple.connections < 2 { _ = await send(sender) }
      #expect(await send(sender) == .sent)
      #expect(apple.connections == 2)
    }
  }

  @Test func `an answer that does not come is not waited for`() async throws {
    var timeouts = Timeouts()
    timeouts.answering = .milliseconds(50)
    let gate = Gate()
    try await withApple(
      timeouts: timeouts,
      answer: { _ in
        await gate.wait()
        return .ok
      }
    ) { sender, _, _ in
      let outcome = await send(sender)
      gate.open()
      guard case .retry(let reason, nil) = outcome else {
        Issue.record("It must be tried again, not \(outcome).")
        return
      }
      #expect(reason.hasPrefix("APNs could not be reached"))
    }
  }

  @Test func `a server with a certificate of another authority learns nothing`() async throws {
    try await TestPushService.run(tls: try TestCertificates(), answer: { _ in .ok }) { service in
      let sender = APNsService(
        try configuration(), clock: { noon },
        address: .init(
          hosts: [.production: "https://localhost:\(service.port)"], trust: try TestCertificates().trust))
      let outcome = await send(sender)
      await sender.close()
      #expect(outcome == .retry("APNs could not be reached: TLS failed, or the certificate is not trusted"))
      #expect(service.requests.isEmpty)
    }
  }

  // MARK: Configuration

  @Test(
    arguments: [
      ("short", "TEAM123456", "com.example.signer"), ("KEY1234567", "TEAM-12345", "com.example.signer"),
      ("KEY1234567", "TEAM123456", ""), ("KEY1234567", "TEAM123456", "com.example\r\nx: y"),
    ])
  func `ids that Apple cannot have given are refused`(keyID: String, teamID: String, topic: String) {
    #expect(throws: PushConfigurationError.self) {
      try APNsConfiguration(key: Self.key, keyID: keyID, teamID: teamID, topic: topic)
    }
  }

  @Test func `the key is taken as Apple hands it out, and no error quotes it`() throws {
    let pem = Self.key.pemRepresentation
    let configuration = try APNsConfiguration(
      pem: pem, keyID: "KEY1234567", teamID: "TEAM123456", topic: "com.example.signer")
    #expect(configuration.key.rawRepresentation == Self.key.rawRepresentation)
    let error = #expect(throws: PushConfigurationError.self) {
      try APNsConfiguration(
        pem: pem.replacing("PRIVATE", with: "PUBLIC"), keyID: "KEY1234567", teamID: "TEAM123456",
        topic: "com.example.signer")
    }
    #expect(error?.description.contains(pem.dropFirst(40).prefix(20)) == false)
  }
}
