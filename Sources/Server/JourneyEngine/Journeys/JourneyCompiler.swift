internal import Bytes
internal import Crypto
internal import Foundation
internal import StrictJSON

/// Compiles trees into runnable journeys: nodes by the registry, connections resolved to indices.
struct JourneyCompiler: Sendable {
  let registry: NodeRegistry

  /// - Parameter others: what the realm's other files have for nodes whose own file lacks it.
  func compile(
    _ tree: JourneyTree, realm: String, source: String, others: JourneyAttachments = JourneyAttachments()
  ) -> CompiledJourney {
    var faults: [JourneyFileError] = []
    var indices: [String: Int] = [:]
    for (index, node) in tree.nodes.enumerated() { indices[node.definition.id] = index }
    func target(_ id: String) -> ConnectionTarget? {
      switch id {
      case ConnectionTarget.successID: .success
      case ConnectionTarget.failureID: .failure
      default: indices[id].map(ConnectionTarget.node)
      }
    }
    let entry = target(tree.entryNodeID)
    if entry == nil {
      faults.append(
        JourneyFileError(
          "the journey starts at \(tree.entryNodeID), which is not one of its nodes; export it again, or name its first node",
          journey: tree.name, property: "entryNodeId"))
    }
    var attachments = tree.attachments.completed(by: others, for: tree.nodes.map(\.definition))
    attachments.gatherLibraries()
    var nodes: [CompiledNode] = []
    nodes.reserveCapacity(tree.nodes.count)
    var warnings = tree.warnings.map { warning in
      var warning = warning
      warning.realm = realm
      return warning
    }
    for placed in tree.nodes {
      var definition = placed.definition
      definition.attachments = attachments
      func warn(
        _ problem: String, _ kind: JourneyWarning.Kind, _ remedy: String = "", property: String? = nil
      ) {
        warnings.append(
          JourneyWarning(
            problem: problem, kind: kind, remedy: remedy, journey: tree.name, realm: realm,
            nodeID: definition.id,
            nodeType: definition.type, nodeName: definition.displayName, property: property))
      }
      let made = make(definition, placed: placed)
      for warning in made.node.warnings { warn(warning, .configuration) }
      for note in made.node.notes { warn(note, .note) }
      // The loop below warns once about each of these nodes.
      let lacking = Set(
        ([definition] + definition.innerNodes).compactMap { each in
          each.scriptID.flatMap { attachments.scripts[$0] == nil ? each.id : nil }
        })
      var failing: Set<String> = []
      for var remark in made.remarks {
        if remark.kind == .unplayable, remark.property == "script", let id = remark.nodeID,
          lacking.contains(id)
        {
          failing.insert(id)
          continue
        }
        (remark.journey, remark.realm) = (tree.name, realm)
        warnings.append(remark)
      }
      for each in [definition] + definition.innerNodes {
        if made.unknownTypes.contains(each.type) {
          warn(
            UnknownNode.reason(type: each.type), .unknownType,
            "Until then the journey fails when it gets there.", property: "nodeType")
        }
        if let name = each.designedTypeName, attachments.nodeTypes[name]?.isAmbiguous == true {
          warn(
            "several files of the realm have different node types \(each.type)", .ambiguousType,
            "The one of \(attachments.nodeTypes[name]?.file ?? "") is used; leave one of them.",
            property: "nodeType")
        }
        if lacking.contains(each.id), let id = each.scriptID {
          let end = failing.contains(each.id) ? "; until then the journey fails when it gets there." : "."
          warn(
            attachments.unreadableScripts[id].map { "the script \(id) cannot be read: \($0)" }
              ?? "the script \(id) is not in the file", .missingScript,
            "Export the journey with its scripts\(end)", property: "script")
        }
        if each.designedTypeName == nil, let name = each.properties["emailTemplateName"]?.stringValue,
          !name.isEmpty,
          attachments.emailTemplates[name] == nil
        {
          warn(
            "the e-mail template \(name) is not in the file", .missingTemplate,
            "The built-in one is used, unless you export the journey with its e-mail templates.",
            property: "emailTemplateName")
        }
      }
      let matched = OutcomeMatching(outcomes: made.node.outcomes, placed: placed)
      var connections: [(outcome: String, target: ConnectionTarget)] = []
      for (outcome, id) in matched.connected {
        guard let target = target(id) else {
          warn(
            "outcome \(outcome) leads to \(id), which is not one of the journey's nodes; a journey that takes it fails",
            .unconnectedOutcome, "Connect it to a node that is there.", property: "connections")
          continue
        }
        connections.append((outcome, target))
      }
      for outcome in matched.unconnected {
        warn(
          "outcome \(outcome) is not connected; a journey that takes it fails", .unconnectedOutcome,
          "Connect it.", property: "connections")
      }
      for outcome in matched.unused {
        warn(
          "the node never takes the connected outcome \(outcome)", .unusedConnection,
          "Remove the connection, or correct the outcome's name.", property: "connections")
      }
      nodes.append(
        CompiledNode(
          id: definition.id, type: definition.type, displayName: definition.displayName, node: made.node,
          connections: connections, properties: definition.properties,
          innerJourney: (made.node as? InnerJourneyNode)?.journey, isUnknown: made.fails))
    }
    let summary = JourneySummary(
      name: tree.name, description: tree.description, source: source,
      canStart: tree.enabled && !tree.innerTreeOnly, guaranteedLevel: 0, reachableLevel: 0,
      inner: Self.unique(nodes.compactMap(\.innerJourney)))
    let version = Self.version(of: tree, attachments)
    return CompiledJourney(
      name: tree.name, realm: realm, summary: summary, noSession: tree.noSession, entry: entry ?? .failure,
      nodes: nodes, ownWarnings: warnings, faults: faults, document: tree.document,
      attachments: tree.attachments, wholeAttachments: attachments,
      designedTypes: tree.designedTypeNames.sorted().compactMap { attachments.nodeTypes[$0] },
      indices: indices, version: version, ownVersion: version)
  }

