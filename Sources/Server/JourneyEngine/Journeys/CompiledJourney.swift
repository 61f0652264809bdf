internal import StrictJSON

/// A journey as the engine runs it: nodes in an array, connections as indices.
struct CompiledJourney: Sendable {
  let name: String
  let realm: String
  var summary: JourneySummary

  /// The tree's own `noSession`.
  let noSession: Bool
  let entry: ConnectionTarget
  let nodes: [CompiledNode]

  /// Likely mistakes that this file alone shows.
  let ownWarnings: [JourneyWarning]

  /// Why the journey cannot be offered; a journey with problems is for inspection only.
  let faults: [JourneyFileError]

  /// The object that the file has for this journey.
  let document: JSONObject

  /// The journey's own scripts and templates.
  let attachments: JourneyAttachments

  /// ``attachments`` together with what other files of the realm have for the journey's nodes. A run uses these.
  var wholeAttachments = JourneyAttachments()

  /// The designed node types that its nodes use.
  var designedTypes: [DesignedNodeType] = []

  /// Places of the nodes, by id.
  let indices: [String: Int]

  /// Identifies the content: the journey's own and, once it is linked, that of all inner journeys.
  var version: String

  /// The version of the journey's own content.
  let ownVersion: String

  // MARK: Set when the journey is linked to others

  /// The journeys that run inside, by name, in the version that a run finishes on.
  var inner: [String: CompiledJourney] = [:]

  /// How many journeys run inside one another, this one included.
  var depth = 1

  /// State variables that the journey may set, those of inner journeys included.
  var provides: Set<String> = []

  /// State variables that must be set at its start.
  var needs: [String] = []

  /// All likely mistakes.
  var warnings: [JourneyWarning] = []

  /// The most journeys that may run inside one another.
  static let maximumDepth = 16

  /// The inner journeys that its nodes run, in the nodes' order.
  var innerNames: [String] { summary.inner }

  /// The index of the node with this id; `nil` when the journey has none.
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

  /// The file's properties.
  var properties = JSONObject()

  /// The inner journey that the node runs; `nil` for all other nodes.
  var innerJourney: String?

  /// Whether a journey that gets here fails, because the node or a part of it is of an unknown type.
  var isUnknown = false

  func target(of outcome: String) -> ConnectionTarget? {
    connections.first { $0.outcome == outcome }?.target
  }

  /// The node's name in messages to the operator.
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
