import JourneyEngine
import StrictJSON
import Testing

@Suite("Running journeys")
struct RunningTests {
  @Test func `the default journey starts when none is named`() async throws {
    let fixture = try Fixture(
      journeyFile([FileNode("a", "Ask", ["outcome": .string(success)])], name: "Login"))
    _ = try await fixture.step(fixture.start(nil))
    #expect(await refusal { try await fixture.start("Logon") } == .unknownJourney("Logon"))
  }

  @Test func `success carries user, shared state, and no transient state`() async throws {
    let fixture = try Fixture(
      journeyFile([
        FileNode("a", "Ask", ["outcome": "d"]),
        FileNode("d", "Decide", ["true": .string(success)]),
      ]))
    let end = try await fixture.success(fixture.answer(fixture.firstStep(), [posted("IDToken1", "ada")]))
    #expect(end.username == "ada")
    #expect(end.realm == "alpha")
    #expect(!end.noSession)
    #expect(end.state.shared["a"] == [["": "ada"]])
    #expect(end.state.transient.isEmpty)
  }

  @Test(arguments: [0, 1, 2])
  func `noSession holds from whichever request or journey asked for it`(place: Int) async throws {
    let fixture = try Fixture(
      journeyFile(
        [FileNode("a", "Ask", ["outcome": .string(success)])],
        tree: place == 2 ? ["noSession": true] : [:]))
    let step = try await fixture.firstStep(options: JourneyOptions(noSession: place == 0))
    let end = try await fixture.engine.resume(
      authID: step.authID, callbacks: [posted("IDToken1", "ada")],
      options: JourneyOptions(noSession: place == 1), request: fixture.request)
    #expect(try fixture.success(end).noSession)
  }

  @Test func `the failure node gives PingAM's words to the client and the nodes' reasons to the operator`()
    async throws
  {
    let fixture = try Fixture(
      journeyFile([
        FileNode("d", "Decide", ["false": .string(failure)], ["takes": "false"])
      ]))
    let end = try await fixture.failure(fixture.start())
    #expect(end.message == "Login failure")
    #expect(end.detail == ["failureUrl": ""])
    #expect(end.reasons == ["The d (Decide d): took false"])
  }

  @Test func `a node's error is a failed login with the cause for the operator`() async throws {
    let fixture = try Fixture(
      journeyFile([FileNode("t", "Throw", ["outcome": .string(success)])]))
    let end = try await fixture.failure(fixture.start())
    #expect(end.message == "Login failure")
    #expect(end.reasons == ["The t (Throw t): the directory is away"])
  }

  @Test func `a node whose database is away refuses nobody`() async throws {
    let fixture = try Fixture(
      journeyFile([FileNode("t", "Away", ["outcome": .string(success)])]))
    var state = JourneyState()
    state.shared["isAway"] = true
    let refused = await refusal {
      try await fixture.engine.start(journey: "J", state: state, request: fixture.request)
    }
    guard case .unavailable = refused else {
      Issue.record("\(String(describing: refused))")
      return
    }
    // The same error with another value is a node's error like any other.
    #expect(try await fixture.failure(fixture.start()).message == "Login failure")
  }

  @Test func `an outcome without connection is a failed login`() async throws {
    let fixture = try Fixture(journeyFile([FileNode("d", "Decide", [:])]))
    let end = try await fixture.failure(fixture.start())
    #expect(end.reasons.last == "The d (Decide d): outcome true is not connected")
  }

  @Test func `an outcome that the node does not declare is a failed login`() async throws {
    let fixture = try Fixture(
      journeyFile([
        FileNode("d", "Decide", ["maybe": .string(success)], ["takes": "maybe"])
      ]))
    _ = try await fixture.failure(fixture.start())
  }

  @Test func `a circle of nodes that ask nothing ends`() async throws {
    let fixture = try Fixture(
      journeyFile([FileNode("a", "Count", ["outcome": "b"]), FileNode("b", "Count", ["outcome": "a"])]))
    let end = try await fixture.failure(fixture.start())
    #expect(end.reasons.last?.contains("more than 100 nodes") == true)
  }

  @Test func `a long way that is not a circle ends at its end`() async throws {
    let count = 100
    let nodes = (0..<count).map {
      FileNode(
        "n\($0)", "Count", ["outcome": .string($0 == count - 1 ? success : "n\($0 + 1)")])
    }
    let fixture = try Fixture(journeyFile(nodes))
    #expect(try await fixture.success(fixture.start()).state.shared["count"] == 100)
  }

  @Test func `a journey may start at its end`() async throws {
    let fixture = try Fixture(journeyFile([], tree: ["entryNodeId": .string(success)]))
    #expect(try await fixture.success(fixture.start()).username == nil)
  }

  @Test func `a node is asked again when it asks again, with its notes`() async throws {
    let fixture = try Fixture(
      journeyFile([FileNode("a", "Ask", ["outcome": .string(success)], ["accept": "yes"])])
    )
    var step = try await fixture.firstStep()
    for _ in 0..<3 { step = try await fixture.step(fixture.answer(step, [posted("IDToken1", "no")])) }
    _ = try await fixture.success(fixture.answer(step, [posted("IDToken1", "yes")]))
  }
}
