/// Makes runnable journeys of trees: nodes by the registry, connections resolved to places.
struct JourneyCompiler: Sendable {
  let registry: NodeRegistry

  func compile(
    _ tree: JourneyTree, realm: String, source: String
  ) throws(JourneyFileError) -> CompiledJourney {
    var indices: [String: Int] = [:]
    for (index, node) in tree.nodes.enumerated() { indices[node.definition.id] = index }
    func target(_ id: String) -> ConnectionTarget? {
      switch id {
      case ConnectionTarget.successID: .success
      case ConnectionTarget.failureID: .failure
      default: indices[id].map(ConnectionTarget.node)
      }
    }
    guard let entry = target(tree.entryNodeID) else {
      throw JourneyFileError(
        "the journey starts at \(tree.entryNodeID), which is not one of its nodes", journey: tree.name,
        property: "entryNodeId")
    }
    var nodes: [CompiledNode] = []
    var warnings: [JourneyWarning] = []
    for placed in tree.nodes {
      let definition = placed.definition
      let node = try make(definition, journey: tree.name)
      func warn(_ problem: String) {
        warnings.append(
          JourneyWarning(
            problem, journey: tree.name, realm: realm, nodeID: definition.id, nodeType: definition.type))
      }
      for warning in node.warnings { warn(warning) }
      let matched = OutcomeMatching(outcomes: node.outcomes, placed: placed)
      var connections: [(outcome: String, target: ConnectionTarget)] = []
      for (outcome, id) in matched.connected {
        guard let target = target(id) else {
          throw JourneyFileError(
            "outcome \(outcome) leads to \(id), which is not one of the journey's nodes", journey: tree.name,
            nodeID: definition.id, nodeType: definition.type, property: "connections")
        }
        connections.append((outcome, target))
      }
      for outcome in matched.unconnected {
        warn("outcome \(outcome) is not connected; a journey that takes it fails")
      }
      for outcome in matched.unused { warn("the node never takes the connected outcome \(outcome)") }
      nodes.append(
        CompiledNode(
          id: definition.id, type: definition.type, displayName: definition.displayName, node: node,
          connections: connections))
    }
    warnings += StateFlow(nodes: nodes, entry: entry).warnings(journey: tree.name, realm: realm)
    let levels = LevelFlow(nodes: nodes, entry: entry)
    let summary = JourneySummary(
      name: tree.name, description: tree.description, source: source,
      canStart: tree.enabled && !tree.innerTreeOnly, guaranteedLevel: levels.guaranteed,
      reachableLevel: levels.reachable)
    return CompiledJourney(
      name: tree.name, realm: realm, summary: summary, noSession: tree.noSession, entry: entry, nodes: nodes,
      warnings: warnings, document: tree.document, indices: indices)
  }

  private func make(_ definition: NodeDefinition, journey: String) throws(JourneyFileError) -> any JourneyNode
  {
    do {
      if definition.type == PageNode.type {
        var inner: [PageNode.Inner] = []
        for each in definition.innerNodes {
          inner.append(PageNode.Inner(id: each.id, type: each.type, node: try make(each, journey: journey)))
        }
        return try PageNode(definition, inner: inner)
      }
      guard let maker = registry.maker(for: definition.type) else {
        throw JourneyFileError(
          "this server does not know this node type; replace the node, or update the server")
      }
      return try maker(definition)
    } catch var error as JourneyFileError {
      error.journey = journey
      error.nodeID = error.nodeID ?? definition.id
      error.nodeType = error.nodeType ?? definition.type
      throw error
    } catch {
      throw JourneyFileError(
        "the node cannot be made: \(error)", journey: journey, nodeID: definition.id,
        nodeType: definition.type)
    }
  }
}

/// Which of a node's outcomes are connected in the file.
///
/// Exports differ in spelling between versions: an outcome is looked for by its id, then without regard to case and
/// spaces, then by the names shown that the export lists under `_outcomes`.
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
