internal import Crypto
internal import StrictJSON

/// The trees of a file in the format that PingAM's export tools write, before their nodes are made.
///
/// A journey that cannot be read does not keep the file's others from loading.
struct JourneyFile {
  private(set) var trees: [JourneyTree] = []

  /// The designed node types of a file without journeys, which other files of the realm use.
  private(set) var nodeTypes: [String: DesignedNodeType] = [:]

  /// The journeys that cannot be read, by name, and why.
  private(set) var refused: [(name: String, fault: JourneyFileError)] = []

  /// Room for a whole tenant's journeys with their scripts.
  static let limits = JSONLimits(maximumBytes: 64 << 20, maximumDepth: 64)

  /// First bytes of the compressed files that export tools and browsers make of several exports.
  private static let archives: [(start: [UInt8], name: String)] = [
    ([0x50, 0x4B, 0x03, 0x04], "a ZIP archive"), ([0x1F, 0x8B], "compressed with gzip"),
  ]

  init(_ file: JourneyCatalog.File) throws(JourneyFileError) {
    self = if let content = file.content { try content.get() } else { try JourneyFile(parsing: file) }
  }

  init(parsing file: JourneyCatalog.File) throws(JourneyFileError) {
    let (bytes, source) = (file.bytes, file.source)
    if let reason = file.unreadable { throw JourneyFileError("\(source) cannot be read: \(reason)") }
    if let archive = Self.archives.first(where: { bytes.starts(with: $0.start) }) {
      throw JourneyFileError("\(source) is \(archive.name); unpack it, and use the JSON files in it")
    }
    guard bytes.count <= Self.limits.maximumBytes else {
      throw JourneyFileError(Self.tooLong(source, bytes: bytes.count))
    }
    let root: JSONValue
    do { root = try JSONValue(parsing: bytes, limits: Self.limits) } catch {
      let advice = error.reason == .unexpectedEnd ? "; it is not whole, so copy or export it again" : ""
      throw JourneyFileError("\(source) is \(error)\(advice)")
    }
    guard let document = root.objectValue else {
      throw JourneyFileError("\(source) is not a JSON object; use an exported journey")
    }
    if let several = document["trees"] {
      guard let several = several.objectValue, !several.isEmpty else {
        throw JourneyFileError(
          "\(source) has no journeys; `trees` must hold at least one by name", property: "trees")
      }
      let types = AttachmentReading.nodeTypes(of: document, source: source, references: file.references)
      for (name, value) in several { read(value, nameInFile: name, of: file, types: types) }
    } else if document["tree"] == nil, document["nodeTypes"]?.objectValue != nil {
      nodeTypes = AttachmentReading.nodeTypes(of: document, source: source, references: file.references)
    } else {
      // A file with one journey has no other name for it.
      trees = [try JourneyTree(root, nameInFile: nil, file: file)]
    }
    refuseDuplicates(source)
  }

  /// - Parameter types: the designed node types that stand beside the file's journeys.
  private mutating func read(
    _ value: JSONValue, nameInFile: String, of file: JourneyCatalog.File, types: [String: DesignedNodeType]
  ) {
    do throws(JourneyFileError) {
      var tree = try JourneyTree(value, nameInFile: nameInFile, file: file)
      for type in tree.designedTypeNames where tree.attachments.nodeTypes[type] == nil {
        tree.attachments.nodeTypes[type] = types[type]
      }
      trees.append(tree)
    } catch { refused.append((error.journey ?? nameInFile, error)) }
  }

  /// Refuses journeys that have the same name, because it is unclear which is meant.
  private mutating func refuseDuplicates(_ source: String) {
    var counts: [String: Int] = [:]
    for name in names { counts[name, default: 0] += 1 }
    guard counts.count < names.count else { return }
    for (name, count) in counts.sorted(by: { $0.key < $1.key }) where count > 1 {
      trees.removeAll { $0.name == name }
      refused.append(
        (
          name,
          JourneyFileError(
            "\(source) has \(count) journeys of this name; rename or remove all but one", journey: name)
        ))
    }
  }

  /// The names of all journeys, also those that cannot be read.
  var names: [String] { trees.map(\.name) + refused.map(\.name) }

