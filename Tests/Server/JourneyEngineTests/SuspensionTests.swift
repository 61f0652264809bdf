import Bytes
import CommonFixtures
import Concurrency
import Foundation
import JourneyEngine
import StrictJSON
import Testing

@Suite("Suspended journeys")
struct SuspensionTests {
  private static let nodes = [
    FileNode("a", "Ask", ["outcome": "s"]), FileNode("s", "Suspend", ["outcome": "b"]),
    FileNode("b", "Ask", ["outcome": .string(success)]),
  ]

  /// A run that waits for its link.
  private func waiting(_ fixture: Fixture) async throws -> JourneyStep {
    try await fixture.step(fixture.answer(fixture.firstStep(), [posted("IDToken1", "ada")]))
  }

  @Test func `the client is told what to do, and the link goes on with all that was collected`() async throws
  {
    let fixture = try Fixture(journeyFile(Self.nodes))
    let step = try await waiting(fixture)
    #expect(step.callbacks.map { $0["type"] } == ["SuspendedTextOutputCallback"])
    #expect(step.callbacks[0]["output"]?[0] == ["name": "message", "value": "Look into your mail"])
    // Another device, another engine: only store, key and files are shared.
    fixture.advance(299)
    let next = try await fixture.step(fixture.resume(fixture.linkID()))
    let end = try await fixture.success(fixture.answer(next, [posted("IDToken1", "ada")]))
    #expect(end.state.shared["back"] == "before" && end.state.shared["a"] == [["": "ada"]])
  }

  @Test func `the store has the hash of the id, and nothing by which the journey goes on`() async throws {
    let fixture = try Fixture(journeyFile(Self.nodes))
    _ = try await waiting(fixture)
    let id = try fixture.linkID()
    let kept = try #require(await fixture.suspensions.kept.first)
    #expect(kept.key.hash.count == 64 && kept.key.hash != id)
    #expect(await refusal { try await fixture.resume(kept.key.hash) }?.isNotSuspended == true)
    _ = try await fixture.step(fixture.resume(id))
  }

  @Test func `answering the step instead of following the link gives the same step again`() async throws {
    let fixture = try Fixture(journeyFile(Self.nodes))
    let step = try await waiting(fixture)
    for callbacks in [[], [posted("IDToken1", "x")]] {
      #expect(try await fixture.step(fixture.answer(step, callbacks)) == step)
    }
    _ = try await fixture.step(fixture.resume(fixture.linkID()))
  }

  @Test func `of many who follow the link at once, one goes on`() async throws {
    let fixture = try Fixture(journeyFile(Self.nodes))
    _ = try await waiting(fixture)
    let id = try fixture.linkID()
    let steps = await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<16 { group.addTask { (try? await fixture.resume(id)) != nil } }
      return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
    }
    #expect(steps == 1)
  }

  /// Ways in which a link is not good.
  enum Fault: String, CaseIterable { case used, late, otherRealm, changed, short, empty, unknown }

  @Test(arguments: Fault.allCases)
  func `a link that is not good has no effect`(fault: Fault) async throws {
    let fixture = try Fixture(journeyFile(Self.nodes))
    _ = try await waiting(fixture)
    let good = try fixture.linkID()
    var id = good
    switch fault {
    case .used: _ = try await fixture.resume(id)
    case .late: fixture.advance(300)
    case .changed: id = id.withAnotherStart
    case .short: id = String(id.dropLast())
    case .empty: id = ""
    case .unknown: id = Base64URL.encode([UInt8](repeating: 1, count: 32))
    case .otherRealm: break
    }
    let (bad, realm) = (id, fault == .otherRealm ? "beta" : "alpha")
    #expect(await refusal { try await fixture.resume(bad, realm: realm) }?.isNotSuspended == true)
    switch fault {
    case .used, .late: #expect(await refusal { try await fixture.resume(good) }?.isNotSuspended == true)
    default: _ = try await fixture.step(fixture.resume(good))
    }
  }

  @Test func `a journey inside another is suspended and resumed at its place`() async throws {
    let fixture = try Fixture(
      journeyFile([
        FileNode(
          "i", "InnerTreeEvaluatorNode", ["true": "c"], ["tree": "Inner"]),
        FileNode("c", "Count", ["outcome": .string(success)]),
      ]), journeyFile(Self.nodes, name: "Inner"))
    _ = try await waiting(fixture)
    let next = try await fixture.step(fixture.resume(fixture.linkID()))
    let end = try await fixture.success(fixture.answer(next, [posted("IDToken1", "ada")]))
    #expect(end.state.shared["count"] == 1 && end.state.shared["back"] == "before")
  }

  @Test func `when the link cannot be sent, the journey fails and nothing is left`() async throws {
    let fixture = try Fixture(
      journeyFile([FileNode("s", "Suspend", ["outcome": .string(success)])]))
    var state = JourneyState()
    state.shared["broken"] = true
    let end = try await fixture.failure(
      fixture.engine.start(journey: "J", state: state, request: fixture.request))
    #expect(end.reasons.last?.contains("no mail") == true)
    #expect(await fixture.suspensions.kept.isEmpty)
  }

  @Test func `a server that does not know its own address makes no link`() async throws {
    let fixture = try Fixture(journeyFile([FileNode("s", "Suspend", ["outcome": .string(success)])]))
    let end = try await fixture.failure(
      fixture.engine.start(
        journey: "J", request: RequestFacts(realm: "alpha", baseURL: "http://evil.example/am")))
    #expect(end.reasons.last?.contains("--public-url") == true)
    #expect(await fixture.suspensions.kept.isEmpty)
  }

  @Test func `a node inside a page cannot suspend the journey`() async throws {
    let fixture = try Fixture(
      journeyFile(
        [
          FileNode(
            "p", "PageNode", ["outcome": .string(success)], ["nodes": [["_id": "s", "nodeType": "Suspend"]]])
        ],
        inner: [FileNode("s", "Suspend", [:])]))
    _ = try await fixture.failure(fixture.start())
  }

  @Test func `a journey whose file changed while it waited finishes on the one it began with`() async throws {
    let fixture = try Fixture(journeyFile(Self.nodes))
    _ = try await waiting(fixture)
    let id = try fixture.linkID()
    try fixture.replace([FileNode("other", "Ask", ["outcome": .string(failure)])], keeps: true)
    let next = try await fixture.step(fixture.resume(id))
    _ = try await fixture.success(fixture.answer(next, [posted("IDToken1", "ada")]))
  }
}

