import Concurrency
import Foundation
import JourneyEngine
import StrictJSON
import Testing

/// Reads the answer and does nothing else; `retry` is asked for again.
private struct Reader: JourneyNode {
  let outcomes = ["outcome"]
  let stepUse = StepUse.later
  let log: Locked<[String]>

  func evaluate(_ context: inout NodeContext) async throws -> NodeResult {
    let hasStep = context.answeredStep != nil
    log.withLock { $0.append(hasStep ? "read with a step" : "read") }
    guard let text = context.reply?.text(), text != "retry" else {
      return .callbacks([OutgoingCallback(type: "NameCallback", outputs: [], inputs: [.init("", "")])])
    }
    context.state.username = text
    return .outcome("outcome")
  }
}

/// Uses the step up itself, as far as the name in the state lets it.
private struct User: JourneyNode {
  let outcomes = ["outcome"]
  let stepUse = StepUse.byNode
  let ledger: MemoryLedger
  let log: Locked<[String]>

  func evaluate(_ context: inout NodeContext) async throws -> NodeResult {
    let hasStep = context.answeredStep != nil
    log.withLock { $0.append(hasStep ? "decided with a step" : "decided without a step") }
    switch context.state.username {
    case "lazy": return .outcome("outcome")
    case "broken": throw SampleNodes.Broken(description: "before it has used the step")
    case "asks" where context.reply == nil:
      return .callbacks([OutgoingCallback(type: "NameCallback", outputs: [], inputs: [.init("", "")])])
    default:
      if let step = context.answeredStep {
        guard try await ledger.consume(step.key, until: step.expiry) else { throw StepWasUsed() }
        context.answeredStep = nil
      }
      return .outcome("outcome")
    }
  }
}

/// Asks, then makes the answer count in the write that uses the step up, as far as the answer lets it.
private struct Judge: JourneyNode {
  struct Failure: ServiceFailure {
    let isUnavailability = true
  }

  let outcomes = ["outcome"]
  let stepUse = StepUse.withAnswer
  let ledger: MemoryLedger
  let log: Locked<[String]>

  func evaluate(_ context: inout NodeContext) async throws -> NodeResult {
    guard let text = context.reply?.text() else {
      let hasStep = context.answeredStep != nil
      log.withLock { $0.append(hasStep ? "asked with a step" : "asked") }
      return .callbacks([OutgoingCallback(type: "NameCallback", outputs: [], inputs: [.init("", "")])])
    }
    log.withLock { $0.append("judged") }
    if text == "late" { throw StepWasUsed() }
    if text == "refused" { return .outcome("outcome") }
    guard let step = context.answeredStep else { return .outcome("outcome") }
    guard try await ledger.consume(step.key, until: step.expiry) else { throw StepWasUsed() }
    // What the write stored is there, and its answer was lost.
    if text == "lost" { throw Failure() }
    context.answeredStep = nil
    return .outcome("outcome")
  }
}

/// Does what must happen once.
private struct Effect: JourneyNode {
  let outcomes = ["outcome"]
  let log: Locked<[String]>
  func evaluate(_ context: inout NodeContext) async throws -> NodeResult {
    log.withLock { $0.append("effect") }
    return .outcome("outcome")
  }
}

/// When the step is used up whose answer a request brings.
@Suite("Using up a step") struct StepUseTests {
  private let ledger = MemoryLedger()
  private let log = Locked<[String]>([])

  /// A page, which only reads, then a node that uses the step itself, then one with an effect.
  private func fixture() throws -> Fixture {
    let (ledger, log) = (ledger, log)
    let registry = NodeRegistry([
      "Reader": { _ in Reader(log: log) }, "User": { _ in User(ledger: ledger, log: log) },
      "Effect": { _ in Effect(log: log) }, "Judge": { _ in Judge(ledger: ledger, log: log) },
    ])
    return try Fixture(
      journeyFile(
        [
          FileNode(
            "page", "PageNode", ["outcome": "user"],
            ["nodes": [["_id": "reader", "nodeType": "Reader", "displayName": "Reader"]]]),
          FileNode("user", "User", ["outcome": "effect"]),
          FileNode("effect", "Effect", ["outcome": .string(success)]),
        ], inner: [FileNode("reader", "Reader", [:])]), registry: registry, ledger: ledger)
  }

  private func reply(_ text: String) -> [JSONValue] { [posted("IDToken1", .string(text))] }

