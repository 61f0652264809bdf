package import StrictJSON

/// The nodes and connections of a journey, for a picture or a comparison. They are read from an exported tree without checking whether
/// it would load.
package struct JourneyGraph: Sendable, Hashable {
  package struct Node: Sendable, Hashable {
    package var id: String

    /// What the editor shows; the type when the file has no name.
    package var name: String
    package var type: String

    /// The connections, in the file's order.
    package var connections: [Connection]

    /// The node's settings, without uninformative members such as its revision.
    package var properties: JSONObject

    /// The nodes inside a page, in order.
    package var inner: [Node]
  }

  package struct Connection: Sendable, Hashable {
    package var outcome: String
    package var target: End
  }

  /// Where a connection leads.
  package enum End: Sendable, Hashable {
    case node(String)
    case success
    case failure

    /// - Parameter names: Other ids for nodes, such as their ids in a later journey.
    func json(naming names: [String: String] = [:]) -> JSONValue {
      switch self {
      case .node(let id): .string(names[id] ?? id)
      case .success: "success"
      case .failure: "failure"
      }
    }
  }

  package var name: String
  package var entry: End
  package var nodes: [Node]

  /// The tree's own settings, such as `innerTreeOnly`.
  package var settings: JSONObject

  /// Members of nodes that say nothing about what they do.
  private static let unremarkable: Set<String> = ["_id", "_rev", "_type", "nodes"]

  /// Settings that are parts of the graph, or say nothing about what the journey does.
  private static let ownSettings: Set<String> = [
    "_id", "_rev", "entryNodeId", "nodes", "staticNodes", "uiConfig",
  ]

  /// - Parameter document: the object with `tree` and `nodes`.
  /// - Returns: `nil` when it has no tree.
  package init?(_ document: JSONObject, name: String) {
    guard let tree = document["tree"]?.objectValue else { return nil }
    self.name = tree["_id"]?.stringValue ?? name
    entry = Self.end(tree["entryNodeId"]?.stringValue ?? "")
    settings = JSONObject(tree.filter { !Self.ownSettings.contains($0.name) }.map { ($0.name, $0.value) })
    nodes = (tree["nodes"]?.objectValue ?? JSONObject()).map { id, place in
      Self.node(id, place, in: document, section: "nodes")
    }
  }

  private static func node(
    _ id: String, _ place: JSONValue, in document: JSONObject, section: String
  ) -> Node {
    let details =
      document[section]?[id]?.objectValue ?? document["nodes"]?[id]?.objectValue ?? JSONObject()
    let type = place["nodeType"]?.stringValue ?? details["_type"]?["_id"]?.stringValue ?? "?"
    let shown = place["displayName"]?.stringValue ?? ""
    let connections = (place["connections"]?.objectValue ?? JSONObject()).map { outcome, target in
      Connection(outcome: outcome, target: end(target.stringValue ?? ""))
    }
    let properties = details.filter { !unremarkable.contains($0.name) }.map { ($0.name, $0.value) }
    let inner =
      section == "nodes" && type == "PageNode"
      ? (details["nodes"]?.arrayValue ?? []).map { place in
        node(place["_id"]?.stringValue ?? "", place, in: document, section: "innerNodes")
      } : []
    return Node(
      id: id, name: shown.isEmpty ? type : shown, type: type, connections: connections,
      properties: JSONObject(properties), inner: inner)
  }

  private static func end(_ id: String) -> End {
    switch id {
    case "70e691a5-1e33-4ac3-a356-e7b6d60d92e0": .success
    case "e301438c-0bd0-429c-ab0c-66126501069a": .failure
    default: .node(id)
    }
  }
}
