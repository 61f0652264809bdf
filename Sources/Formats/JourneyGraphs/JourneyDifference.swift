internal import Bytes
package import StrictJSON

/// The differences between two journeys: scripts, mail templates and other parts, nodes, their properties and connections, and the
/// journeys' own settings.
///
/// Programs come first, because they decide most and would be overlooked at the end of a long list.
///
/// Nodes are compared by id. Of the nodes that only one journey has, two of the same type and name count as the same node, because
/// imports give nodes new ids.
package struct JourneyDifference: Sendable {
  /// One difference.
  package struct Change: Sendable, Hashable {
    /// `added`, `removed` or `changed`.
    package var kind: Kind

    /// What kind of part it is, as ``JourneyContents/Part/kind`` says, or `inner journey`; `nil` for nodes and the journey itself.
    package var part: String?

    /// The name of the node or part, and its id; `nil` for the journey itself.
    package var node: String?
    package var id: String?

    /// The property, or `connections.OUTCOME`; `nil` for a whole node.
    package var property: String?
    package var before: JSONValue?
    package var after: JSONValue?

    /// The lines of a part that differ.
    package var lines: LineDifference?

    package enum Kind: String, Sendable { case added, removed, changed }
  }

  package private(set) var changes: [Change] = []

  /// - Parameters:
  ///   - before: `nil` for a journey that was not there: all its parts are new.
  ///   - after: `nil` for one that is gone.
  package init(_ before: JourneyContents?, _ after: JourneyContents?) {
    compare(before?.parts ?? [], after?.parts ?? [])
    let (old, new) = (before?.inner ?? [:], after?.inner ?? [:])
    for name in Set(old.keys).union(new.keys).sorted() {
      compare(
        name, name, "contents", old[name].map { .string($0.hash) }, new[name].map { .string($0.hash) },
        part: "inner journey")
    }
    if let before, let after { compare(before.graph, after.graph) }
  }

  /// How many parts of each kind differ, `node` among them, and `journey` for settings; by kind.
  package var counts: [String: Int] {
    Dictionary(grouping: changes) { $0.part ?? ($0.id == nil ? "journey" : "node") }
      .mapValues { changes in Set(changes.map(\.id)).count }
  }

  private mutating func compare(_ before: [JourneyContents.Part], _ after: [JourneyContents.Part]) {
    func byID(_ parts: [JourneyContents.Part]) -> [[String]: JourneyContents.Part] {
      Dictionary(parts.map { ([$0.kind, $0.id], $0) }, uniquingKeysWith: { first, _ in first })
    }
    let (old, new) = (byID(before), byID(after))
    let keys = Set(old.keys).union(new.keys).sorted { $0.lexicographicallyPrecedes($1) }
    func isCode(_ key: [String]) -> Bool { (old[key] ?? new[key])?.isCode == true }
    for key in keys.filter(isCode) + keys.filter({ !isCode($0) }) where old[key]?.hash != new[key]?.hash {
      let (one, other) = (old[key], new[key])
      let name = other?.name ?? one?.name
      let lines = LineDifference(one?.text ?? "", other?.text ?? "")
      if let one, let other {
        compare(name, key[1], one.properties, other.properties, part: key[0])
        if lines.lines.isEmpty, one.properties != other.properties { continue }
      }
      changes.append(
        Change(
          kind: one == nil ? .added : other == nil ? .removed : .changed, part: key[0], node: name,
          id: key[1],
          lines: lines))
    }
  }

  private mutating func compare(_ before: JourneyGraph, _ after: JourneyGraph) {
    let pairs = Self.pairs(before.nodes, after.nodes)
    // Maps the ids of the first journey's nodes to the second journey's.
    let names = Dictionary(
      pairs.compactMap { one, other in one.flatMap { one in other.map { (one.id, $0.id) } } },
      uniquingKeysWith: { first, _ in first })
    compare(
      nil, nil, "entryNodeId", before.entry.json(naming: names), after.entry.json())
    compare(nil, nil, before.settings, after.settings)
    for (one, other) in pairs { compare(one, other, names) }
  }

  /// The pairs of nodes that are the same; added nodes come last.
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
        node.connections.map { ("connections.\($0.outcome)", $0.target.json(naming: names)) })
    }
    compare(name, id, ways(before, names), ways(after, [:]))
    let inner = Self.pairs(before.inner, after.inner)
    for (one, other) in inner { compare(one, other, [:]) }
    // A page's last node decides its outcome.
    let kept = inner.compactMap { one, other in one.flatMap { one in other.map { (one, $0) } } }
    let places = kept.compactMap { pair in after.inner.firstIndex { $0.id == pair.1.id } }
    if places != places.sorted() {
      func order(_ nodes: [JourneyGraph.Node]) -> JSONValue { .array(nodes.map { .string($0.name) }) }
      changes.append(
        Change(
          kind: .changed, node: name, id: id, property: "nodes", before: order(before.inner),
          after: order(after.inner)))
    }
  }

  private mutating func compare(
    _ node: String?, _ id: String?, _ before: JSONObject, _ after: JSONObject, part: String? = nil
  ) {
    for property in before.names + after.names.filter({ before[$0] == nil }) {
      compare(node, id, property, before[property], after[property], part: part)
    }
  }

  private mutating func compare(
    _ node: String?, _ id: String?, _ property: String, _ before: JSONValue?, _ after: JSONValue?,
    part: String? = nil
  ) {
    guard before != after else { return }
    changes.append(
      Change(
        kind: before == nil ? .added : after == nil ? .removed : .changed, part: part, node: node, id: id,
        property: property, before: before, after: after))
  }
}