  @Test func `one write, by the node that decides; what only reads comes before it, effects after it`()
    async throws
  {
    let fixture = try fixture()
    let step = try await fixture.firstStep()
    log.withLock { $0 = [] }
    _ = try await fixture.success(fixture.answer(step, reply("ada")))
    #expect(log.withLock { $0 } == ["read", "decided with a step", "effect"])
    #expect(await ledger.writes == 1)
    // The second answer gets as far as the decision.
    log.withLock { $0 = [] }
    #expect(await refusal { try await fixture.answer(step, reply("ada")) }?.isStale == true)
    #expect(log.withLock { $0 } == ["read", "decided with a step"])
  }

  @Test func `of many answers at once one reaches the effect`() async throws {
    let fixture = try fixture()
    let step = try await fixture.firstStep()
    let reply = reply("ada")
    let stale = await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<32 {
        group.addTask { await refusal { try await fixture.answer(step, reply) }?.isStale == true }
      }
      return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    #expect(stale == 31)
    #expect(log.withLock { $0.count { $0 == "effect" } } == 1)
  }

  @Test(arguments: ["lazy", "broken", "asks", "retry"])
  func `a step that no node has used up is used up before an effect, and before the client gets an answer`(
    text: String
  ) async throws {
    let fixture = try fixture()
    let step = try await fixture.firstStep()
    _ = try await fixture.answer(step, reply(text))
    #expect(await ledger.writes == 1)
    log.withLock { $0 = [] }
    let second = await refusal { try await fixture.answer(step, reply(text)) }
    #expect(second?.isStale == true || second == .ended)
    #expect(log.withLock { !$0.contains("effect") })
  }

  @Test func `a node whose own question was answered finds the step used up`() async throws {
    let fixture = try fixture()
    let second = try await fixture.step(fixture.answer(fixture.firstStep(), reply("asks")))
    log.withLock { $0 = [] }
    _ = try await fixture.success(fixture.answer(second, reply("anything")))
    #expect(log.withLock { $0 } == ["decided without a step", "effect"])
    #expect(await ledger.writes == 2)
  }

  /// A page, then a node that asks and judges, then one with an effect.
  private func judging() async throws -> (Fixture, JourneyStep) {
    let (ledger, log) = (ledger, log)
    let fixture = try Fixture(
      journeyFile(
        [
          FileNode("reader", "Reader", ["outcome": "judge"]),
          FileNode("judge", "Judge", ["outcome": "effect"]),
          FileNode("effect", "Effect", ["outcome": .string(success)]),
        ]),
      registry: NodeRegistry([
        "Reader": { _ in Reader(log: log) }, "Judge": { _ in Judge(ledger: ledger, log: log) },
        "Effect": { _ in Effect(log: log) },
      ]), ledger: ledger)
    let question = try await fixture.step(fixture.answer(fixture.firstStep(), reply("ada")))
    #expect(log.withLock { $0.suffix(1) } == ["asked"], "the step before is used up before a question")
    #expect(await ledger.writes == 1)
    log.withLock { $0 = [] }
    return (fixture, question)
  }

  @Test func `a node that is answered uses the step up in the write that makes the answer count`()
    async throws
  {
    let (fixture, question) = try await judging()
    _ = try await fixture.success(fixture.answer(question, reply("right")))
    #expect(await ledger.writes == 2)
    #expect(await refusal { try await fixture.answer(question, reply("right")) }?.isStale == true)
    #expect(log.withLock { $0 } == ["judged", "effect", "judged"])
  }

  @Test func `of fifty answers at once that are judged, one counts`() async throws {
    let (fixture, question) = try await judging()
    let reply = reply("right")
    let stale = await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<50 {
        group.addTask { await refusal { try await fixture.answer(question, reply) }?.isStale == true }
      }
      return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    #expect(stale == 49)
    #expect(log.withLock { $0.count { $0 == "effect" } } == 1)
  }

  @Test func `an answer that does not count uses the step up before anything else happens`() async throws {
    let (fixture, question) = try await judging()
    _ = try await fixture.success(fixture.answer(question, reply("refused")))
    #expect(await ledger.writes == 2)
    log.withLock { $0 = [] }
    for text in ["right", "refused"] {
      #expect(await refusal { try await fixture.answer(question, reply(text)) }?.isStale == true)
    }
    #expect(log.withLock { $0 } == ["judged", "judged"])
  }

