import BindingFormats
import Bytes
import CommonFixtures
import Concurrency
import Foundation
import HTTPTypes
import HummingbirdTesting
import JourneyStore
import StrictJSON
import Testing

@testable import Assembly
@testable import ServerHTTP

@Suite("Authentication levels and session upgrade, over HTTP") struct AuthLevelTests {
  static func bundled(_ configuration: inout ServerConfiguration) {
    configuration.journeysDirectory = nil
    configuration.publicURL = "https://id.example.com/am"
  }

  static func advice(_ pairs: (String, String)...) -> String {
    let pairs = pairs.map {
      "<AttributeValuePair><Attribute name=\"\($0.0)\"/><Value>\($0.1)</Value></AttributeValuePair>"
    }
    let text = "<Advices>\(pairs.joined())</Advices>"
    return text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
  }

  private static let loginFailure = "Login failure"

  @Test func `getSessionInfo shows level, journey and time of the proof, as PingAM's session properties`()
    async throws
  {
    try await LocalServer.run(.router, Self.bundled) { server in
      let step = try await server.start()
      server.clock.advance(by: 20)
      let end = try await server.post(LocalServer.reply(to: step, "ada", "ada-password"))
      let token = try #require(end["tokenId"]?.stringValue)
      server.clock.advance(by: 100)
      let properties = try await server.properties(of: token)
      #expect(properties["AuthLevel"] == "1")
      #expect(properties["Service"] == "Login")
      #expect(properties["authInstant"] == "2026-01-09T10:00:20Z")
      #expect(properties["AMCtxId"]?.stringValue != nil)
    }
  }

  @Test func `a journey without level nodes, as exported, makes a session of level 0`() async throws {
    try await LocalServer.run { server in
      let token = try await server.signIn("ada")
      #expect(try await server.properties(of: token)["AuthLevel"] == "0")
    }
  }

  @Test func `a session that has the level is the answer; one below it is raised, and the old one ends`()
    async throws
  {
    try await LocalServer.run(.router, Self.bundled) { server in
      let (phone, _) = try await server.enrolledPhone()
      let weak = try await server.signIn("ada")
      let enough = try await server.begin("level", "1", token: weak)
      #expect(enough["tokenId"] == .string(weak))

      server.clock.advance(by: 60)
      let strong = try await server.stepUp(weak, phone)
      let token = try #require(strong["tokenId"]?.stringValue)
      #expect(token != weak)
      let properties = try await server.properties(of: token)
      #expect(properties["AuthLevel"] == "2" && properties["Service"] == "StepUp")
      let old = try await server.call(
        .post, "\(LocalServer.alpha)/sessions?_action=validate", token: weak, body: [:])
      #expect(old["valid"] == false)
      #expect(try await server.begin("level", "2", token: token)["tokenId"] == .string(token))
    }
  }

