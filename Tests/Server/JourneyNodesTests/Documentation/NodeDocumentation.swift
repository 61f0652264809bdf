import Concurrency
import JourneyEngine
import StrictJSON

@testable import JourneyNodes

/// The description of a node type, beside what its code says itself.
struct NodeDocumentation: Sendable {
  /// What editors call it.
  let title: String
  let summary: String

  /// What each property means, by name.
  let properties: [String: String]

  /// Properties without which the node cannot be made.
  let example: JSONObject

  /// The file's scripts, of which the example names one.
  let scripts: [JourneyScript]

  /// The type of the example, where a team makes its types itself.
  let designedType: DesignedNodeType?

  /// About outcomes that depend on properties.
  let outcomes: String

  init(
    _ title: String, _ summary: String, _ properties: [String: String] = [:], outcomes: String = "",
    example: JSONObject = [:], scripts: [JourneyScript] = [], designedType: DesignedNodeType? = nil
  ) {
    self.designedType = designedType
    self.title = title
    self.summary = summary
    self.properties = properties
    self.example = example
    self.outcomes = outcomes
    self.scripts = scripts
  }
}

/// Writes the reference of node types, of the library and of what its code reads.
struct NodeReference {
  private let registry: NodeRegistry

  init(_ registry: NodeRegistry) { self.registry = registry }

  /// What is missing: types without a description, and properties that are read and not described, or described and not read.
  func faults() -> [String] {
    registry.types.flatMap { type -> [String] in
      guard let documentation = NodeDocumentation.all[type] else {
        return ["\(type) has no entry in NodeDocumentation"]
      }
      do {
        let read = try made(type, documentation).properties.map(\.name)
        let described = documentation.properties.keys
        return Set(read).subtracting(described).sorted().map {
          "\(type): the property \($0) has no description"
        }
          + Set(described).subtracting(read).sorted().map { "\(type): the property \($0) is not read" }
      } catch { return ["\(type) cannot be made of its example: \(error)"] }
    }
  }

  /// The page.
  func page() throws -> String {
    var lines = [
      "# Node types", "",
      "`scripts/docs nodes` makes this page from the library; a test compares them. A property that is "
        + "absent or `null` has its default. A value of another type is replaced, or the node fails when the "
        + "journey reaches it; a warning names node and property "
        + "([journey-files.md](journey-files.md#values-that-cannot-be-taken)). *Ours*: only Sealring has it.",
      "[journeys.md](journeys.md) says how files are loaded.", "",
    ]
    for type in registry.types {
      guard let documentation = NodeDocumentation.all[type] else { continue }
      let (node, properties) = try made(type, documentation)
      lines += ["## \(type)", "", "*\(documentation.title).* \(documentation.summary)", ""]
      if !properties.isEmpty {
        lines += ["| Property | Type | Default | Meaning |", "|---|---|---|---|"]
        for property in properties {
          let isNeeded = documentation.example[property.name] != nil
          lines.append(
            "| `\(property.name)` | \(property.type) | \(isNeeded ? "required" : "`\(property.standard)`") | "
              + "\(documentation.properties[property.name] ?? "") |")
        }
        lines.append("")
      }
      let outcomes =
        documentation.outcomes.isEmpty
        ? node.outcomes.map { "`\($0)`" }.joined(separator: ", ") + "." : documentation.outcomes
      lines += ["Outcomes: \(outcomes)", ""]
    }
    return lines.dropLast().joined(separator: "\n") + "\n"
  }

  /// The properties that the node of the type's example reads.
  func properties(of type: String) throws -> [NodeProperty] {
    try NodeDocumentation.all[type].map { try made(type, $0).properties } ?? []
  }

  private func made(
    _ type: String, _ documentation: NodeDocumentation
  ) throws -> (node: any JourneyNode, properties: [NodeProperty]) {
    guard let maker = registry.maker(for: type) else { throw NodeError("\(type) has no maker") }
    let reads = Locked<[NodeProperty]>([])
    let note: @Sendable (NodeProperty) -> Void = { property in
      reads.withLock { reads in
        // The first says most: a choice is read as a text, too.
        if !reads.contains(where: { $0.name == property.name }) { reads.append(property) }
      }
    }
    var definition = NodeDefinition(id: "node", type: type, properties: documentation.example)
    for script in documentation.scripts { definition.attachments.scripts[script.id] = script }
    if let type = documentation.designedType { definition.attachments.nodeTypes[type.serviceName] = type }
    let node = try NodeProperty.$observer.withValue(note) { try maker(definition) }
    return (node, reads.withLock { $0 })
  }
}
