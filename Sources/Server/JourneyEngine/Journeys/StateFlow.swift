/// Finds nodes that need something in the journey's state which no node before them can have put there.
struct StateFlow {
  private let nodes: [CompiledNode]
  private let isReachable: [Bool]
  private let predecessors: [[Int]]

  init(nodes: [CompiledNode], entry: ConnectionTarget) {
    self.nodes = nodes
    var predecessors = [[Int]](repeating: [], count: nodes.count)
    for (index, node) in nodes.enumerated() {
      for case (_, .node(let next)) in node.connections { predecessors[next].append(index) }
    }
    self.predecessors = predecessors
    var isReachable = [Bool](repeating: false, count: nodes.count)
    var open: [Int] = []
    if case .node(let first) = entry { open.append(first) }
    while let index = open.popLast() {
      guard !isReachable[index] else { continue }
      isReachable[index] = true
      for case (_, .node(let next)) in nodes[index].connections { open.append(next) }
    }
    self.isReachable = isReachable
  }

  func warnings(journey: String, realm: String) -> [JourneyWarning] {
    nodes.indices.flatMap { index -> [JourneyWarning] in
      let node = nodes[index]
      func warning(_ problem: String) -> JourneyWarning {
        JourneyWarning(problem, journey: journey, realm: realm, nodeID: node.id, nodeType: node.type)
      }
      guard isReachable[index] else { return [warning("no connection leads to this node")] }
      return node.node.stateInputs.filter { !isProvided($0, before: index) }.map {
        warning("needs \($0) in the journey's state, but no node before it puts it there")
      }
    }
  }

  private func isProvided(_ variable: String, before index: Int) -> Bool {
    var seen = [Bool](repeating: false, count: nodes.count)
    var open = predecessors[index]
    while let index = open.popLast() {
      guard !seen[index] else { continue }
      seen[index] = true
      guard isReachable[index] else { continue }
      if nodes[index].node.stateOutputs.contains(variable) { return true }
      open += predecessors[index]
    }
    return false
  }
}
