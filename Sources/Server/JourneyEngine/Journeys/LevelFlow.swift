/// Which authentication levels a journey's ways to success reach, by its nodes that change the level or decide by it.
///
/// What other nodes decide is not looked at: each of their outcomes is a way. So every success has the lowest level at least.
struct LevelFlow {
  /// The lowest level of a way to success; 0 when that has no bound, or there is no way.
  let guaranteed: Int

  /// The highest; 0 when there is no way, and the highest of all when that has no bound.
  let reachable: Int

  /// A node, and a level with which it is entered.
  private struct Arrival: Hashable {
    let node: Int
    let level: Int
  }

  /// Arrivals looked at; a journey that has more goes in circles that change the level.
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
