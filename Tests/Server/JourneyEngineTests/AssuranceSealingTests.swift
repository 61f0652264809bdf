import Foundation
import JourneyEngine
import StrictJSON
import Testing

@Suite("What a run has proven, between requests") struct AssuranceSealingTests {
  private static let session = PresentedSession(
    tokenHash: Array(0..<32), username: "ada", authLevel: 1, service: "Login",
    authenticatedAt: Date(timeIntervalSince1970: 1_799_999_999))

  private static let file = journeyFile([
    FileNode("r", "Raise", ["outcome": "a"]), FileNode("a", "Ask", ["outcome": .string(success)]),
  ])

  @Test func `level, proof, session and what was asked for stay sealed with the journey`() async throws {
    let fixture = try Fixture(Self.file)
    var state = JourneyState()
    state.username = "ada"
    state.noteAccount("id of ada")
    let started = try await fixture.engine.start(
      journey: "J", options: JourneyOptions(requiredLevel: 2, isUpgrade: true), state: state,
      session: Self.session, request: fixture.request)
    let end = try fixture.success(
      try await fixture.answer(try fixture.step(started), [posted("IDToken1", "Ada")]))
    #expect(end.state.authLevel == 3)
    #expect(end.state.accountID == "id of ada")
    #expect(end.state.authenticatedAt == Date(timeIntervalSince1970: 1_800_000_000))
    #expect(end.session == Self.session)
    #expect(end.options.requiredLevel == 2)
    #expect(end.options.isUpgrade)
  }

  @Test(arguments: [("ada", true), ("bob", false), ("Ada", false)])
  func `a journey for the session's own user ends where it finds somebody else, before the next node`(
    name: String, isOwn: Bool
  ) async throws {
    let fixture = try Fixture(
      journeyFile([
        FileNode("a", "Ask", ["outcome": "t"]), FileNode("t", "Throw", ["outcome": .string(success)]),
      ]))
    let started = try await fixture.engine.start(
      journey: "J", options: JourneyOptions(isOwn: true), session: Self.session, request: fixture.request)
    let end = try fixture.failure(
      try await fixture.answer(try fixture.step(started), [posted("IDToken1", .string(name))]))
    // What the node behind it says shows that it was evaluated.
    #expect(end.reasons.contains { $0.contains("the directory is away") } == isOwn)
    #expect(end.reasons.contains { $0.contains("started for \"ada\", and found \"\(name)\"") } == !isOwn)
  }

  @Test func `a continuation cannot change what the start asked for`() async throws {
    let fixture = try Fixture(Self.file)
    var state = JourneyState()
    state.username = "ada"
    let step = try fixture.step(
      try await fixture.engine.start(
        journey: "J", options: JourneyOptions(requiredLevel: 2), state: state, request: fixture.request))
    let end = try await fixture.engine.resume(
      authID: step.authID, callbacks: [posted("IDToken1", "ada")],
      options: JourneyOptions(requiredLevel: 0, isUpgrade: true), request: fixture.request)
    let success = try fixture.success(end)
    #expect(success.options.requiredLevel == 2)
    #expect(!success.options.isUpgrade)
    #expect(success.session == nil)
  }

  @Test func `a name that the client changes after the proof has no level`() async throws {
    let fixture = try Fixture(Self.file)
    var state = JourneyState()
    state.username = "ada"
    let step = try fixture.step(
      try await fixture.engine.start(journey: "J", state: state, request: fixture.request))
    let end = try fixture.success(try await fixture.answer(step, [posted("IDToken1", "bob")]))
    #expect(end.username == "bob")
    #expect(end.state.authLevel == 0)
    #expect(end.state.authenticatedAt == nil)
  }

  @Test func `a node's refusal tells the client what it can do, beside what it is always told`() async throws
  {
    let fixture = try Fixture(journeyFile([FileNode("r", "RefuseRun", ["outcome": .string(success)])]))
    let end = try await fixture.failure(fixture.start())
    #expect(end.message == "Login failure")
    #expect(end.detail == ["failureUrl": "", "authLevel": 2])
    #expect(end.reasons == ["The r (RefuseRun r): too weak"])
  }

  @Test(
    arguments: [
      // Two ways, and one that fails.
      (
        [
          FileNode("d", "Decide", ["true": "r", "false": "s"]),
          FileNode("r", "Raise", ["outcome": .string(success)]),
          FileNode("s", "Decide", ["true": .string(success), "false": .string(failure)]),
        ], 0, 3
      ),
      // A circle that raises the level each time round.
      (
        [
          FileNode("d", "Decide", ["true": "r", "false": .string(success)]),
          FileNode("r", "Raise", ["outcome": "d"]),
        ], 0, 1_000_000
      ),
      // A circle that lowers it: where levels have no bound, none is promised.
      (
        [
          FileNode("r", "Raise", ["outcome": "d"]),
          FileNode("d", "Decide", ["true": "l", "false": .string(success)]),
          FileNode("l", "Lower", ["outcome": "d"]),
        ], 0, 1_000_000
      ),
      // No way at all.
      ([FileNode("r", "Raise", ["outcome": .string(failure)])], 0, 0),
    ])
  func `the lowest and highest level of a journey's ways to success`(
    nodes: [FileNode], guaranteed: Int, reachable: Int
  ) throws {
    let fixture = try Fixture(journeyFile(nodes))
    let summary = try #require(fixture.engine.catalog.summaries(realm: "alpha").first)
    #expect((summary.guaranteedLevel, summary.reachableLevel) == (guaranteed, reachable))
  }
}