extension JourneyDifference.Change {
  /// The values as a list shows them: at most `limit` characters, those around the first difference.
  package func excerpts(limit: Int = 200) -> (before: String?, after: String?) {
    let (one, other) = (before?.text, after?.text)
    let common = one.flatMap { one in other.map { zip(one, $0).prefix { $0 == $1 }.count } } ?? 0
    let longest = max(one?.count ?? 0, other?.count ?? 0)
    let start = longest <= limit ? 0 : max(0, common - limit / 4)
    func excerpt(_ text: String) -> String {
      let rest = text.dropFirst(start)
      return (start > 0 ? "…" : "") + (rest.count <= limit ? String(rest) : rest.prefix(limit - 1) + "…")
    }
    return (one.map(excerpt), other.map(excerpt))
  }
}

/// What differs between two texts, line by line, with some equal lines around each difference.
package struct LineDifference: Sendable, Hashable {
  package struct Line: Sendable, Hashable {
    package enum Kind: String, Sendable { case same, added, removed }

    package var kind: Kind

    /// Counted from 1, in the text that has the line; for equal lines, in the second text.
    package var number: Int
    package var text: String

    /// Sign, number and text as lists show them. Characters that would not be seen, or that change the direction of writing, are written as
    /// `\uXXXX`.
    package var shown: String {
      let sign =
        switch kind {
        case .same: " "
        case .added: "+"
        case .removed: "-"
        }
      var line = "\(sign) \(String(repeating: " ", count: max(0, 4 - String(number).count)))\(number)  "
      for scalar in text.unicodeScalars {
        if scalar == "\t" {
          line += "    "
        } else if scalar.isFitForLine {
          line.unicodeScalars.append(scalar)
        } else {
          line += scalar.utf16.map(Hexadecimal.escape).joined()
        }
      }
      return line
    }
  }

  package private(set) var lines: [Line] = []

  package var added: Int { lines.count { $0.kind == .added } }
  package var removed: Int { lines.count { $0.kind == .removed } }

  /// The number of equal lines shown around a difference.
  private static let context = 2

  /// The largest product of line counts for which the fewest changes are sought. Above it, the search would take too long, and everything
  /// between the first and the last difference is shown as replaced.
  private static let mostWork = 4_000_000

  package init(_ before: String, _ after: String) {
    let (old, new) = (Self.lines(of: before), Self.lines(of: after))
    let start = zip(old, new).prefix { $0 == $1 }.count
    let rest = min(old.count, new.count) - start
    let end = zip(old.reversed(), new.reversed()).prefix(rest).prefix { $0 == $1 }.count
    let (oldPart, newPart) = (old[start..<(old.count - end)], new[start..<(new.count - end)])
    var (gone, come) = (Set(oldPart.indices), Set(newPart.indices))
    if oldPart.count * newPart.count <= Self.mostWork {
      let changes = Array(newPart).difference(from: Array(oldPart))
      (gone, come) = ([], [])
      for change in changes {
        switch change {
        case .remove(let offset, _, _): gone.insert(start + offset)
        case .insert(let offset, _, _): come.insert(start + offset)
        }
      }
    }
    var all: [Line] = []
    var (one, other) = (0, 0)
    while one < old.count || other < new.count {
      if gone.contains(one) {
        all.append(Line(kind: .removed, number: one + 1, text: old[one]))
        one += 1
      } else if come.contains(other) {
        all.append(Line(kind: .added, number: other + 1, text: new[other]))
        other += 1
      } else {
        all.append(Line(kind: .same, number: other + 1, text: new[other]))
        (one, other) = (one + 1, other + 1)
      }
    }
    let changed = all.indices.filter { all[$0].kind != .same }
    let shown = Set(
      changed.flatMap { max(0, $0 - Self.context)...min(all.count - 1, $0 + Self.context) })
    lines = all.indices.filter(shown.contains).map { all[$0] }
  }

  /// The lines of a text. A text without characters has none, and a line end at its end begins none. Everything that a script takes for
  /// a line end is one, so that nothing hides behind a comment.
  private static func lines(of text: String) -> [String] {
    var lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map(String.init)
    if lines.last?.isEmpty == true { lines.removeLast() }
    return lines
  }
}