@Suite("Versions of journeys")
struct JourneyVersionTests {
  private static let old = [
    FileNode("a", "Ask", ["outcome": "b"]), FileNode("b", "Ask", ["outcome": .string(success)]),
  ]
  private static let new = [FileNode("a", "Ask", ["outcome": .string(failure)])]

  @Test func `a run finishes on the version that it began with, and new ones begin on the new one`()
    async throws
  {
    let fixture = try Fixture(journeyFile(Self.old))
    let step = try await fixture.firstStep()
    try fixture.replace(Self.new, keeps: true)
    let second = try await fixture.step(fixture.answer(step, [posted("IDToken1", "ada")]))
    _ = try await fixture.success(fixture.answer(second, [posted("IDToken1", "ada")]))
    _ = try await fixture.failure(fixture.answer(fixture.firstStep(), [posted("IDToken1", "ada")]))
  }

  @Test func `on a server without that version the run is over, with a reason`() async throws {
    let fixture = try Fixture(journeyFile(Self.old))
    let step = try await fixture.firstStep()
    try fixture.replace(Self.new, keeps: false)
    let refused = await refusal { try await fixture.answer(step, [posted("IDToken1", "ada")]) }
    #expect(refused?.isStale == true && refused?.description.contains("version") == true)
  }

  @Test func `the same content is the same version on any server`() async throws {
    let fixture = try Fixture(journeyFile(Self.old))
    let step = try await fixture.firstStep()
    try fixture.replace(Self.old, keeps: false)
    _ = try await fixture.step(fixture.answer(step, [posted("IDToken1", "ada")]))
  }

  @Test func `a journey that was taken away or switched off ends its runs`() async throws {
    for tree in [["enabled": false], nil] as [JSONObject?] {
      let fixture = try Fixture(journeyFile(Self.old))
      let step = try await fixture.firstStep()
      try fixture.replace(
        tree == nil ? [] : Self.old, name: tree == nil ? "Other" : "J",
        tree: tree ?? ["entryNodeId": .string(success)], keeps: true)
      #expect(await refusal { try await fixture.answer(step, [posted("IDToken1", "ada")]) }?.isStale == true)
    }
  }

  @Test func `a change of an inner journey does not reach runs under way`() async throws {
    func inner(_ end: String) -> JSONObject {
      journeyFile([FileNode("a", "Ask", ["outcome": .string(end)])], name: "Inner")
    }
    let outer = journeyFile([
      FileNode(
        "i", "InnerTreeEvaluatorNode", ["true": .string(success), "false": .string(failure)],
        ["tree": "Inner"])
    ])
    let fixture = try Fixture(outer, inner(success))
    let step = try await fixture.firstStep()
    try fixture.replace(files: [outer, inner(failure)], keeps: true)
    _ = try await fixture.success(fixture.answer(step, [posted("IDToken1", "ada")]))
    _ = try await fixture.failure(fixture.answer(fixture.firstStep(), [posted("IDToken1", "ada")]))
  }

  @Test func `old versions are forgotten when no run can be on them`() async throws {
    let fixture = try Fixture(journeyFile(Self.old))
    let step = try await fixture.firstStep()
    try fixture.replace(Self.new, keeps: true)
    try fixture.replace(Self.new, keeps: true, at: 1001)
    #expect(await refusal { try await fixture.answer(step, [posted("IDToken1", "ada")]) }?.isStale == true)
  }
}

extension Fixture {
  func replace(
    _ nodes: [FileNode], name: String = "J", tree: JSONObject = [:], keeps: Bool, at seconds: TimeInterval = 0
  ) throws {
    try replace(files: [journeyFile(nodes, name: name, tree: tree)], keeps: keeps, at: seconds)
  }

  /// Serves these files in place of those before, which runs under way keep for 1000 seconds, or not.
  func replace(files: [JSONObject], keeps: Bool, at seconds: TimeInterval = 0) throws {
    var next = JourneyCatalog(registry: SampleNodes.registry)
    for file in files { try next.load(file.serialized, realm: "alpha", source: "test.json") }
    let now = time.withLock { $0 } + seconds
    let old = catalog.withLock { $0 }
    serve(keeps ? next.succeeding(old, now: now, until: now + 1000) : next)
  }
}
