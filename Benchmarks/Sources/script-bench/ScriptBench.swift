import Accounts
import BenchmarkReport
import Foundation
import JourneyEngine
import JourneyNodes
import JourneyScripts
import JourneyStore
import StrictJSON

/// A script node beside a node that decides at once: what a script in a process of its own costs a journey.
///
/// Both are evaluated as the engine does it, one after the other. Then as many at a time as there are workers and more, because a
/// server has many journeys at once.
@main
struct ScriptBench {
  static func main() async throws {
    // The workers are this program.
    ScriptWorkerProgram.runIfAsked()
    let bench = try ScriptBench()
    try await bench.warmUp()
    try await bench.nodes()
    try await bench.throughput()
    try await bench.pacedRuns()
    // What they have left is given back after a while without work.
    try await Task.sleep(for: .seconds(1))
    bench.memory()
    try await bench.endlessScripts()
  }

  private func nodes() async throws {
    for (name, version, source) in Self.scripts {
      let node = try node(source, version: version)
      try await Comparison.measure(
        rounds: 7, turns: 10, runs: 10,
        base: { try await evaluate(empty) },
        subject: { try await evaluate(node) }
      ).report(base: "empty-node", subject: "script-node-\(name)", ratio: "script-node-\(name)-of-empty")
    }
  }

  /// A line; and what a script of an export does: reads state, a header, decides, writes.
  static let scripts = [
    ("line", "2.0", "action.goTo('true')"),
    (
      "decision", "2.0",
      """
      const name = nodeState.get("username");
      const agents = requestHeaders.get("user-agent");
      const known = ["a", "b", "c"].map((each) => `${each}-${name}`).filter((each) => each.startsWith("b"));
      nodeState.putShared("known", { known, agent: agents ? agents.get(0) : null });
      logger.debug("known: {}", known.length);
      action.goTo(known.length === 1 ? "true" : "false");
      """
    ),
    ("legacy", "1.0", "outcome = sharedState.get('username').equals('ada') ? 'true' : 'false'"),
  ]

  private let registry: NodeRegistry
  let empty: any JourneyNode
  let workers: ScriptWorkers

  private init() throws {
    var services = NodeServices(
      store: try SQLiteStore.inMemory(), passwords: NoPasswords(), clock: { Date() }, randomBytes: { _ in [] }
    )
    workers = ScriptWorkers(program: ScriptWorkerProgram.ownPath)
    services.scripts = ScriptServices(workers: workers)
    registry = NodeLibrary.registry(services: services)
    guard let maker = registry.maker(for: "ModifyAuthLevelNode") else { throw NoNode() }
    empty = try maker(
      NodeDefinition(id: "e", type: "ModifyAuthLevelNode", properties: ["authLevelIncrement": 0]))
  }

  func node(_ source: String, version: String) throws -> any JourneyNode {
    guard let maker = registry.maker(for: "ScriptedDecisionNode") else { throw NoNode() }
    var definition = NodeDefinition(
      id: "n", type: "ScriptedDecisionNode", properties: ["script": "s", "outcomes": ["true", "false"]])
    definition.attachments.scripts["s"] = JourneyScript(
      id: "s", name: "Bench", source: source, evaluatorVersion: version)
    return try maker(definition)
  }

  func evaluate(_ node: any JourneyNode) async throws {
    var context = NodeContext(
      nodeID: "n", request: RequestFacts(realm: "alpha", headers: ["user-agent": "bench"]),
      state: JourneyState(shared: ["username": "ada"]))
    guard case .outcome = try await node.evaluate(&context) else { throw NoNode() }
  }

  private func warmUp() async throws {
    let node = try node("action.goTo('true')", version: "2.0")
    for _ in 0..<200 { try await evaluate(node) }
  }

  private func throughput() async throws {
    let node = try node(Self.scripts[1].2, version: Self.scripts[1].1)
    for concurrency in [1, 2, 4, 16] {
      let runs = 2000
      let clock = ContinuousClock()
      let began = clock.now
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<concurrency {
          group.addTask { for _ in 0..<(runs / concurrency) { try await evaluate(node) } }
        }
        try await group.waitForAll()
      }
      print(
        Measurement(
          "script-nodes-\(concurrency)-at-a-time", Double(runs) / ((clock.now - began) / .seconds(1)),
          "per-second"
        ).line)
    }
  }

  /// What idle workers have in memory: resident, of that what no other process shares, and with its part of what others share.
  private func memory() {
    for process in workers.processes {
      for (file, field, name) in [
        ("status", "VmRSS:", "worker-resident"), ("status", "RssAnon:", "worker-private"),
        ("smaps_rollup", "Pss:", "worker-proportional"),
      ] {
        let text = (try? String(contentsOfFile: "/proc/\(process)/\(file)", encoding: .utf8)) ?? ""
        guard let line = text.split(separator: "\n").first(where: { $0.hasPrefix(field) }),
          let kilobytes = line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap({ Double($0) })
        else { continue }
        print(Measurement(name, kilobytes / 1024, "MB").line)
      }
    }
  }
}

private struct NoNode: Error {}

private struct NoPasswords: PasswordVerifying {
  func verify(_ password: String, against hash: String?) -> Bool { false }
  func hash(_ password: String) -> String { "" }
}
