import Concurrency
import Foundation
import JourneyEngine
import StrictJSON
import Testing

@testable import JourneyNodes

@Suite("Nodes about the journey's state, and measurements")
struct StateNodeTests {
  // MARK: Setting

  @Test func `fixed texts go into shared state, over what was there`() async throws {
    let world = try await World()
    var visit = try world.visit(
      "SetStateNode", ["attributes": ["custom": "dummy value", "level": 3, "isNew": true]],
      state: JourneyState(shared: ["custom": "before", "other": "kept"]))
    #expect(visit.node.outcomes == ["outcome"] && visit.node.stateOutputs == ["custom", "level", "isNew"])
    #expect(try await visit.evaluate() == .outcome("outcome"))
    #expect(
      visit.state.shared == ["custom": "dummy value", "other": "kept", "level": "3", "isNew": "true"])
  }

  @Test(arguments: [
    "username", "_id", "objectAttributes", DeviceInState.terms, Evidence.numberVariable,
    TransactionJourney.requestKey,
  ])
  func `a file does not say whose journey it is, nor what other nodes answer for`(name: String) async throws {
    let world = try await World()
    let attributes = JSONObject([(name, JSONValue.string("amAdmin")), ("custom", .string("x"))])
    let properties: JSONObject = ["attributes": .object(attributes)]
    var visit = try world.visit("SetStateNode", properties, state: JourneyState(username: "mira"))
    #expect(try await visit.evaluate() == .outcome("outcome"))
    #expect(visit.state.username == "mira" && visit.state.shared["custom"] == "x")
    #expect(visit.state.shared[name] == (name == "username" ? "mira" : nil))
    let warning = try #require(
      world.warnings("SetStateNode", properties).first { $0.kind == .replacedValue })
    #expect(warning.property == "attributes" && warning.problem.contains(name))
  }

  @Test(
    arguments: ["x", ["a": ["b": 1]], ["": "x"], ["a": .null]] as [JSONValue])
  func `attributes that are no texts cannot be set`(attributes: JSONValue) async throws {
    let world = try await World()
    #expect(throws: JourneyFileError.self) { try world.node("SetStateNode", ["attributes": attributes]) }
    #expect(world.warnings("SetStateNode", ["attributes": attributes]).contains { $0.kind == .unplayable })
  }

  // MARK: Metadata

  @Test func `clients are sent variables of shared state, and any answer goes on`() async throws {
    let world = try await World()
    var state = JourneyState(username: "mira")
    state.shared["custom"] = ["n": 1]
    state.transient["custom2"] = "never leaves the journey"
    state.secure["custom3"] = "neither does this"
    var visit = try world.visit(
      "MetadataNode", ["attributes": ["username", "custom", "custom2", "custom3", "missing"]], state: state)
    let asked = try await visit.ask()
    #expect(asked.map(\.type) == ["MetadataCallback"] && asked[0].inputs.isEmpty)
    #expect(asked[0].output("data") == ["username": "mira", "custom": ["n": 1]])
    // The SDKs do not send it back.
    #expect(try await visit.evaluate(CallbackReply(callbacks: [])) == .outcome("outcome"))
  }

  @Test func `passwords and hashed answers go to no client, wherever they stand`() async throws {
    let world = try await World()
    var state = JourneyState(collected: [
      "givenName": "Ada", "password": "secret", "kbaInfo": ["hash"], "list": [["userPassword": "secret"]],
    ])
    state.shared["password"] = "secret"
    state.transient["password"] = "secret"
    state.shared["oneTimePassword"] = "secret"
    let names: JSONObject = ["attributes": ["password", "oneTimePassword", "PASSWORD", "objectAttributes"]]
    var visit = try world.visit("MetadataNode", names, state: state)
    #expect(
      try await visit.ask()[0].output("data") == ["objectAttributes": ["givenName": "Ada", "list": [[:]]]])
    let warnings = world.warnings("MetadataNode", names).filter { $0.kind == .replacedValue }
    #expect(warnings.count == 3 && warnings[0].problem.contains("password"))
  }

  @Test func `metadata that is not there is an empty object`() async throws {
    var visit = try await World().visit("MetadataNode")
    #expect(try await visit.ask()[0].output("data") == [:])
  }

  // MARK: Measurements

  private final class Measured: Sendable {
    let counts = Locked<[String]>([])
    let times = Locked<[String: [Duration]]>([:])

    var metrics: NodeMetrics {
      NodeMetrics(
        count: { name in self.counts.withLock { $0.append(name) } },
        record: { name, time in self.times.withLock { $0[name, default: []].append(time) } })
    }
  }

  @Test func `the time between two nodes is measured, from one start as often as wanted`() async throws {
    var world = try await World()
    let measured = Measured()
    world.metrics = measured.metrics
    let property: JSONObject = ["startTimeProperty": "began"]
    var start = try world.visit("TimerStartNode", property)
    #expect(try await start.evaluate() == .outcome("outcome"))
    #expect(start.state.shared["began"] == .integer(1_800_000_000_000))
    var stop = try world.visit(
      "TimerStopNode", ["startTimeProperty": "began", "metricKey": "auth"], state: start.state)
    for seconds in [1.5, 2.5] {
      world.advance(seconds)
      #expect(try await stop.evaluate() == .outcome("outcome"))
    }
    #expect(measured.times.withLock { $0 } == ["auth": [.milliseconds(1500), .milliseconds(4000)]])
    var meter = try world.visit("MeterNode", ["metricKey": "seen"])
    #expect(try await meter.evaluate() == .outcome("outcome"))
    #expect(measured.counts.withLock { $0 } == ["seen"])
  }

  @Test(arguments: [nil, "x", -1, 1_800_000_000_001, .integer(.min)] as [JSONValue?])
  func `what is no moment before this one measures nothing`(start: JSONValue?) async throws {
    var world = try await World()
    let measured = Measured()
    world.metrics = measured.metrics
    var state = JourneyState()
    state.shared["began"] = start
    var stop = try world.visit(
      "TimerStopNode", ["startTimeProperty": "began", "metricKey": "auth"], state: state)
    #expect(try await stop.evaluate() == .outcome("outcome"))
    #expect(measured.times.withLock { $0 }.isEmpty && !stop.reasons.isEmpty)
  }

  @Test func `a timer writes no variable that others answer for, and a long name is cut`() async throws {
    let world = try await World()
    for name in ["username", "_id", "objectAttributes", Evidence.numberVariable, ""] {
      for type in ["TimerStartNode", "TimerStopNode"] {
        #expect(throws: JourneyFileError.self, "\(name)") {
          try world.node(type, ["startTimeProperty": .string(name)])
        }
      }
    }
    let long = world.warnings("MeterNode", ["metricKey": .string(String(repeating: "n", count: 65))])
    #expect(long.contains { $0.kind == .replacedValue && $0.property == "metricKey" })
  }

  // MARK: Keys in files

  @Test func `no key in a file that a journey names signs anybody in`() async throws {
    let world = try await World()
    let properties: JSONObject = ["authorizedKeys": "/etc/passwd"]
    var visit = try world.visit("AmsterJwtDecisionNode", properties)
    #expect(visit.node.outcomes == ["true", "false"])
    #expect(try await visit.evaluate() == .outcome("false"))
    #expect(visit.state == JourneyState())
    #expect(
      world.warnings("AmsterJwtDecisionNode", properties).contains { $0.problem.contains("authorizedKeys") })
  }
}
