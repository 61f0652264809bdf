import Accounts
import BindingFormats
import CommonFixtures
import Concurrency
import Foundation
import HTTPTypes
import HummingbirdTesting
import JourneyNodes
import JourneyStore
import StrictJSON
import Testing

@testable import Assembly
@testable import JourneyFiles
@testable import Operations
@testable import ServerHTTP

@Suite("Changes of factors, over HTTP") struct FactorChangeTests {
  private static func configure(
    _ requirement: FactorChangePolicy.Requirement
  ) -> (inout ServerConfiguration) -> Void {
    return {
      AuthLevelTests.bundled(&$0)
      $0.bundledJourneys = .everywhere
      $0.factorChanges = FactorChangePolicy(standard: .any, realms: ["alpha": requirement])
    }
  }

  private static let users = "\(LocalServer.alpha)/users"

  /// Requests that change factors of ada, who has an authenticator and a push device.
  enum Change: String, CaseIterable, Sendable {
    case deleteOath, deletePush, resetOath, resetPush, skipOath, skipPush, password, account

    func send(_ server: LocalServer, _ token: String) async throws -> Answer {
      let devices = "\(users)/ada/devices/2fa"
      switch self {
      case .deleteOath, .deletePush:
        let kind = self == .deleteOath ? "oath" : "push"
        let list = try await server.call(.get, "\(devices)/\(kind)?_queryFilter=true", token: token)
        let id = try #require(list["result"]?[0]?["_id"]?.stringValue)
        return try await server.call(.delete, "\(devices)/\(kind)/\(id)", token: token)
      case .resetOath, .resetPush:
        let kind = self == .resetOath ? "oath" : "push"
        return try await server.call(.post, "\(devices)/\(kind)?_action=reset", token: token, body: [:])
      case .skipOath, .skipPush:
        let kind = self == .skipOath ? "oath" : "push"
        return try await server.call(
          .post, "\(devices)/\(kind)?_action=skip", token: token, body: ["value": true])
      case .password:
        return try await server.call(
          .put, "\(users)/ada", token: token,
          body: ["userpassword": "a new passphrase 1", "currentpassword": "ada-password"])
      case .account: return try await server.call(.delete, "\(users)/ada", token: token)
      }
    }
  }

  private static func expectStepUp(_ answer: Answer, level: Int64, _ comment: Comment? = nil) {
    #expect(answer.status == 403, comment)
    let detail = answer["detail"]
    #expect(detail?["errorCode"] == "stepUpRequired", comment)
    #expect(detail?["authLevel"] == .integer(level), comment)
    #expect(detail?["maximumAge"] == 300, comment)
    #expect(detail?["realm"] == "/alpha", comment)
    #expect(detail?["journey"] == "StepUp", comment)
    #expect(detail?["advices"]?["AuthLevelConditionAdvice"] == [.string(String(level))], comment)
    let advice = detail?["compositeAdvice"]?.stringValue.flatMap { CompositeAdvice(parsing: $0) }
    #expect(advice?.attributes.first?.values == [String(level)], comment)
    #expect(answer.message?.contains("StepUp with ForceAuth=true") == true, comment)
    #expect((answer.message ?? "").count < 200, comment)
  }

  @Test(arguments: Change.allCases)
  func `a session from the password alone removed second factors`(change: Change) async throws {
    try await LocalServer.run(.router, Self.configure(.strong)) { server in
      let (phone, _) = try await server.enrolledPhone()
      let weak = try await server.signIn("ada")
      Self.expectStepUp(try await change.send(server, weak), level: 2)
      #expect(try await server.store.hasFactors(of: UniversalID(username: "ada", realm: "alpha")))
      server.clock.advance(by: 60)
      let strong = try #require(try await server.stepUp(weak, phone)["tokenId"]?.stringValue)
      let done = try await change.send(server, strong)
      #expect(done.status == 200, "\(done.json.text)")
    }
  }