  @Test func `who has no more than a password reaches level 1, and level 2 is refused`() async throws {
    try await LocalServer.run(.router, Self.bundled) { server in
      let token = try await server.signIn("ada")
      let page = try await server.begin("level", "2", token: token)
      let refused = try await server.post(LocalServer.reply(to: page, "ada-password"))
      #expect(refused.status == 401 && refused.message == Self.loginFailure)
      #expect(try await server.properties(of: token)["AuthLevel"] == "1")
      #expect(
        server.log.withLock { $0 }.contains {
          $0.contains("reached authentication level 1") && $0.contains("2 was asked for")
        })
    }
  }

  @Test func `without a session the step-up journey is a sign-in: name and password, then the factor`()
    async throws
  {
    try await LocalServer.run(.router, Self.bundled) { server in
      let (phone, _) = try await server.enrolledPhone()
      server.clock.advance(by: 60)
      let page = try await server.begin("level", "2")
      #expect(page["callbacks"]?.arrayValue?.map { $0["type"] } == ["NameCallback", "PasswordCallback"])
      let push = try await server.post(LocalServer.reply(to: page, "ada", "ada-password"))
      let code = try await server.exitPush(push)
      let end = try await server.post(LocalServer.reply(to: code, try phone.code(server), "0"))
      let token = try #require(end["tokenId"]?.stringValue)
      #expect(try await server.properties(of: token)["AuthLevel"] == "2")
    }
  }

  @Test func `an upgrade that ends with another account fails, and neither session changes`() async throws {
    try await LocalServer.run(.router, Self.bundled) { server in
      let ada = try await server.signIn("ada")
      let page = try await server.begin(
        "composite_advice", Self.advice(("AuthenticateToServiceConditionAdvice", "Login")), token: ada,
        query: "&ForceAuth=true")
      let refused = try await server.post(LocalServer.reply(to: page, "bob", "bob-password"))
      #expect(refused.status == 401 && refused["tokenId"] == nil)
      #expect(try await server.properties(of: ada)["Service"] == "Login")
      #expect(
        try await server.store.sessions(
          of: UniversalID(username: "bob", realm: "alpha"), now: server.clock.now) == [])
    }
  }

  @Test func `of two upgrades of one session at once, one succeeds`() async throws {
    try await LocalServer.run(.router, Self.bundled) { server in
      let ada = try await server.signIn("ada")
      var pages: [Answer] = []
      for _ in 0..<2 {
        pages.append(try await server.begin("level", "1", token: ada, query: "&ForceAuth=true"))
      }
      let replies = pages.map { LocalServer.reply(to: $0, "ada-password") }
      async let one = server.post(replies[0])
      async let two = server.post(replies[1])
      let statuses = [try await one.status, try await two.status].sorted()
      #expect(statuses == [200, 401])
      #expect(
        try await server.store.sessions(
          of: UniversalID(username: "ada", realm: "alpha"), now: server.clock.now
        ).count == 1)
    }
  }

  @Test func `an upgrade of a session that was ended meanwhile fails`() async throws {
    try await LocalServer.run(.router, Self.bundled) { server in
      let ada = try await server.signIn("ada")
      let page = try await server.begin("level", "1", token: ada, query: "&ForceAuth=true")
      _ = try await server.call(.post, "\(LocalServer.alpha)/sessions?_action=logout", token: ada, body: [:])
      #expect(try await server.post(LocalServer.reply(to: page, "ada-password")).status == 401)
      #expect(
        try await server.store.sessions(
          of: UniversalID(username: "ada", realm: "alpha"), now: server.clock.now) == [])
    }
  }

  @Test func `ForceAuth by the same account ends the session that it was presented with; by another, not`()
    async throws
  {
    try await LocalServer.run(.router, Self.bundled) { server in
      let ada = try await server.signIn("ada")
      let other = try await server.begin("service", "Login", token: ada, query: "&ForceAuth=true")
      #expect(try await server.post(LocalServer.reply(to: other, "bob", "bob-password"))["tokenId"] != nil)
      #expect(try await server.properties(of: ada)["Service"] == "Login")
      let again = try await server.begin("service", "Login", token: ada, query: "&ForceAuth=true")
      #expect(try await server.post(LocalServer.reply(to: again, "ada", "ada-password"))["tokenId"] != nil)
      #expect(
        try await server.store.sessions(
          of: UniversalID(username: "ada", realm: "alpha"), now: server.clock.now
        ).count == 1)
    }
  }

  @Test func `another realm's session has no level here`() async throws {
    try await LocalServer.run(.router, Self.bundled) { server in
      let administrator = try await server.signInAdministrator()
      let answer = try await server.begin("level", "1", token: administrator)
      #expect(answer["tokenId"] == nil)
      // Not the step-up page of somebody who is known, but the one for anybody.
      #expect(answer["callbacks"]?.arrayValue?.count == 2)
    }
  }

  @Test(
    arguments: [
      (["AuthLevelConditionAdvice": "1"], "session"), (["AuthLevelConditionAdvice": "/alpha:1"], "session"),
      (["AuthLevelConditionAdvice": "2"], "page"),
      (["AuthenticateToServiceConditionAdvice": "Login"], "session"),
      (["AuthenticateToServiceConditionAdvice": "/alpha:Login"], "session"),
      (["AuthSchemeConditionAdvice": "StepUp"], "page"),
      (["AuthenticateToTreeConditionAdvice": "SignIn"], "DeviceSigningVerifierCallback"),
      (["AuthenticateToRealmConditionAdvice": "/alpha"], "session"),
      (["AuthLevelConditionAdvice": "/beta:1"], "400"), (["AuthLevelConditionAdvice": "-1"], "400"),
      (["AuthLevelConditionAdvice": "1001"], "400"), (["AuthLevelConditionAdvice": "3"], "400"),
      (["AuthenticateToServiceConditionAdvice": "/beta:Login"], "400"),
      (["AuthenticateToRealmConditionAdvice": "/"], "400"),
      (["AuthenticateToServiceConditionAdvice": "X"], "400"),
      (["Unknown": "1"], "400"),
    ])
  func `advices: which journey starts for somebody who is signed in with a password`(
    pairs: [String: String], outcome: String
  ) async throws {
    try await LocalServer.run(.router, Self.bundled) { server in
      let token = try await server.signIn("ada")
      let pair = try #require(pairs.first)
      let answer = try await server.begin(
        "composite_advice", Self.advice((pair.key, pair.value)), token: token)
      switch outcome {
      case "session": #expect(answer["tokenId"] == .string(token))
      case "400": #expect(answer.status == 400)
      case "page": #expect(answer["callbacks"]?[0]?["type"] == "PasswordCallback")
      default: #expect(answer["callbacks"]?[0]?["type"] == .string(outcome))
      }
    }
  }

  @Test(
    arguments: [
      "", "x", "<Advices></Advices>", "<Advices><AttributeValuePair></AttributeValuePair></Advices>",
      "<Advices><AttributeValuePair><Attribute name=\"A\"/></AttributeValuePair></Advices>",
      "<!DOCTYPE a [<!ENTITY b \"c\">]><Advices><AttributeValuePair><Attribute name=\"A\"/><Value>&b;</Value></AttributeValuePair></Advices>",
      "<Advices><AttributeValuePair><Attribute name=\"A\"/><Value>&b;</Value></AttributeValuePair></Advices>",
      "<Advices><AttributeValuePair><Attribute name=\"A\"/><Value>&#65;</Value></AttributeValuePair></Advices>",
      "<Advices><AttributeValuePair><Attribute name=\"A\"/><Value> </Value></AttributeValuePair></Advices>",
      "<Advices><AttributeValuePair><Attribute name=\"A\"/><Value>1</Value></AttributeValuePair></Advices>x",
      "<Advices><!-- --><AttributeValuePair><Attribute name=\"A\"/><Value>1</Value></AttributeValuePair></Advices>",
      "<Advices><AttributeValuePair><Attribute other=\"A\"/><Value>1</Value></AttributeValuePair></Advices>",
      "<Advices>"
        + String(
          repeating: "<AttributeValuePair><Attribute name=\"A\"/><Value>1</Value></AttributeValuePair>",
          count: 2) + "</Advices>",
      "<Advices><AttributeValuePair><Attribute name=\"A\"/><Value>\(String(repeating: "1", count: 5000))</Value></AttributeValuePair></Advices>",
    ])
  func `what is not PingAM's form of advices is refused`(text: String) {
    let advice = CompositeAdvice(parsing: text)
    #expect(advice == nil)
  }

  @Test func `space, a closing tag and the predefined entities are understood`() {
    let advice = CompositeAdvice(
      parsing: """
        <Advices>
          <AttributeValuePair> <Attribute name="A"></Attribute>
            <Value> a &amp; &lt;b&gt; </Value><Value>2</Value></AttributeValuePair>
        </Advices>
        """)
    #expect(advice?.attributes.first?.name == "A")
    #expect(advice?.attributes.first?.values == ["a & <b>", "2"])
    #expect(CompositeAdvice(parsing: CompositeAdvice.text(level: 2))?.attributes.first?.values == ["2"])
  }

  @Test(arguments: ["3", "", "x", "-1", "1001", "00000"])
  func `a level that no journey reaches is 400`(level: String) async throws {
    try await LocalServer.run(.router, Self.bundled) { server in
      let answer = try await server.begin("level", level)
      #expect(answer.status == 400)
    }
  }
}

