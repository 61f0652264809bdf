internal import StrictJSON

/// A journey as the engine runs it: nodes in an array, connections as indices.
struct CompiledJourney: Sendable {
  let name: String
  let realm: String
  let summary: JourneySummary

  /// The tree's own `noSession`.
  let noSession: Bool
  let entry: ConnectionTarget
  let nodes: [CompiledNode]
  let warnings: [JourneyWarning]

  /// The object that the file has for this journey.
  let document: JSONObject

  /// Places of the nodes, by id.
  let indices: [String: Int]

  /// Where the node of that id is; `nil` when the journey has none.
  func index(ofNode id: String) -> Int? { indices[id] }
}

/// A node with its place in the graph.
struct CompiledNode: Sendable {
  let id: String
  let type: String
  let displayName: String
  let node: any JourneyNode

  /// Few per node, so a scan is the fastest lookup.
  let connections: [(outcome: String, target: ConnectionTarget)]

  func target(of outcome: String) -> ConnectionTarget? {
    connections.first { $0.outcome == outcome }?.target
  }

  /// How messages to the operator call the node.
  var label: String { "\(displayName.isEmpty ? type : displayName) (\(type) \(id))" }
}

/// Where a connection leads.
enum ConnectionTarget: Sendable, Hashable {
  case node(Int)
  case success
  case failure

  /// PingAM's ids of the two static end nodes, the same in every realm.
  static let successID = "70e691a5-1e33-4ac3-a356-e7b6d60d92e0"
  static let failureID = "e301438c-0bd0-429c-ab0c-66126501069a"
}
