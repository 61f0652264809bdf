import BindingFormats
import Bytes
import Foundation
import JourneyEngine
import JourneyStore
import StrictJSON
import Testing

@testable import JourneyNodes

@Suite("Nodes that wait, and doing without") struct PushWaitTests {
  @Test func `push Wait shows text and button, the number when there is one, and is done after its time`()
    async throws
  {
    let world = try await World()
    for number in [nil, "42"] {
      var visit = try world.visit(
        "PushWaitNode",
        ["waitingMessage": ["en": "{{time}} s"], "challengeMessage": ["en": "Pick {{challenge}}"]])
      visit.state.shared["pushNumberChallengeKey"] = number.map(JSONValue.string)
      let callbacks = try await visit.ask()
      let types =
        ["PollingWaitCallback"] + (number == nil ? [] : ["HiddenValueCallback"]) + ["ConfirmationCallback"]
      #expect(callbacks.map(\.type) == types)
      #expect(callbacks[0].output("waitTime") == "5000")
      #expect(callbacks[0].output("message") == (number == nil ? "5 s" : "Pick 42"))
      if number != nil {
        #expect(callbacks[1].output("id") == "pushChallengeNumber" && callbacks[1].output("value") == "42")
      }
      world.advance(4)
      #expect(try await visit.ask()[0].output("waitTime") == "1000")
      var left = visit
      world.advance(1)
      #expect(try await visit.evaluate() == .outcome("DONE"))
      #expect(visit.state.shared["n.end_time"] == nil)
      let press = [[String: JSONValue]](repeating: [:], count: types.count - 1) + [["": 0]]
      #expect(try await left.evaluate(CallbackReply(callbacks: press)) == .outcome("EXITED"))
      #expect(left.state.shared["n.end_time"] == nil)
    }
  }

  @Test
  func `polling Wait is done after its time; posts that come too early are spam when it looks for that`()
    async throws
  {
    let world = try await World()
    let properties: JSONObject = [
      "secondsToWait": 3, "spamDetectionEnabled": true, "spamDetectionTolerance": 2, "exitable": true,
    ]
    #expect(try world.node("PollingWaitNode").outcomes == ["DONE"])
    #expect(try world.node("PollingWaitNode", properties).outcomes == ["DONE", "EXITED", "SPAM"])
    var visit = try world.visit("PollingWaitNode", properties)
    for _ in 0..<3 {
      #expect(try await visit.ask().map(\.type) == ["PollingWaitCallback", "ConfirmationCallback"])
    }
    var patient = visit
    #expect(try await visit.evaluate() == .outcome("SPAM"))
    #expect(visit.state.shared.isEmpty)
    world.advance(3)
    #expect(try await patient.evaluate() == .outcome("DONE"))
    #expect(patient.state.shared.isEmpty)
  }

  @Test(arguments: [Int64.min, .max])
  func `waiting takes any number that a script or another host has put into state`(
    _ number: Int64
  ) async throws {
    let world = try await World()
    var wait = try world.visit("PushWaitNode")
    wait.state.shared["pushMessageExpiration"] = .integer(number)
    #expect(try await wait.ask()[0].type == "PollingWaitCallback")
    var poll = try world.visit(
      "PollingWaitNode", ["spamDetectionEnabled": true, "spamDetectionTolerance": 2])
    _ = try await poll.ask()
    poll.state.shared["n.spam_count"] = .integer(number)
    if number > 0 {
      #expect(try await poll.evaluate() == .outcome("SPAM"))
    } else {
      #expect(try await poll.ask().map(\.type) == ["PollingWaitCallback"])
    }
  }

  @Test func `opting out makes push skippable; other methods are refused`() async throws {
    let world = try await World()
    var visit = try world.visit("OptOutMultiFactorAuthenticationNode", state: JourneyState(username: "mira"))
    visit.state.shared["mfaMethod"] = "push"
    #expect(try await visit.evaluate() == .outcome("outcome"))
    #expect(
      try await world.store.pushDevices.skipSetting(of: UniversalID(username: "mira", realm: "alpha"))
        == .skippable)
    visit.state.shared["mfaMethod"] = "other"
    await #expect(throws: NodeError.self) { try await visit.evaluate() }
  }
}
