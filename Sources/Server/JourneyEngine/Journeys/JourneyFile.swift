internal import StrictJSON

/// The trees of a file in the format that PingAM's export tools write, before their nodes are made.
struct JourneyFile {
  let trees: [JourneyTree]

  /// The designed node types of a file without journeys, which other files of the realm use.
  var nodeTypes: [String: DesignedNodeType] = [:]

  /// Room for large scripts and templates; far above any export seen.
  static let limits = JSONLimits(maximumBytes: 16 << 20, maximumDepth: 64)

  /// How compressed files begin, which export tools and browsers make of several exports.
  private static let archives: [(start: [UInt8], name: String)] = [
    ([0x50, 0x4B, 0x03, 0x04], "a ZIP archive"), ([0x1F, 0x8B], "compressed with gzip"),
  ]

  init(
    parsing bytes: [UInt8], source: String, references: JourneyFileReferences? = nil
  ) throws(JourneyFileError) {
    if let archive = Self.archives.first(where: { bytes.starts(with: $0.start) }) {
      throw JourneyFileError("\(source) is \(archive.name); unpack it, and use the JSON files in it")
    }
    guard bytes.count <= Self.limits.maximumBytes else {
      throw JourneyFileError(
        "\(source) has \(bytes.count) bytes, more than the \(Self.limits.maximumBytes) that a journey file may have; "
          + "export the journeys one by one")
    }
    let root: JSONValue
    do { root = try JSONValue(parsing: bytes, limits: Self.limits) } catch {
      let advice = error.reason == .unexpectedEnd ? "; it is not whole, so copy or export it again" : ""
      throw JourneyFileError("\(source) is \(error)\(advice)")
    }
    guard let file = root.objectValue else {
      throw JourneyFileError("\(source) is not a JSON object; use an exported journey")
    }
    if let several = file["trees"] {
      guard let several = several.objectValue, !several.isEmpty else {
        throw JourneyFileError(
          "\(source) has no journeys; `trees` must hold at least one by name", property: "trees")
      }
      let types = AttachmentReading.nodeTypes(of: file, source: source, references: references)
      var trees: [JourneyTree] = []
      for (name, value) in several {
        var tree = try JourneyTree(value, nameInFile: name, source: source, references: references)
        for type in tree.designedTypeNames where tree.attachments.nodeTypes[type] == nil {
          tree.attachments.nodeTypes[type] = types[type]
        }
        trees.append(tree)
      }
      self.trees = trees
    } else if file["tree"] == nil, file["nodeTypes"]?.objectValue != nil {
      trees = []
      nodeTypes = AttachmentReading.nodeTypes(of: file, source: source, references: references)
    } else {
      trees = [try JourneyTree(root, nameInFile: nil, source: source, references: references)]
    }
    var names: Set<String> = []
    for tree in trees where !names.insert(tree.name).inserted {
      throw JourneyFileError("\(source) has two journeys of this name", journey: tree.name)
    }
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

  /// The nodes that could be read.
  let nodes: [JourneyTreeNode]

  /// What is wrong with nodes, scripts and templates; a journey with any is not offered.
  let faults: [JourneyFileError]
  var attachments: JourneyAttachments
  let document: JSONObject
}

extension JourneyTree {
  /// What the types that its nodes have from the designer are called there.
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
}

extension JourneyTree {
  init(
    _ value: JSONValue, nameInFile: String?, source: String, references: JourneyFileReferences?
  ) throws(JourneyFileError) {
    guard let document = value.objectValue, let tree = document["tree"]?.objectValue else {
      throw JourneyFileError(
        "\(source) is not a journey: the object `tree` is missing", journey: nameInFile, property: "tree")
    }
    guard let name = tree["_id"]?.stringValue ?? nameInFile, !name.isEmpty, name.utf8.count <= 256 else {
      throw JourneyFileError(
        "the journey has no name of 1 to 256 bytes", journey: nameInFile, property: "_id")
    }
    self.name = name
    self.document = document
    description = tree["description"]?.stringValue ?? ""
    enabled = try tree.flag("enabled", default: true, journey: name)
    innerTreeOnly = try tree.flag("innerTreeOnly", default: false, journey: name)
    noSession = try tree.flag("noSession", default: false, journey: name)
    guard let entry = tree["entryNodeId"]?.stringValue else {
      throw JourneyFileError(
        "the journey does not say where it starts", journey: name, property: "entryNodeId")
    }
    entryNodeID = entry
    guard let placed = (tree["nodes"] ?? [:]).objectValue else {
      throw JourneyFileError("must be an object of nodes by id", journey: name, property: "nodes")
    }
    let reader = JourneyNodeReader(journey: name, document: document)
    var nodes: [JourneyTreeNode] = []
    var faults: [JourneyFileError] = []
    for (id, place) in placed {
      do { nodes.append(try reader.node(id: id, place: place)) } catch {
        var error = error
        error.nodeName = error.nodeName ?? place["displayName"]?.stringValue
        faults.append(error)
      }
    }
    let reading = AttachmentReading(journey: name, document: document, references: references)
    self.nodes = nodes
    self.faults = faults + reading.faults
    attachments = reading.attachments
    attachments.nodeTypes = AttachmentReading.nodeTypes(of: document, source: source, references: references)
  }
}

/// Puts together what a file says about a node in several places.
private struct JourneyNodeReader {
  let journey: String
  let document: JSONObject

  func node(id: String, place: JSONValue) throws(JourneyFileError) -> JourneyTreeNode {
    let definition = try definition(id: id, place: place, sections: ["nodes"])
    guard let connections = (place["connections"] ?? [:]).objectValue else {
      throw wrong("connections", "must be an object of node ids by outcome", id, definition.type)
    }
    var targets: [(outcome: String, target: String)] = []
    for (outcome, target) in connections {
      guard let target = target.stringValue else {
        throw wrong(
          "connections", "the connection of outcome \(outcome) is not a node id", id, definition.type)
      }
      targets.append((outcome, target))
    }
    let names = (definition.properties["_outcomes"]?.arrayValue ?? []).compactMap {
      entry -> (id: String, displayName: String)? in
      guard let id = entry["id"]?.stringValue, let name = entry["displayName"]?.stringValue else {
        return nil
      }
      return (id, name)
    }
    return JourneyTreeNode(definition: definition, connections: targets, outcomeNames: names)
  }

  private func definition(
    id: String, place: JSONValue, sections: [String]
  ) throws(JourneyFileError) -> NodeDefinition {
    let placedType = place["nodeType"]?.stringValue
    guard let properties = details(of: id, in: sections) else {
      throw wrong(
        nil, "the node has no details under `\(sections[0])`; export the journey again", id, placedType)
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
      // Either place may say what it is. A page among them could be this one.
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

extension JSONObject {
  fileprivate func flag(
    _ name: String, default standard: Bool, journey: String
  ) throws(JourneyFileError) -> Bool {
    guard let value = present(name) else { return standard }
    guard let flag = value.boolValue else {
      throw JourneyFileError("must be true or false", journey: journey, property: name)
    }
    return flag
  }
}
