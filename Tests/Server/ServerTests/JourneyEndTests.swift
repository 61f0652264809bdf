import Concurrency
import Foundation
import HTTPTypes
import HummingbirdTesting
import JourneyNodes
import JourneyStore
import StrictJSON
import Testing

@testable import Assembly
@testable import ServerHTTP

/// What nodes set for the end of a journey: cookies, addresses, details, a mail.
@Suite("Ends of journeys") struct JourneyEndTests {
  /// A journey whose nodes follow each other on their first outcome; the other one of a decision leads to `otherwise`.
  private static func journey(
    _ name: String, _ nodes: [(type: String, JSONObject, outcomes: [String: String])]
  ) -> JSONObject {
    var (places, details) = (JSONObject(), JSONObject())
    for (index, node) in nodes.enumerated() {
      let id = "n\(index)"
      var detail: JSONObject = ["_id": .string(id), "_type": ["_id": .string(node.type)]]
      detail.merge(node.1)
      details[id] = .object(detail)
      places[id] = [
        "nodeType": .string(node.type), "displayName": .string(id),
        "connections": .object(JSONObject(node.outcomes.map { ($0.key, .string($0.value)) })),
      ]
    }
    return [
      "nodes": .object(details),
      "tree": ["_id": .string(name), "entryNodeId": "n0", "nodes": .object(places)],
    ]
  }

  private static func run(_ journey: JSONObject, body: @Sendable (LocalServer) async throws -> Void)
    async throws
  {
    try await LocalServer.run(
      .router,
      { configuration in
        let file = configuration.journeysDirectory?.appending(path: "alpha/Test.journey.json")
        if let file { try? Data(journey.serialized).write(to: file) }
      }, body: body)
  }

  private static let remembering = journey(
    "Test",
    [
      (
        "PersistentCookieDecisionNode", ["persistentCookieName": "remember"],
        ["true": TestJourneys.success, "false": "n1"]
      ),
      ("UsernameCollectorNode", [:], ["outcome": "n2"]), ("PasswordCollectorNode", [:], ["outcome": "n3"]),
      ("DataStoreDecisionNode", [:], ["true": "n4", "false": TestJourneys.failure]),
      ("SetPersistentCookieNode", ["persistentCookieName": "remember", "maxLife": 10], ["outcome": "n5"]),
      ("SetSuccessUrlNode", ["successUrl": "https://app.example.com/"], ["outcome": "n6"]),
      ("SetSuccessDetailsNode", ["successDetails": ["plan": "gold"]], ["outcome": TestJourneys.success]),
    ])

  @Test func `a browser that has signed in comes back without a password, until the password changes`()
    async throws
  {
    try await Self.run(Self.remembering) { server in
      var step = try await server.start("Test")
      step = try await server.call(
        .post, "\(LocalServer.alpha)/authenticate", body: LocalServer.reply(to: step, "ada"))
      let end = try await server.call(
        .post, "\(LocalServer.alpha)/authenticate", body: LocalServer.reply(to: step, "ada-password"))
      #expect(end.status == 200 && end["successUrl"] == "https://app.example.com/" && end["plan"] == "gold")
      let cookie = try #require(end.headers[values: .setCookie].first { $0.hasPrefix("remember=") })
      #expect(
        cookie.contains("; HttpOnly") && cookie.contains("; SameSite=Lax")
          && cookie.contains("; Max-Age=18000"))
      let pair = String(cookie.prefix { $0 != ";" })
      func again(_ pair: String) async throws -> Answer {
        try await server.call(
          .post, "\(LocalServer.alpha)/authenticate?authIndexType=service&authIndexValue=Test", body: [:],
          headers: ["Cookie": pair])
      }
      let second = try await again(pair)
      #expect(second["tokenId"]?.stringValue != nil)
      #expect(second.headers[values: .setCookie].contains { $0.hasPrefix("remember=") })
      #expect(try await again("remember=x")["authId"] != nil)
      #expect(!server.log.withLock { $0 }.joined().contains(pair.dropFirst("remember=".count)))
      // Who signs out is asked again; cookies of others, and false ones, stay as they are.
      let session = try #require(second["tokenId"]?.stringValue)
      let signedOut = try await server.call(
        .post, "\(LocalServer.alpha)/sessions?_action=logout", token: session, body: [:],
        headers: [
          "Cookie":
            "other=1; \(pair); remember2=\(pair.dropFirst(9)); wrong=\(pair.dropFirst(9).dropLast(4))AAAA"
        ])
      let cleared = signedOut.headers[values: .setCookie].filter { $0.contains("Expires=") }
      #expect(Set(cleared.map { $0.prefix { $0 != "=" } }) == ["iPlanetDirectoryPro", "remember"])
      let user = try #require(try await server.store.user(named: "ada", realm: "alpha"))
      var change = UserChange(of: user)
      change.password = UserChange.Password(hash: "$argon2id$other")
      _ = try await server.store.updateUser(change)
      #expect(try await again(pair)["authId"] != nil)
    }
  }

  @Test func `a failure has the message and the details that the journey set`() async throws {
    let journey = Self.journey(
      "Test",
      [
        ("SetFailureUrlNode", ["failureUrl": "/help"], ["outcome": "n1"]),
        (
          "SetFailureDetailsNode",
          ["failureMessage": ["en": "Come back tomorrow."], "failureDetails": ["why": "holiday"]],
          ["outcome": TestJourneys.failure]
        ),
      ])
    try await Self.run(journey) { server in
      let end = try await server.start("Test")
      #expect(end.status == 401 && end.message == "Come back tomorrow.")
      #expect(end["detail"] == ["failureUrl": "/help", "why": "holiday"])
    }
  }
}