  /// The error for a file that is too long, with what to do.
  static func tooLong(_ source: String, bytes: Int) -> String {
    "\(source) has \(bytes) bytes, more than the \(limits.maximumBytes) that a journey file may have; export the journeys one by one"
  }
}

extension JourneyCatalog.File {
  /// This file with its content parsed once, for a file that is loaded many times.
  package func asRead() -> Self {
    var file = self
    file.content = Result { () throws(JourneyFileError) in try JourneyFile(parsing: self) }
    return file
  }
}

/// One tree of a file.
struct JourneyTree {
  let name: String
  let description: String
  let enabled: Bool
  let innerTreeOnly: Bool
  let noSession: Bool
  let entryNodeID: String

  let nodes: [JourneyTreeNode]

  /// Problems of the tree, its nodes, scripts and templates that do not keep it from loading. They have no realm yet.
  let warnings: [JourneyWarning]
  var attachments: JourneyAttachments
  let document: JSONObject

  /// The hash of the document, which the hash of the whole journey continues.
  let documentHash: SHA256
}

extension JourneyTree {
  /// The names of the designed node types that its nodes use.
  var designedTypeNames: Set<String> {
    Set(nodes.flatMap { [$0.definition] + $0.definition.innerNodes }.compactMap(\.designedTypeName))
  }
}

/// A node of a tree with its connections as the file has them.
struct JourneyTreeNode {
  let definition: NodeDefinition

  /// Connection name in the file → node id.
  let connections: [(outcome: String, target: String)]

  /// `_outcomes` of the node's details: id → name shown.
  let outcomeNames: [(id: String, displayName: String)]

  /// Why the file does not say enough to make a node of it; `nil` when it does.
  var defect: JourneyFileError?
}

extension JourneyTree {
  init(
    _ value: JSONValue, nameInFile: String?, file: JourneyCatalog.File
  ) throws(JourneyFileError) {
    guard let document = value.objectValue, let tree = document["tree"]?.objectValue else {
      throw JourneyFileError(
        "\(file.source) is not a journey: the object `tree` is missing", journey: nameInFile, property: "tree"
      )
    }
    guard let name = tree["_id"]?.stringValue ?? nameInFile, !name.isEmpty, name.utf8.count <= 256 else {
      throw JourneyFileError(
        "the journey has no name of 1 to 256 bytes", journey: nameInFile, property: "_id")
    }
    var warnings: [JourneyWarning] = []
    /// An unreadable value is replaced by the more restrictive one.
    func flag(_ property: String, default standard: Bool, cautious: Bool, _ remedy: String) -> Bool {
      switch tree.present(property) {
      case nil: return standard
      case .bool(let flag)?: return flag
      case .string("true")?: return true
      case .string("false")?: return false
      default:
        warnings.append(
          JourneyWarning(
            problem: "must be true or false", kind: .replacedValue, remedy: remedy, journey: name, realm: "",
            property: property))
        return cautious
      }
    }
    self.name = name
    self.document = document
    description = tree["description"]?.stringValue ?? ""
    enabled = flag("enabled", default: true, cautious: false, "The journey cannot be started.")
    innerTreeOnly = flag("innerTreeOnly", default: false, cautious: true, "The journey cannot be started.")
    noSession = flag("noSession", default: false, cautious: true, "The journey makes no session.")
    guard let entry = tree["entryNodeId"]?.stringValue else {
      throw JourneyFileError(
        "the journey does not say where it starts; export it again", journey: name, property: "entryNodeId")
    }
    entryNodeID = entry
    guard let placed = (tree["nodes"] ?? [:]).objectValue else {
      throw JourneyFileError("must be an object with the nodes by id", journey: name, property: "nodes")
    }
    let reader = JourneyNodeReader(journey: name, document: document, damaged: file.damagedNodes)
    nodes = placed.map { id, place in reader.node(id: id, place: place, warnings: &warnings) }
    let reading = AttachmentReading(journey: name, document: document, references: file.references)
    self.warnings = warnings + reading.warnings
    var attachments = reading.attachments
    attachments.nodeTypes = AttachmentReading.nodeTypes(
      of: document, source: file.source, references: file.references)
    self.attachments = attachments
    var hash = SHA256()
    hash.update(data: document.serialized)
    documentHash = hash
  }
}

/// Combines what a file says about a node in several places.
private struct JourneyNodeReader {
  let journey: String
  let document: JSONObject

