internal import StrictJSON

/// Finds unreachable nodes, nodes without a way to an end, and nodes that need a state variable that no earlier node can have set.
struct StateFlow {
  private let journey: CompiledJourney
  private let isReachable: [Bool]
  private let successors: [[Int]]
  private let predecessors: [[Int]]

  /// - Parameter journey: with ``CompiledJourney/inner`` in place.
  init(_ journey: CompiledJourney) {
    self.journey = journey
    var successors = [[Int]](repeating: [], count: journey.nodes.count)
    var predecessors = successors
    for (index, node) in journey.nodes.enumerated() {
      for case (_, .node(let next)) in node.connections {
        successors[index].append(next)
        predecessors[next].append(index)
      }
    }
    self.successors = successors
    self.predecessors = predecessors
    var start: [Int] = []
    if case .node(let first) = journey.entry { start.append(first) }
    isReachable = Self.reached(from: start, along: successors)
  }

  /// State variables that the journey may set.
  var provides: Set<String> {
    let providers = providers
    return providers.innerJourneys.keys.reduce(into: Set(providers.nodes.keys)) { all, name in
      all.formUnion(journey.inner[name]?.provides ?? [])
    }
  }

  /// Variables that reachable nodes need and nothing in this journey provides, with the node that needs each.
  var unmetNeeds: [(variable: String, node: Int)] {
    var needers: [(variable: String, node: Int)] = []
    var places: [String: [Int]] = [:]
    for index in journey.nodes.indices where isReachable[index] {
      for variable in inputs(of: index) {
        places[variable, default: []].append(needers.count)
        needers.append((variable, index))
      }
    }
    let providers = providers
    var isMet = [Bool](repeating: false, count: needers.count)
    // Searches once for each variable that something provides, from its providers on: the cost is their number times the journey's size.
    for (variable, places) in places {
      var sources = providers.nodes[variable] ?? []
      for (name, nodes) in providers.innerJourneys
      where journey.inner[name]?.provides.contains(variable) == true { sources += nodes }
      guard !sources.isEmpty else { continue }
      let reached = Self.reached(from: sources.flatMap { successors[$0] }, along: successors)
      for place in places { isMet[place] = reached[needers[place].node] }
    }
    return needers.indices.filter { !isMet[$0] }.map { needers[$0] }
  }

  /// The reachable nodes that may set each variable, and the reachable nodes that run each inner journey.
  private var providers: (nodes: [String: [Int]], innerJourneys: [String: [Int]]) {
    var nodes: [String: [Int]] = [:]
    var innerJourneys: [String: [Int]] = [:]
    for index in journey.nodes.indices where isReachable[index] {
      let node = journey.nodes[index]
      if let name = node.innerJourney {
        innerJourneys[name, default: []].append(index)
      } else {
        for variable in node.node.stateOutputs { nodes[variable, default: []].append(index) }
      }
    }
    return (nodes, innerJourneys)
  }

  /// - Parameter unmet: the value of ``unmetNeeds``.
  func warnings(unmet: [(variable: String, node: Int)]) -> [JourneyWarning] {
    let ends = journey.nodes.indices.filter { index in
      journey.nodes[index].connections.contains { target in
        if case .node = target.target { false } else { true }
      }
    }
    let canEnd = Self.reached(from: ends, along: predecessors)
    let storing = unmet.isEmpty ? [] : storingNodes
    var needs: [Int: [String]] = [:]
    for (variable, node) in unmet { needs[node, default: []].append(variable) }
    return journey.nodes.indices.flatMap { index -> [JourneyWarning] in
      let node = journey.nodes[index]
      guard isReachable[index] else {
        return [
          JourneyWarning(
            "no connection leads to this node", kind: .unreachable,
            remedy: "Connect it, or remove it.", at: node, of: journey)
        ]
      }
      var found: [JourneyWarning] = []
      // Where nothing is connected, each outcome has its own warning.
      if !canEnd[index], !successors[index].isEmpty {
        found.append(
          JourneyWarning(
            "no way leads from this node to success or failure", kind: .deadEnd,
            remedy: "Connect one of the nodes behind it to an end.", at: node, of: journey,
            property: "connections"))
      }
      for variable in needs[index] ?? [] { found.append(missing(variable, at: index, behind: storing)) }
      if let name = node.innerJourney, journey.inner[name] == nil {
        found.append(
          JourneyWarning(
            "the journey \(name) cannot run inside this one: it is not in realm \(journey.realm), or more than "
              + "\(CompiledJourney.maximumDepth) journeys would run inside one another",
            kind: .missingInnerJourney,
            remedy: "Import \(name), too, or correct the name; until then this node fails.", at: node,
            of: journey, property: "tree"))
      }
      return found
    }
  }

  /// - Parameter storing: see ``storingNodes``.
  private func missing(
    _ variable: String, at index: Int, behind storing: [(node: Int, reached: [Bool])]
  ) -> JourneyWarning {
    let problem = "needs \(variable) in the journey's state, but no node before it puts it there"
    // This storage node follows a node that stores by itself, which sets the variable only when it leaves the storing to others.
    if let storing = storing.first(where: { $0.reached[index] }) {
      return JourneyWarning(
        problem, kind: .notPostponed,
        remedy: "Switch \(Self.postponing) on in \(journey.nodes[storing.node].label), or remove this node.",
        at: journey.nodes[index], of: journey, property: Self.postponing)
    }
    return JourneyWarning(
      problem, kind: .missingState, remedy: "Put a node that sets it before this one.",
      at: journey.nodes[index], of: journey)
  }

  private static let postponing = "postponeDeviceProfileStorage"

  /// Nodes that store data that later nodes could store, with the nodes that each leads to. The first 16 are enough for a hint.
  private var storingNodes: [(node: Int, reached: [Bool])] {
    journey.nodes.indices.filter { journey.nodes[$0].properties[Self.postponing]?.boolValue == false }
      .prefix(16).map { ($0, Self.reached(from: successors[$0], along: successors)) }
  }

  private func inputs(of index: Int) -> [String] {
    let node = journey.nodes[index]
    guard let name = node.innerJourney else { return node.node.stateInputs }
    return journey.inner[name]?.needs ?? []
  }

  /// The nodes in `start`, and those that edges lead to from there.
  private static func reached(from start: [Int], along edges: [[Int]]) -> [Bool] {
    var isReached = [Bool](repeating: false, count: edges.count)
    var open = start
    while let index = open.popLast() {
      guard !isReached[index] else { continue }
      isReached[index] = true
      open += edges[index]
    }
    return isReached
  }
}