extension LocalServer {
  func properties(of token: String) async throws -> JSONObject {
    let answer = try await call(
      .post, "\(Self.alpha)/sessions?_action=getSessionInfo", token: token, body: [:])
    #expect(answer.status == 200)
    return answer["properties"]?.objectValue ?? [:]
  }

  func begin(
    _ type: String, _ value: String, token: String? = nil, query: String = ""
  ) async throws -> Answer {
    try await call(
      .post, "\(Self.alpha)/authenticate?authIndexType=\(type)&authIndexValue=\(value)\(query)",
      token: token, body: [:])
  }

  /// Leaves the wait for a push answer.
  func exitPush(_ step: Answer) async throws -> Answer {
    var callbacks = step["callbacks"]?.arrayValue ?? []
    for (index, callback) in callbacks.enumerated() where callback["type"] == "ConfirmationCallback" {
      var object = callback.objectValue ?? [:]
      object["input"] = [["name": .string("IDToken\(index + 1)"), "value": 0]]
      callbacks[index] = .object(object)
    }
    return try await post(["authId": step["authId"] ?? .null, "callbacks": .array(callbacks)])
  }

  /// The end of `StepUp` by password and one-time code, for a session.
  func stepUp(_ token: String, _ phone: CodePhone, query: String = "&ForceAuth=true") async throws -> Answer {
    let page = try await begin("level", "2", token: token, query: query)
    #expect(page["callbacks"]?.arrayValue?.map { $0["type"] } == ["PasswordCallback"])
    let push = try await post(Self.reply(to: page, "ada-password"))
    let code = try await exitPush(push)
    return try await post(Self.reply(to: code, try phone.code(self), "0"))
  }
}