  /// Why details cannot be read, by node id.
  let damaged: [String: String]

  func node(id: String, place: JSONValue, warnings: inout [JourneyWarning]) -> JourneyTreeNode {
    var defect: JourneyFileError?
    let definition: NodeDefinition
    do { definition = try self.definition(id: id, place: place, sections: ["nodes"]) } catch {
      defect = error
      definition = NodeDefinition(
        id: id, type: place["nodeType"]?.stringValue ?? error.nodeType ?? "",
        displayName: place["displayName"]?.stringValue ?? "",
        properties: details(of: id, in: ["nodes"]) ?? JSONObject())
    }
    func warn(_ problem: String) {
      warnings.append(
        JourneyWarning(
          problem: problem, kind: .unconnectedOutcome,
          remedy: "Connect it; until then a journey that takes it fails.",
          journey: journey, realm: "", nodeID: id, nodeType: definition.type,
          nodeName: definition.displayName, property: "connections"))
    }
    let connections = place["connections"] ?? [:]
    if connections.objectValue == nil { warn("must be an object of node ids by outcome") }
    var targets: [(outcome: String, target: String)] = []
    for (outcome, target) in connections.objectValue ?? JSONObject() {
      if let target = target.stringValue {
        targets.append((outcome, target))
      } else {
        warn("the connection of outcome \(outcome) is not a node id")
      }
    }
    let names = (definition.properties["_outcomes"]?.arrayValue ?? []).compactMap {
      entry -> (id: String, displayName: String)? in
      guard let id = entry["id"]?.stringValue, let name = entry["displayName"]?.stringValue else {
        return nil
      }
      return (id, name)
    }
    return JourneyTreeNode(
      definition: definition, connections: targets, outcomeNames: names, defect: defect)
  }

  private func definition(
    id: String, place: JSONValue, sections: [String]
  ) throws(JourneyFileError) -> NodeDefinition {
    let placedType = place["nodeType"]?.stringValue
    guard let properties = details(of: id, in: sections) else {
      throw wrong(
        nil, damaged[id] ?? "the node has no details under `\(sections[0])`; export the journey again", id,
        placedType)
    }
    let detailedType = properties["_type"]?["_id"]?.stringValue
    guard let type = placedType ?? detailedType else {
      throw wrong("nodeType", "the node has no type", id, nil)
    }
    guard detailedType == nil || detailedType == type else {
      throw wrong("_type", "the tree and the node's details disagree on its type", id, type)
    }
    return NodeDefinition(
      id: id, type: type, displayName: place["displayName"]?.stringValue ?? "", properties: properties,
      innerNodes: type == PageNode.type ? try innerNodes(ofPage: id, properties) : [])
  }

  private func details(of id: String, in sections: [String]) -> JSONObject? {
    sections.lazy.compactMap { document[$0]?[id]?.objectValue }.first
  }

  private func innerNodes(
    ofPage page: String, _ properties: JSONObject
  ) throws(JourneyFileError) -> [NodeDefinition] {
    guard let places = properties["nodes"]?.arrayValue, !places.isEmpty else {
      throw wrong("nodes", "the page has no nodes", page, PageNode.type)
    }
    let sections = ["innerNodes", "nodes"]
    var inner: [NodeDefinition] = []
    var ids: Set<String> = []
    for place in places {
      guard let id = place["_id"]?.stringValue else {
        throw wrong("nodes", "a node inside the page has no `_id`", page, PageNode.type)
      }
      // Either place may name the node's type. A page inside the page could be this page itself.
      let types = [place["nodeType"], details(of: id, in: sections)?["_type"]?["_id"]]
      guard !types.contains(.string(PageNode.type)) else {
        throw wrong("nodes", "the node \(id) inside the page is a page itself", page, PageNode.type)
      }
      guard ids.insert(id).inserted else {
        throw wrong("nodes", "the page has the node \(id) twice", page, PageNode.type)
      }
      inner.append(try definition(id: id, place: place, sections: sections))
    }
    return inner
  }

  private func wrong(
    _ property: String?, _ problem: String, _ nodeID: String, _ nodeType: String?
  ) -> JourneyFileError {
    JourneyFileError(problem, journey: journey, nodeID: nodeID, nodeType: nodeType, property: property)
  }
}
