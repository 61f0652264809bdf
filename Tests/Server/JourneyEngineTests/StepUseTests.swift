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
      "Effect": { _ in Effect(log: log) },
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
    #expect(await refusal { try await fixture.answer(step, reply(text)) }?.isStale == true)
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
}
