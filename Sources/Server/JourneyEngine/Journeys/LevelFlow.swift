/// The authentication levels that a journey's paths to success reach, by its nodes that change the level or decide by it.
///
/// Every outcome of other nodes counts as possible, so every success has at least the lowest level.
struct LevelFlow {
  /// The lowest level of a path to success; 0 when it has no bound, or there is no path.
  let guaranteed: Int

  /// The highest; 0 when there is no path, and ``RunAssurance/limit`` when it has no bound.
  let reachable: Int

  /// A node, and a level with which it is entered.
  private struct Arrival: Hashable {
    let node: Int
    let level: Int
  }

  /// Most arrivals looked at; a journey with more has loops that change the level.
  private static let maximumArrivals = 10_000

  init(nodes: [CompiledNode], entry: ConnectionTarget) {
    var successes: Set<Int> = entry == .success ? [0] : []
    var seen: Set<Arrival> = []
    var open: [Arrival] = []
    if case .node(let first) = entry { open.append(Arrival(node: first, level: 0)) }
    while let arrival = open.popLast() {
      guard seen.insert(arrival).inserted else { continue }
      guard seen.count <= Self.maximumArrivals else {
        guaranteed = 0
        reachable = RunAssurance.limit
        return
      }
      let node = nodes[arrival.node]
      let level = RunAssurance.bounded(arrival.level + node.node.authLevelIncrement)
      for (outcome, target) in node.connections {
        if let requirement = node.node.authLevelRequirement, (outcome == "true") != (level >= requirement) {
          continue
        }
        switch target {
        case .failure: continue
        case .success: successes.insert(level)
        case .node(let next): open.append(Arrival(node: next, level: level))
        }
      }
    }
    guaranteed = max(0, successes.min() ?? 0)
    reachable = max(0, successes.max() ?? 0)
  }
}
