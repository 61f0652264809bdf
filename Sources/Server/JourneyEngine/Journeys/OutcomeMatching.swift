/// Matches a node's outcomes to the connections in the file.
///
/// Exports differ in spelling between versions. An outcome is looked for by its id, then without regard to case and spaces, then by the
/// display names that the export lists under `_outcomes`.
struct OutcomeMatching {
  private(set) var connected: [(outcome: String, target: String)] = []
  private(set) var unconnected: [String] = []

  /// Connections in the file that the node has no outcome for.
  private(set) var unused: [String] = []

  init(outcomes: [String], placed: JourneyTreeNode) {
    var free = placed.connections
    var targets: [String: String] = [:]
    func claim(_ outcome: String, _ matches: (String) -> Bool) {
      guard targets[outcome] == nil, let index = free.firstIndex(where: { matches($0.outcome) }) else {
        return
      }
      targets[outcome] = free.remove(at: index).target
    }
    for outcome in outcomes { claim(outcome) { $0 == outcome } }
    for outcome in outcomes { claim(outcome) { Self.plain($0) == Self.plain(outcome) } }
    for outcome in outcomes {
      let ids = placed.outcomeNames.filter { Self.plain($0.displayName) == Self.plain(outcome) }.map(\.id)
      claim(outcome) { ids.contains($0) }
    }
    for outcome in outcomes {
      if let target = targets[outcome] {
        connected.append((outcome, target))
      } else {
        unconnected.append(outcome)
      }
    }
    unused = free.map(\.outcome)
  }

  /// Lower case, without spaces, without the mark that the editor shows behind client outcomes.
  private static func plain(_ name: String) -> String {
    var plain = name.lowercased().filter { !$0.isWhitespace }
    if plain.hasSuffix("(client)") { plain.removeLast("(client)".count) }
    return plain
  }
}
