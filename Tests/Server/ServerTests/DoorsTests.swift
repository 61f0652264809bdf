import CommonFixtures
import Concurrency
import Foundation
import HTTPTypes
import HummingbirdTesting
import JourneyEngine
import JourneyStore
import PasswordHashing
import SecurityEvents
import StrictJSON
import Testing

@testable import Assembly
@testable import JourneyFiles
@testable import Operations
@testable import ServerHTTP

/// Small doors that once let through what others held back.
@Suite struct DoorsTests {
  // MARK: Sign-ins

  @Test func `a sign-in that wants no session is told like one that does`() async throws {
    try await LocalServer.recording { server, events in
      let answer = try await server.call(
        .post, "\(LocalServer.alpha)/authenticate?noSession=true",
        body: LocalServer.reply(to: server.start(query: "&noSession=true"), "ada", "ada-password"))
      #expect(answer.status == 200)
      let event = try #require(events.of(.signInSucceeded).first)
      #expect(event.account == "ada" && event.realm == "alpha" && event.factors == ["password"])
      #expect(event.detail["session"] == false)
    }
  }

  @Test func `a password that nobody had time to look at is answered 503, and not as a wrong one`()
    async throws
  {
    try await LocalServer.run(
      .router,
      {
        $0.limits.waitingPasswords = 0
        $0.passwordCost = Argon2Cost(memoryKiB: 65_536, iterations: 3, parallelism: 1)
      }
    ) { server in
      var steps: [Answer] = []
      for _ in 0..<12 { steps.append(try await server.start()) }
      let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
        for step in steps {
          group.addTask {
            try await server.call(
              .post, "\(LocalServer.alpha)/authenticate",
              body: LocalServer.reply(to: step, "ada", "ada-password")
            ).status
          }
        }
        return try await group.reduce(into: [Int]()) { $0.append($1) }
      }
      #expect(Set(statuses) == [200, 503], "\(statuses)")
    }
  }

  @Test(
    arguments: [
      (.overloaded, true), (.failed("no memory"), true), (.passwordLength, false),
      (.unusableHash("x"), false),
    ] as [(PasswordHashingError, Bool)])
  func `what keeps a password from being looked at is no refusal`(
    error: PasswordHashingError, isUnavailability: Bool
  ) {
    #expect((error as any ServiceFailure).isUnavailability == isUnavailability)
  }

  // MARK: Requests

  @Test(arguments: [
    ("a.example", 200), ("a.example\r\nHost: A.example", 200), ("a.example\r\nHost: b.example", 400),
    ("a.example\r\nhost: a.example\r\nHOST: b.example", 400),
  ]) func `a request that names two hosts is refused`(hosts: String, status: Int) async throws {
    try await LocalServer.run(.live, { $0.host = "127.0.0.1" }) { server in
      let answer = try await RawConnection.open(to: server).closing(
        after: "GET /am/json/serverinfo/version HTTP/1.1\r\nHost: \(hosts)\r\nConnection: close\r\n\r\n")
      #expect(answer.hasPrefix("HTTP/1.1 \(status) "))
    }
  }

  @Test func `a QR code is drawn for a journey's step, and a few times`() async throws {
    try await LocalServer.run { server in
      let uri: JSONValue = "otpauth://totp/x?secret=GEZDGNBVGY3TQOJQ"
      func draw(_ authID: JSONValue?, _ uri: JSONValue) async throws -> Int {
        var body: JSONObject = ["uri": uri]
        body["authId"] = authID
        return try await server.call(.post, "/am/XUI/qr", body: .object(body)).status
      }
      for authID in [nil, "", "x", 1, .null] as [JSONValue?] { #expect(try await draw(authID, uri) == 400) }
      let step = try await server.start()
      #expect(
        try await draw(step["authId"], .string("otpauth://" + String(repeating: "x", count: 1491))) == 400)
      for _ in 0..<3 { #expect(try await draw(step["authId"], uri) == 200) }
      #expect(try await draw(step["authId"], uri) == 400)
      // The step itself is none the worse for it.
      let answer = try await server.call(
        .post, "\(LocalServer.alpha)/authenticate", body: LocalServer.reply(to: step, "ada", "ada-password"))
      #expect(answer.status == 200)
      #expect(try await draw(try await server.start()["authId"], uri) == 200)
    }
  }

  // MARK: What waits

  @Test func `what an address makes wait is counted by its size`() {
    let clock = ManualDate(LocalServer.morning)
    var limits = ServerLimits()
    limits.suspensionsPerAddress = 30
    let requests = RequestLimits(limits, clock: { clock.now })
    // 96 KiB each count as 24.
    #expect(requests.admit(suspensionFrom: "a", bytes: 96 << 10) == nil)
    #expect(requests.admit(suspensionFrom: "a", bytes: 96 << 10) == 36)
    #expect(requests.admit(suspensionFrom: "a", bytes: 4096) == nil)
    #expect(requests.admit(suspensionFrom: "b") == nil)
    // More than a bucket holds takes a whole one.
    clock.advance(by: 60)
    #expect(requests.admit(suspensionFrom: "a", bytes: 1 << 30) == nil)
    #expect(requests.admit(suspensionFrom: "a") == 2)
  }

  // MARK: Journeys of one realm

  @Test(arguments: [
    (shared: true, name: "ada", isLive: false), (shared: false, name: "ada", isLive: true),
    (shared: true, name: "amAdmin", isLive: true),
  ])
  func `where scripts of all realms share variables, only the root realm's administrators put journeys live`(
    shared: Bool, name: String, isLive: Bool
  ) async throws {
    try await LocalServer.run {
      $0.scripts.environment = shared ? ["esv.secret": "of all"] : [:]
      $0.scripts.realmEnvironments = ["beta": ["esv.secret": "beta's"]]
    } body: { server in
      _ = try await server.store.changeRole(
        RoleChange(.administrator, isGrant: true, username: "ada", realm: "alpha"), by: nil)
      let reader =
        name == "ada"
        ? try await PageReader.signedIn("ada", server) : try await PageReader.administrator(server)
      let path = "/am/admin/upload?realm=/alpha"
      let export = String(
        decoding: TestJourneys.file(
          "New", entry: "n",
          nodes: [
            "n": TestJourneys.Node(
              type: "PasswordCollectorNode", connections: ["outcome": TestJourneys.success])
          ]
        ).serialized, as: UTF8.self)
      let review = try await reader.submit(path, ["export": export, "do": "check"])
      let answer = try await reader.post(
        path, token: review.field("token"),
        ["export": export, "base": try #require(review.field("base")), "do": "live"])
      #expect(answer.status == (isLive ? 303 : 403))
      #expect((server.server.catalog.document(journey: "New", realm: "alpha") != nil) == isLive)
    }
  }
}
