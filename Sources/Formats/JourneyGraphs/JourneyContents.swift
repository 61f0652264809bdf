internal import Bytes
internal import Crypto
package import StrictJSON

/// Everything that a journey consists of: its nodes and connections, and the scripts, libraries, node types, mail templates, policies,
/// further sections of the export and inner journeys that decide with them.
///
/// ``hash`` covers all of it, and is the same wherever the journey is: in a folder, in an export, and on a server.
package struct JourneyContents: Sendable, Hashable {
  /// A part of a journey beside its nodes.
  package struct Part: Sendable, Hashable {
    /// `script`, `library`, `mail template`, `node type`, `policy`, or the name of the export's section.
    package var kind: String
    package var id: String

    /// The name for people.
    package var name: String

    /// The content that is compared by members.
    package var properties: JSONObject

    /// The content that is compared by lines.
    package var text: String

    /// The hash of all of it, in hexadecimal.
    package var hash: String

    package static let script = "script"
    package static let library = "library"
    package static let mailTemplate = "mail template"
    package static let nodeType = "node type"
    package static let policy = "policy"

    /// The kinds of programs that run in a journey.
    package static let code: Set = [script, library, nodeType]

    package var isCode: Bool { Self.code.contains(kind) }

    /// A part with a program in it.
    package init(kind: String, id: String, name: String, properties: JSONObject, source: String) {
      (self.kind, self.id, self.name, self.properties, text) = (kind, id, name, properties, source)
      hash = JourneyContents.hash([.string(kind), .string(id), .object(properties), .string(source)])
    }

    /// A part that is JSON. Each text and each number is a line; a text of several lines keeps them.
    package init(kind: String, id: String, value: JSONValue) {
      (self.kind, self.id, name, properties) = (kind, id, id, [:])
      text = Self.lines(of: value.sorted, at: "").joined(separator: "\n")
      hash = JourneyContents.hash([.string(kind), .string(id), value])
    }

    private static func lines(of value: JSONValue, at path: String) -> [String] {
      let prefix = path.isEmpty ? "" : "\(path): "
      switch value {
      case .object(let object) where !object.isEmpty:
        return object.flatMap { lines(of: $0.value, at: path.isEmpty ? $0.name : "\(path).\($0.name)") }
      case .array(let elements) where !elements.isEmpty:
        return elements.enumerated().flatMap { lines(of: $1, at: "\(path)[\($0)]") }
      case .string(let text) where text.contains(where: \.isNewline):
        return ["\(prefix)|"]
          + text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map { "  \($0)" }
      default: return [prefix + value.text]
      }
    }
  }

  package var graph: JourneyGraph

  /// The parts, sorted by kind and id.
  package var parts: [Part]

  /// The journeys that run inside, by name.
  package var inner: [String: JourneyContents]

  /// SHA-256 over the canonical form of all of it, in hexadecimal. Positions in the editor, revisions, and the export's `meta` are not part
  /// of it, nor are the journey's own name and the order of members.
  package let hash: String

  package init(_ graph: JourneyGraph, parts: [Part], inner: [String: JourneyContents] = [:]) {
    let parts = parts.sorted { ($0.kind, $0.id) < ($1.kind, $1.id) }
    (self.graph, self.parts, self.inner) = (graph, parts, inner)
    hash = Self.hash([
      .object(graph.canonical), .array(parts.map { [.string($0.kind), .string($0.id), .string($0.hash)] }),
      .object(JSONObject(inner.map { ($0.key, .string($0.value.hash)) })),
    ])
  }

  private static func hash(_ value: JSONValue) -> String {
    SHA256.hash(data: value.sorted.serialized).hexadecimal
  }
}

extension JourneyGraph {
  /// What a run depends on, and nothing else.
  fileprivate var canonical: JSONObject {
    func form(_ node: Node) -> JSONValue {
      [
        "id": .string(node.id), "name": .string(node.name), "type": .string(node.type),
        "properties": .object(node.properties),
        "connections": .object(JSONObject(node.connections.map { ($0.outcome, $0.target.json()) })),
        "inner": .array(node.inner.map(form)),
      ]
    }
    return [
      "entry": entry.json(), "settings": .object(settings),
      "nodes": .object(JSONObject(nodes.map { ($0.id, form($0)) })),
    ]
  }
}
