internal import JourneyEngine
internal import StrictJSON

/// Which nodes and outcomes of a journey tests have gone through.
public struct JourneyCoverage: Sendable, Hashable {
  /// A node, or an outcome of it.
  struct Place: Sendable, Hashable {
    var journey: String
    var realm: String
    var nodeID: String
    var outcome: String?
  }

  /// A place that no test has visited.
  public struct Gap: Sendable, Hashable {
    /// Node, or node and outcome.
    public var place: String

    /// Why the test file leaves it out; `nil` when it does not say.
    public var reason: String?
  }

  public var journey: String
  public var realm: String
  public var nodes: Int
  public var nodesVisited: Int
  public var outcomes: Int
  public var outcomesTaken: Int
  public var gaps: [Gap]

  /// Whether all was visited, except what a test file leaves out with a reason.
  public var isComplete: Bool { gaps.allSatisfy { $0.reason != nil } }

  /// Outcomes are compared without case and blanks, as the engine matches them.
  static func key(_ outcome: String) -> String { outcome.lowercased().filter { !$0.isWhitespace } }

  /// - Parameters:
  ///   - document: the journey's object in its file.
  ///   - visited: of all journeys.
  init(
    journey: String, realm: String, document: JSONObject, visited: Set<Place>,
    exceptions: [JourneyScript.Exception]
  ) {
    (self.journey, self.realm) = (journey, realm)
    (nodes, nodesVisited, outcomes, outcomesTaken, gaps) = (0, 0, 0, 0, [])
    let tree = document["tree"]
    let placed = tree?["nodes"]?.objectValue ?? JSONObject()
    let names = Self.names(placed)
    let exceptions = exceptions.filter { $0.journey == journey }
    for id in Self.reachable(in: placed, from: tree?["entryNodeId"]?.stringValue) {
      guard let name = names[id] else { continue }
      nodes += 1
      var place = Place(journey: journey, realm: realm, nodeID: id)
      let wholeNode = exceptions.first { $0.place == name }?.reason
      if visited.contains(place) {
        nodesVisited += 1
      } else {
        gaps.append(Gap(place: name, reason: wholeNode))
      }
      for outcome in placed[id]?["connections"]?.objectValue?.names ?? [] {
        outcomes += 1
        place.outcome = Self.key(outcome)
        if visited.contains(place) {
          outcomesTaken += 1
        } else {
          let text = "\(name): \(outcome)"
          gaps.append(Gap(place: text, reason: exceptions.first { $0.place == text }?.reason ?? wholeNode))
        }
      }
    }
  }

  /// Nodes by id; with their ids when several have one name.
  private static func names(_ placed: JSONObject) -> [String: String] {
    var names: [String: String] = [:]
    for (id, node) in placed {
      let name = node["displayName"]?.stringValue.flatMap { $0.isEmpty ? nil : $0 }
      names[id] = name ?? node["nodeType"]?.stringValue ?? id
    }
    let counts = Dictionary(names.values.map { ($0, 1) }, uniquingKeysWith: +)
    for (id, name) in names where counts[name, default: 0] > 1 { names[id] = "\(name) (\(id.prefix(8)))" }
    return names
  }

  private static func reachable(in placed: JSONObject, from entry: String?) -> [String] {
    var (found, open): ([String], [String]) = ([], entry.map { [$0] } ?? [])
    while let id = open.popLast() {
      guard !found.contains(id), let node = placed[id] else { continue }
      found.append(id)
      open += (node["connections"]?.objectValue?.compactMap { $0.value.stringValue } ?? []).reversed()
    }
    return found
  }
}