  @Test func `an answer that comes too late is stale, and nothing comes of it`() async throws {
    let (fixture, question) = try await judging()
    #expect(await refusal { try await fixture.answer(question, reply("late")) }?.isStale == true)
    #expect(log.withLock { $0 } == ["judged"])
  }

  @Test func `a write whose answer was lost is no refusal, though it used the step up`() async throws {
    let (fixture, question) = try await judging()
    guard case .unavailable? = await refusal(of: { try await fixture.answer(question, reply("lost")) }) else {
      Issue.record("not refused as unavailable")
      return
    }
    #expect(log.withLock { $0 } == ["judged"])
  }

  @Test(arguments: ["ada", "lazy", "broken", "asks", "retry"])
  func `a ledger that cannot write leaves the step unanswered, whoever was to use it up`(text: String)
    async throws
  {
    let fixture = try fixture()
    let step = try await fixture.firstStep()
    await ledger.breakDown()
    log.withLock { $0 = [] }
    guard case .unavailable? = await refusal(of: { try await fixture.answer(step, reply(text)) }) else {
      Issue.record("not refused as unavailable")
      return
    }
    #expect(log.withLock { !$0.contains("effect") })
  }

  // MARK: Answers that are sent again

  @Test
  func `an answer that ended its run in failure says so when it is sent again, and nothing else happens`()
    async throws
  {
    let fixture = try fixture()
    let step = try await fixture.firstStep()
    _ = try await fixture.failure(fixture.answer(step, reply("broken")))
    let kept = await ledger.count
    log.withLock { $0 = [] }
    for text in ["broken", "ada", "retry"] {
      #expect(await refusal { try await fixture.answer(step, reply(text)) } == .ended)
    }
    #expect(log.withLock { !$0.contains("effect") })
    #expect(await ledger.count == kept, "the mark is a row of its own")
  }

  @Test
  func `an answer that ended its run in success says the same, once whoever made the session has noted it`()
    async throws
  {
    let fixture = try fixture()
    let step = try await fixture.firstStep()
    let success = try await fixture.success(fixture.answer(step, reply("ada")))
    #expect(await refusal { try await fixture.answer(step, reply("ada")) }?.isStale == true)
    let answered = try #require(success.answeredStep)
    await fixture.engine.noteEnd(of: answered)
    #expect(await refusal { try await fixture.answer(step, reply("ada")) } == .ended)
  }

  @Test func `an answer that led to another step is stale, also when the run has ended there`() async throws {
    let fixture = try fixture()
    let first = try await fixture.firstStep()
    let second = try await fixture.step(fixture.answer(first, reply("asks")))
    #expect(await refusal { try await fixture.answer(first, reply("asks")) }?.isStale == true)
    let success = try await fixture.success(fixture.answer(second, reply("anything")))
    await fixture.engine.noteEnd(of: try #require(success.answeredStep))
    #expect(await refusal { try await fixture.answer(first, reply("asks")) }?.isStale == true)
    #expect(await refusal { try await fixture.answer(second, reply("anything")) } == .ended)
  }

  @Test func `a run that no answer ended has no step to note`() async throws {
    let fixture = try Fixture(
      journeyFile([FileNode("effect", "Effect", ["outcome": .string(success)])]),
      registry: NodeRegistry(["Effect": { [log] _ in Effect(log: log) }]), ledger: ledger)
    #expect(try await fixture.success(fixture.start()).answeredStep == nil)
  }

  @Test func `an end is no business of an expired, foreign or changed authId`() async throws {
    let fixture = try fixture()
    let step = try await fixture.firstStep()
    _ = try await fixture.failure(fixture.answer(step, reply("broken")))
    let beta = RequestFacts(realm: "beta")
    let foreign = await refusal {
      try await fixture.engine.resume(authID: step.authID, callbacks: reply("broken"), request: beta)
    }
    #expect(foreign?.isStale == true)
    fixture.advance(301)
    #expect(await refusal { try await fixture.answer(step, reply("broken")) }?.isStale == true)
  }

  @Test func `a ledger that cannot note the end changes nothing for the client`() async throws {
    let fixture = try fixture()
    let step = try await fixture.firstStep()
    await ledger.breakNotes()
    _ = try await fixture.failure(fixture.answer(step, reply("broken")))
    #expect(await refusal { try await fixture.answer(step, reply("broken")) }?.isStale == true)
  }
}
