/// The authentication levels that a journey's paths to success reach. They depend on the nodes that change the level or decide by it,
/// including those of inner journeys.
///
/// Every outcome of other nodes counts as possible, so every success has at least the lowest level.
struct LevelFlow {
  /// The lowest level of a path to success; 0 when there is no lower bound, or no path.
  let guaranteed: Int

  /// The highest level of a path to success; 0 when there is no path, and ``RunAssurance/limit`` when there is no upper bound.
  let reachable: Int

  init(_ journey: CompiledJourney) {
    var search = Search()
    guard let ends = search.ends(of: journey, from: 0) else {
      guaranteed = 0
      reachable = RunAssurance.limit
      return
    }
    guaranteed = max(0, ends.successes.min() ?? 0)
    reachable = max(0, ends.successes.max() ?? 0)
  }

  /// The levels with which a journey is left.
  private struct Ends {
    var successes: Set<Int> = []
    var failures: Set<Int> = []

    /// The levels at all nodes, because an error can happen at each.
    var anywhere: Set<Int> = []
  }

  private struct Search {
    /// A node, and a level with which it is entered.
    private struct Arrival: Hashable {
      let node: Int
      let level: Int
    }

    /// The most arrivals looked at; a journey with more has loops that change the level.
    private static let maximumArrivals = 10_000
    private var arrivals = 0

    /// Exits of inner journeys, by name and initial level.
    private var known: [String: [Int: Ends]] = [:]

    /// The levels with which `journey` is left; `nil` when they have no bound.
    mutating func ends(of journey: CompiledJourney, from start: Int) -> Ends? {
      var ends = Ends()
      var seen: Set<Arrival> = []
      var open: [Arrival] = []
      func go(_ target: ConnectionTarget, _ level: Int) {
        switch target {
        case .failure: ends.failures.insert(level)
        case .success: ends.successes.insert(level)
        case .node(let next): open.append(Arrival(node: next, level: level))
        }
      }
      go(journey.entry, start)
      while let arrival = open.popLast() {
        guard seen.insert(arrival).inserted else { continue }
        arrivals += 1
        // A long journey has many arrivals without any loop.
        guard arrivals <= Self.maximumArrivals + journey.nodes.count * 2 else { return nil }
        ends.anywhere.insert(arrival.level)
        let node = journey.nodes[arrival.node]
        if let name = node.innerJourney {
          guard let inner = journey.inner[name] else {
            if let target = node.target(of: InnerJourneyNode.error) { go(target, arrival.level) }
            continue
          }
          if known[name]?[arrival.level] == nil {
            guard let found = self.ends(of: inner, from: arrival.level) else { return nil }
            known[name, default: [:]][arrival.level] = found
          }
          let inside = known[name]?[arrival.level] ?? Ends()
          let ways = [
            ("true", inside.successes), ("false", inside.failures), (InnerJourneyNode.error, inside.anywhere),
          ]
          for (outcome, levels) in ways {
            guard let target = node.target(of: outcome) else { continue }
            for level in levels { go(target, level) }
          }
          continue
        }
        // The journey fails there.
        guard !node.isUnknown else { continue }
        let level = RunAssurance.bounded(arrival.level + node.node.authLevelIncrement)
        ends.anywhere.insert(level)
        for (outcome, target) in node.connections {
          if let requirement = node.node.authLevelRequirement, (outcome == "true") != (level >= requirement) {
            continue
          }
          go(target, level)
        }
      }
      return ends
    }
  }
}