  private static func unique(_ names: [String]) -> [String] {
    var seen: Set<String> = []
    return names.filter { seen.insert($0).inserted }
  }

  /// A name for this content, equal on all servers that have the same file.
  private static func version(of tree: JourneyTree, _ attachments: JourneyAttachments) -> String {
    var hash = tree.documentHash
    for (id, script) in attachments.scripts.sorted(by: { $0.key < $1.key }) {
      hash.update(data: Array("\(id) \(script.source.utf8.count) \(script.source)".utf8))
    }
    for (name, template) in attachments.emailTemplates.sorted(by: { $0.key < $1.key }) {
      hash.update(data: Array(name.utf8) + template.serialized)
    }
    for (name, type) in attachments.nodeTypes.sorted(by: { $0.key < $1.key }) {
      hash.update(data: Array(name.utf8) + type.document.serialized)
    }
    return text(of: hash.finalize())
  }

  /// The version of a journey together with its inner journeys.
  static func version(_ own: String, inner: [String: CompiledJourney]) -> String {
    guard !inner.isEmpty else { return own }
    let parts = inner.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value.version)" }
    return text(of: SHA256.hash(data: Data(([own] + parts).joined(separator: "\n").utf8)))
  }

  private static func text(of digest: SHA256.Digest) -> String { Base64URL.encode(Array(digest).prefix(9)) }

  // MARK: Nodes

  private struct Made {
    let node: any JourneyNode
    var unknownTypes: Set<String> = []

    /// Problems with properties that were found while the node, or a part of a page, was made; their journey and realm are not set yet.
    var remarks: [JourneyWarning] = []

    /// Whether a journey that gets here fails.
    var fails: Bool { !unknownTypes.isEmpty || remarks.contains { $0.kind == .unplayable } }
  }

  private func make(_ definition: NodeDefinition, placed: JourneyTreeNode) -> Made {
    let outcomes = placed.connections.map(\.outcome)
    var remarks: [JourneyWarning] = []
    if let defect = placed.defect {
      let node = made(definition, outcomes, &remarks) { _ in throw defect }
      return Made(node: node, remarks: remarks)
    }
    guard definition.type == PageNode.type else {
      guard let known = known(definition) else {
        return Made(
          node: UnknownNode(outcomes: outcomes, reason: UnknownNode.reason(type: definition.type)),
          unknownTypes: [definition.type])
      }
      let node = made(definition, outcomes, &remarks, known)
      return Made(node: node, remarks: remarks)
    }
    var inner: [PageNode.Inner] = []
    var unknown: Set<String> = []
    for (index, each) in definition.innerNodes.enumerated() {
      var each = each
      each.attachments = definition.attachments
      let isLast = index == definition.innerNodes.count - 1
      let own = isLast ? outcomes : ["outcome"]
      var node: any JourneyNode = UnknownNode(
        outcomes: own, reason: "\(UnknownNode.reason(type: each.type)) (\(each.id))")
      if each.type == InnerJourneyNode.type {
        node = made(each, own, &remarks) { _ in
          throw JourneyFileError("a page cannot hold an inner journey", property: "nodes")
        }
      } else if let known = known(each) {
        node = made(each, own, &remarks, known)
      } else {
        unknown.insert(each.type)
      }
      inner.append(PageNode.Inner(id: each.id, type: each.type, node: node))
    }
    let page = made(definition, outcomes, &remarks) { try PageNode($0, inner: inner) }
    return Made(node: page, unknownTypes: unknown, remarks: remarks)
  }

  /// The node that `make` makes of `definition`; if it throws, a node that fails when a journey reaches it.
  private func made(
    _ definition: NodeDefinition, _ outcomes: [String], _ remarks: inout [JourneyWarning],
    _ make: (NodeDefinition) throws -> any JourneyNode
  ) -> any JourneyNode {
    let log = RepairLog()
    var definition = definition
    definition.repairs = log
    defer {
      remarks += log.repairs.map {
        JourneyWarning(
          problem: $0.problem, kind: .replacedValue, remedy: $0.remedy, journey: "", realm: "",
          nodeID: definition.id,
          nodeType: definition.type, nodeName: definition.displayName, property: $0.property)
      }
    }
    do { return try make(definition) } catch {
      let fault = error as? JourneyFileError
      let problem = fault?.problem ?? "the node cannot be made: \(error)"
      // A page may fail because of a node inside it.
      let place = definition.innerNodes.first { $0.id == fault?.nodeID } ?? definition
      remarks.append(
        JourneyWarning(
          problem: problem, kind: .unplayable,
          remedy: "Correct it; until then the journey fails when it gets there.",
          journey: "", realm: "", nodeID: fault?.nodeID ?? place.id,
          nodeType: fault?.nodeType ?? (place.type.isEmpty ? nil : place.type), nodeName: place.displayName,
          property: fault?.property))
      return UnknownNode(outcomes: outcomes, reason: fault?.property.map { "\($0) \(problem)" } ?? problem)
    }
  }

  private func known(_ definition: NodeDefinition) -> NodeRegistry.Maker? {
    guard definition.type != InnerJourneyNode.type else { return { try InnerJourneyNode($0) } }
    guard definition.designedTypeName == nil || definition.designedType != nil else { return nil }
    return registry.maker(for: definition.type)
  }
}

