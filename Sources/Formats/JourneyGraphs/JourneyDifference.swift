package import StrictJSON

/// What differs between two journeys: nodes, their properties and connections, and the journeys' own settings.
///
/// Nodes are compared by id; of those that only one journey has, two of one type and name are taken for the same node, because imports
/// give nodes new ids.
package struct JourneyDifference: Sendable {
  /// One difference.
  package struct Change: Sendable, Hashable {
    /// `added`, `removed` or `changed`.
    package var kind: Kind

    /// The node's name and id; `nil` for the journey itself.
    package var node: String?
    package var id: String?

    /// The property, or `connections.OUTCOME`; `nil` for a whole node.
    package var property: String?
    package var before: JSONValue?
    package var after: JSONValue?

    package enum Kind: String, Sendable { case added, removed, changed }
  }

  package private(set) var changes: [Change] = []

  package init(_ before: JourneyGraph, _ after: JourneyGraph) {
    let pairs = Self.pairs(before.nodes, after.nodes)
    // Ids of the first journey's nodes, as the second has them.
    let names = Dictionary(
      pairs.compactMap { one, other in one.flatMap { one in other.map { (one.id, $0.id) } } },
      uniquingKeysWith: { first, _ in first })
    compare(
      nil, nil, "entryNodeId", Self.text(before.entry, names), Self.text(after.entry, [:]))
    compare(nil, nil, before.settings, after.settings)
    for (one, other) in pairs { compare(one, other, names) }
  }

  /// Which node is which; those that were added come last.
  private static func pairs(
    _ before: [JourneyGraph.Node], _ after: [JourneyGraph.Node]
  ) -> [(JourneyGraph.Node?, JourneyGraph.Node?)] {
    let oldIDs = Set(before.map(\.id))
    let byID = Dictionary(after.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    var free: [[String]: [JourneyGraph.Node]] = [:]
    for node in after.reversed() where !oldIDs.contains(node.id) {
      free[[node.type, node.name], default: []].append(node)
    }
    var taken: Set<String> = []
    var pairs: [(JourneyGraph.Node?, JourneyGraph.Node?)] = before.map { node in
      let other = byID[node.id] ?? free[[node.type, node.name]]?.popLast()
      if let other { taken.insert(other.id) }
      return (node, other)
    }
    pairs += after.filter { !taken.contains($0.id) }.map { (nil, $0) }
    return pairs
  }

  private mutating func compare(
    _ before: JourneyGraph.Node?, _ after: JourneyGraph.Node?, _ names: [String: String]
  ) {
    guard let before, let after else {
      guard let node = before ?? after else { return }
      changes.append(
        Change(
          kind: before == nil ? .added : .removed, node: "\(node.name) (\(node.type))", id: node.id))
      return
    }
    let (name, id) = ("\(before.name) (\(before.type))", before.id)
    compare(name, id, "nodeType", .string(before.type), .string(after.type))
    compare(name, id, "displayName", .string(before.name), .string(after.name))
    compare(name, id, before.properties, after.properties)
    func ways(_ node: JourneyGraph.Node, _ names: [String: String]) -> JSONObject {
      JSONObject(
        node.connections.map { ("connections.\($0.outcome)", Self.text($0.target, names)) })
    }
    compare(name, id, ways(before, names), ways(after, [:]))
    for (one, other) in Self.pairs(before.inner, after.inner) { compare(one, other, [:]) }
  }

  private mutating func compare(
    _ node: String?, _ id: String?, _ before: JSONObject, _ after: JSONObject
  ) {
    for property in before.names + after.names.filter({ before[$0] == nil }) {
      compare(node, id, property, before[property], after[property])
    }
  }

  private mutating func compare(
    _ node: String?, _ id: String?, _ property: String, _ before: JSONValue?, _ after: JSONValue?
  ) {
    guard before != after else { return }
    changes.append(
      Change(
        kind: before == nil ? .added : after == nil ? .removed : .changed, node: node, id: id,
        property: property, before: before, after: after))
  }

  private static func text(_ end: JourneyGraph.End, _ names: [String: String]) -> JSONValue {
    switch end {
    case .success: "success"
    case .failure: "failure"
    case .node(let id): .string(names[id] ?? id)
    }
  }
}
