import BindingFormats
import Bytes
import Foundation
import JourneyEngine
import JourneyStore
import PushFormats
import StrictJSON
import Testing

@testable import JourneyNodes

@Suite("Push Result Verifier") struct PushResultVerifierTests {
  private func sent(_ world: World, _ type: String = "DEFAULT") async throws -> Visit {
    try await world.pushDevice()
    var sender = try world.sender(["pushType": .string(type)])
    _ = try await sender.evaluate()
    return try world.visit("PushResultVerifierNode", state: sender.state)
  }

  private func id(_ visit: Visit) -> String { visit.state.shared["pushMessageId"]?.stringValue ?? "" }

  private func expectClean(_ state: JourneyState) {
    for key in ["pushMessageId", "pushMessageExpiration", "t", "pushNumberChallengeKey"] {
      #expect(state.shared[key] == nil, "\(key)")
    }
  }

  @Test func `waits while nobody has answered, and says until when`() async throws {
    let world = try await World()
    var visit = try await sent(world)
    #expect(try await visit.evaluate() == .outcome("WAITING"))
    #expect(visit.state.shared["pushMessageExpiration"] == .integer((world.now + 120).millisecondsSince1970))
    #expect(visit.state.shared["pushMessageId"] != nil)
  }

  @Test func `counts the time from sending, not from its first visit`() async throws {
    let world = try await World()
    var visit = try await sent(world)
    world.advance(120)
    #expect(try await visit.evaluate() == .outcome("EXPIRED"))
    expectClean(visit.state)
  }

  @Test func `takes a message that is gone for an expired one`() async throws {
    let world = try await World()
    var visit = try await sent(world)
    _ = try await world.store.removePushMessage(id: id(visit), realm: "alpha")
    #expect(try await visit.evaluate() == .outcome("EXPIRED"))
    expectClean(visit.state)
  }

  @Test
  func
    `takes an approval, once, and notes the device's use; nothing of a number is left for a later message`()
    async throws
  {
    let world = try await World()
    var visit = try await sent(world, "CHALLENGE")
    let number = visit.state.shared["pushNumberChallengeKey"]?.stringValue
    world.advance(10)
    _ = try await world.store.decidePushMessage(
      id: id(visit), realm: "alpha", as: .approved, by: "m1", reason: nil, now: world.now)
    var again = visit
    #expect(try await visit.evaluate() == .outcome("TRUE"))
    expectClean(visit.state)
    #expect(
      visit.state.shared["pushContent"]?["challengeResponse"]?.integerValue == number.flatMap { Int64($0) })
    #expect(visit.state.shared["pushMechanismUid"] == "m1")
    #expect(
      try await world.store.pushDevices.all(of: UniversalID(username: "mira", realm: "alpha")).first?
        .lastAccessDate == world.now)
    #expect(try await again.evaluate() == .outcome("EXPIRED"))
    // A tap after a number shows no number.
    var sender = Visit(
      node: try world.node("PushAuthenticationSenderNode"), request: world.request, state: visit.state)
    #expect(try await sender.evaluate() == .outcome("SENT"))
    #expect(sender.state.shared["pushNumberChallengeKey"] == nil)
  }

  @Test func `uses the answered step up with the message, and changes nothing for a second answer`()
    async throws
  {
    let world = try await World()
    var visit = try await sent(world)
    let step = AnsweredStep(key: [1], expiry: world.now + 300)
    visit.step = step
    #expect(try await visit.evaluate() == .outcome("WAITING"))
    #expect(visit.step == step, "nothing was decided")
    _ = try await world.store.decidePushMessage(
      id: id(visit), realm: "alpha", as: .approved, by: "m1", reason: nil, now: world.now)
    #expect(try await world.store.consume([1], until: step.expiry))
    var late = visit
    await #expect(throws: StepWasUsed.self) { try await late.evaluate() }
    #expect(try await world.store.pushMessage(id: id(visit), realm: "alpha")?.state == .approved)
    visit.step = AnsweredStep(key: [2], expiry: step.expiry)
    #expect(try await visit.evaluate() == .outcome("TRUE"))
    #expect(visit.step == nil)
    #expect(try await !world.store.consume([2], until: step.expiry))
  }

  @Test func `takes a denial, and keeps its reason for the operator`() async throws {
    let world = try await World()
    var visit = try await sent(world)
    _ = try await world.store.decidePushMessage(
      id: id(visit), realm: "alpha", as: .denied, by: "m1", reason: "not me", now: world.now)
    #expect(try await visit.evaluate() == .outcome("FALSE"))
    expectClean(visit.state)
    #expect(visit.reasons.contains { $0.contains("not me") })
  }

  @Test func `takes the approval of a device that has been removed since for a denial`() async throws {
    let world = try await World()
    var visit = try await sent(world)
    _ = try await world.store.decidePushMessage(
      id: id(visit), realm: "alpha", as: .approved, by: "m1", reason: nil, now: world.now)
    _ = try await world.store.pushDevices.reset(UniversalID(username: "mira", realm: "alpha"))
    #expect(try await visit.evaluate() == .outcome("FALSE"))
    expectClean(visit.state)
    #expect(visit.state.shared["pushMechanismUid"] == nil)
    #expect(visit.reasons.contains { $0.contains("the device has been removed") })
  }

  @Test func `accepts no approval for another user than the journey's, and none after a lock`() async throws {
    let world = try await World()
    var visit = try await sent(world)
    _ = try await world.store.decidePushMessage(
      id: id(visit), realm: "alpha", as: .approved, by: "m1", reason: nil, now: world.now)
    var locked = visit
    visit.state.username = "rosa"
    await #expect(throws: NodeError.self) { try await visit.evaluate() }
    locked.state.shared["pushMessageId"] = nil
    await #expect(throws: NodeError.self) { try await locked.evaluate() }
  }
}