extension NodeDefinition {
  /// The script that the node names; `nil` when it uses none.
  var scriptID: String? {
    // The script of a designed type decides what its properties mean.
    guard designedTypeName == nil, properties["useScript"]?.boolValue != false,
      let id = properties["script"]?.stringValue,
      !id.isEmpty, id != "[Empty]"
    else { return nil }
    return id
  }
}

extension JourneyAttachments {
  /// These attachments, with what `nodes` name and only `others` have, and with the library scripts of `others`.
  func completed(by others: JourneyAttachments, for nodes: [NodeDefinition]) -> JourneyAttachments {
    guard !others.scripts.isEmpty || !others.emailTemplates.isEmpty || !others.nodeTypes.isEmpty else {
      return self
    }
    var all = self
    var usesDesignedTypes = false
    for node in nodes.flatMap({ [$0] + $0.innerNodes }) {
      if let name = node.designedTypeName {
        usesDesignedTypes = true
        if all.nodeTypes[name] == nil { all.nodeTypes[name] = others.nodeTypes[name] }
        continue
      }
      if let id = node.scriptID, all.scripts[id] == nil, all.unreadableScripts[id] == nil {
        all.scripts[id] = others.scripts[id]
      }
      if let name = node.properties["emailTemplateName"]?.stringValue, all.emailTemplates[name] == nil {
        all.emailTemplates[name] = others.emailTemplates[name]
      }
    }
    guard usesDesignedTypes || !all.scripts.isEmpty else { return all }
    for (id, script) in others.scripts
    where script.context == "LIBRARY" && all.scripts[id] == nil && all.unreadableScripts[id] == nil {
      all.scripts[id] = script
    }
    return all
  }
}
