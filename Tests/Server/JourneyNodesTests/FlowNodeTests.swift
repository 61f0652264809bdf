import BindingFormats
import Foundation
import JourneyEngine
import JourneyStore
import StrictJSON
import Testing

@testable import JourneyNodes

@Suite("Nodes about the way through a journey")
struct FlowNodeTests {
  // MARK: Tries

  @Test func `a journey is tried again until the limit`() async throws {
    let world = try await World()
    var visit = try world.visit(
      "RetryLimitDecisionNode", ["retryLimit": 2, "incrementUserAttributeOnFailure": false])
    for outcome in ["Retry", "Retry", "Reject", "Reject"] {
      #expect(try await visit.evaluate() == .outcome(outcome))
    }
  }

  @Test func `a count that another host's answer has raised to the largest number rejects`() async throws {
    let world = try await World()
    var visit = try world.visit("RetryLimitDecisionNode", ["incrementUserAttributeOnFailure": false])
    visit.state.shared["n.retryCount"] = .integer(.max)
    #expect(try await visit.evaluate() == .outcome("Reject"))
  }

  @Test func `tries of an account count across journeys, and are forgotten after an hour`() async throws {
    let world = try await World()
    let state = JourneyState(username: "mira")
    for outcome in ["Retry", "Retry", "Reject"] {
      var visit = try world.visit("RetryLimitDecisionNode", ["retryLimit": 2], state: state)
      #expect(try await visit.evaluate() == .outcome(outcome))
    }
    #expect(
      try await world.users.read("managed/user/\(world.user().id)", realm: "alpha")?["retryLimitNodeCount"]
        == nil)
    world.advance(3601)
    var visit = try world.visit("RetryLimitDecisionNode", ["retryLimit": 2], state: state)
    #expect(try await visit.evaluate() == .outcome("Retry"))
  }

  // MARK: Choices and messages

  @Test func `each choice is an outcome`() async throws {
    var visit = try await World().visit(
      "ChoiceCollectorNode",
      ["choices": ["Proceed", "Cancel"], "defaultChoice": "Cancel", "prompt": "Go on?"])
    #expect(visit.node.outcomes == ["Proceed", "Cancel"])
    let asked = try await visit.ask()
    #expect(asked[0].type == "ChoiceCallback" && asked[0].output("defaultChoice") == 1)
    #expect(asked[0].output("prompt") == "Go on?" && asked[0].output("choices") == ["Proceed", "Cancel"])
    for bad in [2, -1, "x", .null] as [JSONValue] {
      #expect(try await visit.answer(["": bad]) == .callbacks(asked))
    }
    #expect(try await visit.answer(["": 0]) == .outcome("Proceed"))
  }

  @Test(
    arguments: [
      [:], ["choices": []], ["choices": [""]], ["choices": [[]]],
      ["choices": .array((0...100).map { .string("\($0)") })],
    ] as [JSONObject])
  func `a node without choices that can be shown cannot be made`(properties: JSONObject)
    async throws
  {
    let world = try await World()
    #expect(throws: JourneyFileError.self) { _ = try world.node("ChoiceCollectorNode", properties) }
  }

  @Test(
    arguments: [
      (["choices": ["a", "b"], "defaultChoice": "none-none"], ["a", "b"]),
      (["choices": ["a", "b", "a", ""], "defaultChoice": ""], ["a", "b"]), (["choices": "a"], ["a"]),
    ] as [(JSONObject, [String])])
  func `a default that is no choice is the first, and a choice is offered once`(
    properties: JSONObject, choices: [String]
  ) async throws {
    var visit = try await World().visit("ChoiceCollectorNode", properties)
    #expect(visit.node.outcomes == choices)
    #expect(try await visit.ask()[0].output("defaultChoice") == 0)
  }

  @Test func `a message has two buttons, and may note which was pressed`() async throws {
    let world = try await World()
    var visit = try world.visit(
      "MessageNode",
      ["message": ["en": "Ready?"], "messageYes": ["en": "Go"], "messageNo": [:], "stateField": "isReady"])
    let asked = try await visit.ask()
    #expect(asked[0].output("message") == "Ready?" && asked[1].output("options") == ["Go", "No"])
    #expect(asked[1].output("defaultOption") == 1 && asked[1].inputs == [.init("", 0)])
    #expect(try await visit.answer([:], ["": 7]) == .callbacks(asked))
    #expect(try await visit.answer([:], ["": 1]) == .outcome("false"))
    #expect(visit.state.shared["isReady"] == "false")
    #expect(throws: JourneyFileError.self) { _ = try world.node("MessageNode", ["stateField": "username"]) }
  }

  // MARK: Accounts

  @Test func `an account is locked and unlocked, and the last administrator is not`() async throws {
    let world = try await World()
    var lock = try world.visit(
      "AccountLockoutNode", ["lockAction": "LOCK"], state: JourneyState(username: "mira"))
    #expect(try await lock.evaluate() == .outcome("outcome"))
    #expect(try await !world.user().isActive)
    var unlock = try world.visit(
      "AccountLockoutNode", ["lockAction": "UNLOCK"], state: JourneyState(username: "mira"))
    #expect(try await unlock.evaluate() == .outcome("outcome"))
    #expect(try await world.user().isActive)
    try await world.store.createUser(
      UserRecord(realm: "root", username: "amAdmin", isAdministrator: true, createdAt: world.now))
    lock.request.realm = "root"
    lock.state.username = "amAdmin"
    #expect(try await lock.evaluate() == .outcome("outcome"))
    #expect(try await world.store.user(named: "amAdmin", realm: "root")?.isActive == true)
  }

  @Test func `nobody becomes an account with a role without a proof`() async throws {
    let world = try await World()
    var visit = try world.visit("AnonymousUserNode", ["anonymousUserName": "ROSA"])
    #expect(try await visit.evaluate() == .outcome("outcome"))
    #expect(visit.state.username == "rosa" && visit.state.authenticatedAt == nil)
    try await world.store.createUser(
      UserRecord(realm: "alpha", username: "boss", isAdministrator: true, createdAt: world.now))
    var boss = try world.visit("AnonymousUserNode", ["anonymousUserName": "boss"])
    await #expect(throws: NodeError.self) { _ = try await boss.evaluate() }
  }

  @Test(arguments: ["LdapDecisionNode", "AgentDataStoreDecisionNode"])
  func `other stores' decisions are made by this server's accounts, and say so`(type: String) async throws {
    let world = try await World()
    var visit = try world.visit(
      type, ["primaryServers": ["ldap.example.com:389"]],
      state: JourneyState(username: "mira", password: World.password))
    #expect(!(visit.node.warnings + visit.node.notes).isEmpty)
    let right = try await visit.evaluate()
    #expect([.outcome("TRUE"), .outcome("true")].contains(right))
    visit.state = JourneyState(username: "mira", password: "wrong")
    #expect([.outcome("FALSE"), .outcome("false")].contains(try await visit.evaluate()))
    #expect(try await world.lockout().consecutiveFailures == 1)
  }

  // MARK: Ends

  @Test func `a journey says where clients go, and what they read`() async throws {
    let world = try await World()
    var url = try world.visit("SetSuccessUrlNode", ["successUrl": "https://app.example.com/in?x=1"])
    #expect(try await url.evaluate() == .outcome("outcome"))
    #expect(url.state.shared["successUrl"] == "https://app.example.com/in?x=1")
    var details = try world.visit(
      "SetSuccessDetailsNode", ["successDetails": ["plan": "gold"]], state: url.state)
    #expect(try await details.evaluate() == .outcome("outcome"))
    #expect(JourneyEndDetails.success(in: details.state) == ["plan": "gold"])
  }

  @Test(arguments: [
    "javascript:alert(1)", "//evil.example", "/\\evil.example", "", "ftp://x", "https://a b",
    "data:text/html,x", "\nhttps://x",
  ])
  func `an address that a browser must not follow is never set`(url: String) async throws {
    let world = try await World()
    for (type, property) in [("SetSuccessUrlNode", "successUrl"), ("SetFailureUrlNode", "failureUrl")] {
      var visit = try world.visit(type, [property: .string(url)])
      #expect(try await visit.evaluate() == .outcome("outcome"))
      #expect(visit.state.shared[property] == nil)
    }
  }

  @Test(arguments: [["tokenId": "x"], ["errorCode": "110"], ["a": 5]] as [JSONObject])
  func `details do not stand for the server's own members`(details: JSONObject) async throws {
    var visit = try await World().visit("SetSuccessDetailsNode", ["successDetails": .object(details)])
    _ = try await visit.evaluate()
    #expect(JourneyEndDetails.success(in: visit.state) == (details["a"] == nil ? [:] : ["a": "5"]))
  }

  // MARK: Profiles of devices

  static let profile: JSONObject = [
    "identifier": "d1",
    "metadata": ["platform": ["platform": "ios", "version": "18"], "hardware": ["cpu": 6]],
  ]

  @Test func `a device is known again while little of it has changed`() async throws {
    let world = try await World()
    var state = JourneyState(username: "mira")
    state.shared["forgeRock.device.profile"] = .object(Self.profile)
    var match = try world.visit("DeviceMatchNode", state: state)
    #expect(try await match.evaluate() == .outcome("unknownDevice"))
    var save = try world.visit("DeviceSaveNode", state: state)
    #expect(try await save.evaluate() == .outcome("outcome"))
    #expect(try await match.evaluate() == .outcome("true"))
    var changed = Self.profile
    changed["metadata"] = [
      "platform": ["platform": "ios", "version": "19"], "hardware": ["cpu": 6, "memory": 8],
    ]
    match.state.shared["forgeRock.device.profile"] = .object(changed)
    #expect(try await match.evaluate() == .outcome("false"))
    var lenient = try world.visit("DeviceMatchNode", ["acceptableVariance": 2], state: match.state)
    #expect(try await lenient.evaluate() == .outcome("true"))
    world.advance(31 * 86_400)
    #expect(try await lenient.evaluate() == .outcome("unknownDevice"))
  }

  @Test func `the oldest profile goes when there are too many`() async throws {
    let world = try await World()
    for number in 1...4 {
      var state = JourneyState(username: "mira")
      state.shared["forgeRock.device.profile"] = ["identifier": .string("d\(number)")]
      var save = try world.visit("DeviceSaveNode", ["maxSavedProfiles": 2], state: state)
      #expect(try await save.evaluate() == .outcome("outcome"))
      world.advance(1)
    }
    #expect(DeviceProfileState.saved(of: try await world.user()).map(\.identifier) == ["d3", "d4"])
  }
}