  @Test(arguments: [0.0, 300, 301])
  func `a stolen session that was strong once removed second factors`(age: TimeInterval) async throws {
    try await LocalServer.run(.router, Self.configure(.strong)) { server in
      let (phone, _) = try await server.enrolledPhone()
      server.clock.advance(by: 60)
      let weak = try await server.signIn("ada")
      let strong = try #require(try await server.stepUp(weak, phone)["tokenId"]?.stringValue)
      server.clock.advance(by: age)
      let answer = try await Change.resetOath.send(server, strong)
      if age <= 300 { #expect(answer.status == 200) } else { Self.expectStepUp(answer, level: 2) }
    }
  }

  @Test(arguments: ["fresh", "any"])
  func `fresh asks for time alone, and any for nothing`(name: String) async throws {
    let requirement = try #require(FactorChangePolicy.Requirement(rawValue: name))
    try await LocalServer.run(.router, Self.configure(requirement)) { server in
      _ = try await server.enrolledPhone()
      let token = try await server.signIn("ada")
      server.clock.advance(by: 301)
      let old = try await Change.resetOath.send(server, token)
      guard requirement == .fresh else {
        #expect(old.status == 200)
        return
      }
      Self.expectStepUp(old, level: 0)
      let fresh = try await server.signIn("ada")
      #expect(try await Change.resetOath.send(server, fresh).status == 200)
    }
  }

  @Test func `renaming and reading stay free`() async throws {
    try await LocalServer.run(.router, Self.configure(.strong)) { server in
      _ = try await server.enrolledPhone()
      let token = try await server.signIn("ada")
      server.clock.advance(by: 600)
      let devices = "\(Self.users)/ada/devices/2fa/oath"
      let list = try await server.call(.get, "\(devices)?_queryFilter=true", token: token)
      let id = try #require(list["result"]?[0]?["_id"]?.stringValue)
      let renamed = try await server.call(
        .put, "\(devices)/\(id)", token: token, body: ["deviceName": "Desk"])
      #expect(renamed.status == 200)
      let name = try await server.call(
        .put, "\(Self.users)/ada", token: token, body: ["mail": ["ada@example.com"], "givenName": "Ada"])
      #expect(name.status == 200)
    }
  }

  @Test func `administrators act on others by their own proof: a fresh one`() async throws {
    try await LocalServer.run(.router, Self.configure(.strong)) { server in
      _ = try await server.enrolledPhone()
      let token = try await server.signInAdministrator()
      server.clock.advance(by: 301)
      let old = try await Change.resetOath.send(server, token)
      #expect(old.status == 403 && old["detail"]?["realm"] == "/" && old["detail"]?["authLevel"] == 0)
      let fresh = try await server.signInAdministrator()
      #expect(try await Change.resetOath.send(server, fresh).status == 200)
    }
  }

  @Test func `another user is told no more than before`() async throws {
    try await LocalServer.run(.router, Self.configure(.strong)) { server in
      _ = try await server.enrolledPhone()
      let bob = try await server.signIn("bob")
      let answer = try await server.call(
        .post, "\(Self.users)/ada/devices/2fa/oath?_action=reset", token: bob, body: [:])
      #expect(answer.status == 403 && answer["detail"] == nil)
    }
  }

  @Test(arguments: FactorChangePolicy.Requirement.allCases)
  func `a team's own journey follows the option: a stolen password adds a second device except under strong`(
    requirement: FactorChangePolicy.Requirement
  ) async throws {
    let folder = try TemporaryFolder.make()
    let own = TestJourneys.file(
      "Own", entry: "zero",
      nodes: [
        "zero": .init(
          type: "ZeroPageLoginNode", connections: ["true": "check", "false": TestJourneys.failure],
          properties: [
            "usernameHeader": "X-OpenAM-Username", "passwordHeader": "X-OpenAM-Password",
            "allowWithoutReferer": true,
          ]),
        "check": .init(
          type: "DataStoreDecisionNode", connections: ["true": "bind", "false": TestJourneys.failure]),
        "bind": .init(
          type: "DeviceBindingNode",
          connections: ["success": TestJourneys.success, "failure": TestJourneys.failure],
          properties: ["applicationIds": ["com.sealring.cli"]]),
      ])
    try folder.write(own.serialized, to: "alpha/Own.journey.json")
    try await LocalServer.run(
      .router,
      {
        Self.configure(requirement)(&$0)
        $0.journeysDirectory = folder.url
      }
    ) { server in
      _ = try await server.enrolledPhone()
      let asked = try await server.call(
        .post, "\(LocalServer.alpha)/authenticate?authIndexType=service&authIndexValue=Own",
        headers: ["X-OpenAM-Username": "ada", "X-OpenAM-Password": "ada-password"])
      guard requirement == .strong else {
        #expect(asked["callbacks"]?[0]?["type"] == "DeviceBindingCallback")
        return
      }
      #expect(asked.status == 401 && asked.message == "Login failure")
      #expect(asked["detail"]?["errorCode"] == "stepUpRequired")
      #expect(asked["detail"]?["authLevel"] == 2)
      #expect(server.log.withLock { $0 }.contains { $0.contains("factors may be changed only after") })
    }
  }

  @Test
  func
    `a strong session presented at the start lets another device be bound; one that ended meanwhile does not`()
    async throws
  {
    try await LocalServer.run(.router, Self.configure(.strong)) { server in
      let (phone, _) = try await server.enrolledPhone()
      let weak = try await server.signIn("ada")
      server.clock.advance(by: 60)
      let strong = try #require(try await server.stepUp(weak, phone)["tokenId"]?.stringValue)
      let page = try await server.begin("service", "BindDevice", token: strong, query: "&ForceAuth=true")
      let asks = try await server.post(LocalServer.reply(to: page, "ada", "ada-password"))
      #expect(asks["callbacks"]?[0]?["type"] == "DeviceBindingCallback")
      _ = try await server.call(
        .post, "\(LocalServer.alpha)/sessions?_action=logout", token: strong, body: [:])
      let late = try await server.goOn(asks)
      #expect(late.status == 401 && late["detail"]?["errorCode"] == "stepUpRequired")
    }
  }

  @Test(arguments: [(300, 201), (301, 403)])
  func `an old session of an administrator gets no secret of an application`(
    age: TimeInterval, status: Int
  ) async throws {
    try await LocalServer.run(.router, Self.configure(.fresh)) { server in
      let token = try await server.signInAdministrator()
      server.clock.advance(by: age)
      let answer = try await server.call(
        .post, "\(LocalServer.alpha)/applications?_action=create", token: token, body: ["name": "Shop"])
      #expect(answer.status == status)
      #expect((answer["detail"]?["errorCode"] == "stepUpRequired") == (status == 403))
      #expect(try await server.store.applications(realm: "alpha").isEmpty == (status == 403))
    }
  }

  @Test func `a requirement stays the realm's when it is created again in another case`() async throws {
    let policy = FactorChangePolicy(standard: .any, realms: ["beta": .strong, "Gamma/branch": .fresh])
    #expect(policy.requirement(for: "BETA") == .strong && policy.requirement(for: "gamma/BRANCH") == .fresh)
    #expect(policy.open(["beta", "Beta", "betas", "gamma"]) == ["betas", "gamma"])
    var configuration = LocalServer.configuration()
    configuration.factorChanges = FactorChangePolicy(realms: ["ALPHA": .strong])
    try await SealringServer.make(configuration).close()
  }

  @Test func `a requirement for a realm that does not exist stops the start`() async throws {
    var configuration = LocalServer.configuration()
    configuration.factorChanges = FactorChangePolicy(realms: ["beta": .strong])
    await #expect(throws: ServerSetupError.self) { try await SealringServer.make(configuration) }
  }

  @Test(
    arguments: [
      ("https://id.example.com/am", FactorChangePolicy(standard: .any), true),
      ("https://id.example.com/am", FactorChangePolicy(standard: .any, realms: ["alpha": .strong]), true),
      ("https://id.example.com/am", FactorChangePolicy(standard: .fresh), false),
      ("http://localhost:8080/am", FactorChangePolicy(), false),
      ("http://127.0.0.1:8080/am", FactorChangePolicy(), false),
      ("http://[::1]:8080/am", FactorChangePolicy(), false), (nil, FactorChangePolicy(), false),
    ])
  func `a server that the internet reaches says once that any session may change factors`(
    publicURL: String?, policy: FactorChangePolicy, warns: Bool
  ) async throws {
    var configuration = LocalServer.configuration()
    configuration.publicURL = publicURL
    configuration.factorChanges = policy
    let server = try await SealringServer.make(configuration)
    #expect(server.advice.count { $0.contains("--factor-changes strong") } == (warns ? 1 : 0))
    try await server.close()
  }

  static let policies: [(policy: FactorChangePolicy, starts: Bool)] = [
    (FactorChangePolicy(), false), (FactorChangePolicy(standard: .any), true),
    (FactorChangePolicy(standard: .strong), true),
    // What is said of some realms, or of all that there are, says nothing of the next one.
    (FactorChangePolicy(realms: ["alpha": .strong]), false),
    (FactorChangePolicy(realms: ["root": .strong, "alpha": .any]), false),
    (FactorChangePolicy(standard: .any, realms: ["alpha": .strong]), true),
  ]

  @Test(arguments: OtherServicesTests.reachable.indices, policies)
  func `a server that others can reach starts only when it was told what a change of factors needs`(
    index: Int, example: (policy: FactorChangePolicy, starts: Bool)
  ) async throws {
    var configuration = LocalServer.configuration()
    try OtherServicesTests.reachable[index](&configuration)
    configuration.factorChanges = example.policy
    guard !example.starts else {
      try await SealringServer.make(configuration).close()
      return
    }
    let error = await #expect(throws: ServerSetupError.self) { try await SealringServer.make(configuration) }
    let lines = error?.description.split(separator: "\n") ?? []
    #expect(lines.first?.hasPrefix("Others can reach this server") == true)
    let choices = ["strong", "fresh", "any"]
    #expect(lines.count == 1 + choices.count)
    for (line, choice) in zip(lines.dropFirst(), choices) {
      #expect(line.hasPrefix("--factor-changes \(choice): "))
    }
  }

  @Test(arguments: policies) func `a server that only its machine reaches starts with any`(
    example: (policy: FactorChangePolicy, starts: Bool)
  ) async throws {
    var configuration = LocalServer.configuration()
    configuration.factorChanges = example.policy
    try await SealringServer.make(configuration).close()
  }
}
