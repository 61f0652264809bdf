internal import JourneyEngine
internal import StrictJSON

/// The nodes and outcomes of a journey that tests have visited.
public struct JourneyCoverage: Sendable, Hashable {
  /// A node, or one of its outcomes.
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

    /// The test file's reason for leaving it out; `nil` without one.
    public var reason: String?
  }

  public var journey: String
  public var realm: String
  public var nodes: Int
  public var nodesVisited: Int
  public var outcomes: Int
  public var outcomesTaken: Int
  public var gaps: [Gap]

  /// Whether everything was visited, except for gaps with a reason.
  public var isComplete: Bool { gaps.allSatisfy { $0.reason != nil } }

  /// The form in which outcomes are compared: without case and blanks, as in the engine.
  static func key(_ outcome: String) -> String { outcome.lowercased().filter { !$0.isWhitespace } }

  /// - Parameters:
  ///   - document: the journey's object in its file.
  ///   - visited: the visited places of all journeys.
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

  /// The nodes' names by id; duplicate names include the id.
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
