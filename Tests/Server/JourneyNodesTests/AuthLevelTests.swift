import Foundation
import JourneyEngine
import JourneyNodes
import JourneyStore
import StrictJSON
import Testing

@Suite("Authentication levels in journeys") struct AuthLevelTests {
  private func session(_ username: String = "mira") -> PresentedSession {
    PresentedSession(
      tokenHash: [1, 2], username: username, authLevel: 2, service: "SignIn",
      authenticatedAt: Date(timeIntervalSince1970: 1_800_000_000))
  }

  private func context(
    _ state: JourneyState = JourneyState(username: "mira"), session: PresentedSession? = nil
  ) -> NodeContext {
    NodeContext(nodeID: "n", request: RequestFacts(realm: "alpha"), state: state, session: session)
  }

  @Test func `levels add up, and a decision asks for at least its own`() async throws {
    let world = try await World()
    var context = context()
    for (increment, level) in [(2, 2), (3, 5), (-1, 4)] {
      let node = try world.node("ModifyAuthLevelNode", ["authLevelIncrement": .integer(Int64(increment))])
      #expect(node.authLevelIncrement == increment)
      #expect(try await node.evaluate(&context) == .outcome("outcome"))
      #expect(context.state.authLevel == level)
    }
    for (required, outcome) in [(0, "true"), (4, "true"), (5, "false")] {
      let node = try world.node(
        "AuthLevelDecisionNode", ["authLevelRequirement": .integer(Int64(required))])
      #expect(try await node.evaluate(&context) == .outcome(outcome))
    }
  }

  @Test(
    arguments: [
      ("ModifyAuthLevelNode", "authLevelIncrement", JSONValue.null),
      ("ModifyAuthLevelNode", "authLevelIncrement", "much"),
      ("ModifyAuthLevelNode", "authLevelIncrement", -1001),
      ("AuthLevelDecisionNode", "authLevelRequirement", .null),
      ("AuthLevelDecisionNode", "authLevelRequirement", 1001),
      ("SessionDataNode", "sessionDataKey", "Password"),
      ("IdentifyExistingUserNode", "identifier", "mail"),
    ])
  func `a level that the file does not say, or no level, is named`(
    type: String, property: String, value: JSONValue
  ) async throws {
    let world = try await World()
    let error = #expect(throws: JourneyFileError.self) { try world.node(type, [property: value]) }
    #expect(error?.property == property)
  }

  @Test func `a level belongs to one user: when the journey goes on about another, it is nothing`()
    async throws
  {
    var state = JourneyState(username: "mira")
    state.changeAuthLevel(by: 2)
    state.noteAuthentication(at: .distantPast)
    state.username = "Mira"
    #expect(state.authLevel == 2)
    state.username = "rosa"
    #expect(state.authLevel == 0)
    #expect(state.authenticatedAt == nil)
    state.changeAuthLevel(by: 1)
    #expect(state.authLevel == 1)
    #expect(state.authenticatedAt == nil)
    state.username = "mira"
    #expect(state.authLevel == 0)
  }

  @Test func `no variable of the state is the level`() async throws {
    let world = try await World()
    var context = context()
    for name in ["authLevel", "AuthLevel", "assurance"] {
      context.state.shared[name] = 9
      context.state.transient[name] = 9
      context.state.secure[name] = 9
    }
    #expect(context.state.authLevel == 0)
    let node = try world.node("AuthLevelDecisionNode", ["authLevelRequirement": 1])
    #expect(try await node.evaluate(&context) == .outcome("false"))
  }

  @Test func `a right password is a proof, with its time; a wrong one is none`() async throws {
    let world = try await World()
    for (password, proves) in [(World.password, true), ("wrong", false)] {
      var visit = try world.visit(
        "DataStoreDecisionNode", state: JourneyState(username: "mira", password: password))
      _ = try await visit.evaluate()
      #expect(visit.state.authenticatedAt == (proves ? world.now : nil))
      #expect(visit.state.authLevel == 0)
    }
  }

  @Test
  func `session data come from the session that was presented, and only the user's name becomes a name`()
    async throws
  {
    let world = try await World()
    for (key, value) in [
      ("UserToken", "mira"), ("AuthLevel", "2"), ("Service", "SignIn"),
      ("authInstant", "2027-01-15T08:00:00Z"),
    ] {
      let node = try world.node(
        "SessionDataNode", ["sessionDataKey": .string(key), "sharedStateKey": "copy"])
      var with = context(session: session())
      #expect(try await node.evaluate(&with) == .outcome("outcome"))
      #expect(with.state.shared["copy"] == .string(value))
      var without = context()
      #expect(try await node.evaluate(&without) == .outcome("outcome"))
      #expect(without.state.shared["copy"] == nil)
    }
    #expect(throws: JourneyFileError.self) {
      try world.node("SessionDataNode", ["sessionDataKey": "Service", "sharedStateKey": "username"])
    }
  }

  @Test(arguments: [("MIRA", true), ("nobody", false)])
  func `an existing user is one that the store knows`(name: String, exists: Bool) async throws {
    let world = try await World()
    var visit = try world.visit("IdentifyExistingUserNode", state: JourneyState(username: name))
    #expect(try await visit.evaluate() == .outcome(exists ? "true" : "false"))
    #expect(visit.state.username == (exists ? "mira" : name))
    #expect(visit.state.authenticatedAt == nil)
  }

  @Test(
    arguments: [
      ("Login", 1, 1), ("BindDevice", 1, 2), ("BindDeviceNoPin", 1, 2), ("BindDeviceAttested", 1, 2),
      ("SignIn", 2, 2), ("SignTransaction", 0, 0), ("ApproveTransaction", 0, 0), ("PushRegister", 1, 2),
      ("PushSignIn", 2, 2), ("PushNumber", 2, 2), ("PushCode", 2, 2), ("PushBiometric", 2, 2),
      ("WebAuthnRegister", 1, 2), ("WebAuthnSignIn", 1, 2), ("Usernameless", 2, 2), ("OathSignIn", 2, 2),
      ("OathRegister", 1, 2), ("CombinedRegister", 1, 2), ("StepUp", 1, 2),
      ("PasskeyOrPassword", 1, 2),
    ])
  func `levels that the bundled journeys have on every way to success, and at most`(
    name: String, guaranteed: Int, reachable: Int
  ) async throws {
    let world = try await World()
    var catalog = JourneyCatalog(registry: NodeLibrary.registry(services: world.services))
    let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().appending(path: "journeys")
    // What runs inside some of them, and cannot be started.
    for file in ["ProveStrongestFactor", name] {
      try catalog.load(
        Array(Data(contentsOf: folder.appending(path: "\(file).journey.json"))), realm: "alpha", source: file)
    }
    let summary = try #require(catalog.summaries(realm: "alpha").first { $0.name == name })
    #expect((summary.guaranteedLevel, summary.reachableLevel) == (guaranteed, reachable))
    let takesOne = name == "StepUp" ? 2 : guaranteed
    #expect(catalog.journey(reaching: takesOne, realm: "alpha") == name)
    #expect(catalog.journey(reaching: 3, realm: "alpha") == nil)
    #expect(catalog.journey(reaching: 1, realm: "beta") == nil)
  }
}
