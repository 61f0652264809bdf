internal import Bytes
internal import Crypto
internal import Foundation
internal import StrictJSON

/// Makes runnable journeys of trees: nodes by the registry, connections resolved to places.
struct JourneyCompiler: Sendable {
  let registry: NodeRegistry

  /// - Parameter realm: what the realm's other files have for nodes whose own file lacks it.
  func compile(
    _ tree: JourneyTree, realm: String, source: String, others: JourneyAttachments = JourneyAttachments()
  ) -> CompiledJourney {
    var faults = tree.faults
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
    // A node that could not be read is in the faults already.
    if entry == nil, !tree.faults.contains(where: { $0.nodeID == tree.entryNodeID }) {
      faults.append(
        JourneyFileError(
          "the journey starts at \(tree.entryNodeID), which is not one of its nodes", journey: tree.name,
          property: "entryNodeId"))
    }
    let attachments = tree.attachments.completed(by: others, for: tree.nodes.map(\.definition))
    var nodes: [CompiledNode] = []
    var warnings: [JourneyWarning] = []
    for placed in tree.nodes {
      var definition = placed.definition
      definition.attachments = attachments
      func warn(
        _ problem: String, _ kind: JourneyWarning.Kind, _ remedy: String = "", property: String? = nil
      ) {
        warnings.append(
          JourneyWarning(
            problem, kind: kind, remedy: remedy, journey: tree.name, realm: realm, nodeID: definition.id,
            nodeType: definition.type, nodeName: definition.displayName, property: property))
      }
      let made = make(definition, placed: placed, journey: tree.name, faults: &faults)
      for warning in made.node.warnings { warn(warning, .configuration) }
      for each in [definition] + definition.innerNodes {
        if made.unknownTypes.contains(each.type) {
          warn(
            UnknownNode.reason(type: each.type), .unknownType,
            "Until then the journey fails when it gets there.", property: "nodeType")
        }
        if let id = each.scriptID, attachments.scripts[id] == nil {
          warn(
            "the script \(id) is not in the file", .missingScript,
            "Export the journey with its scripts.", property: "script")
        }
        if let name = each.properties["emailTemplateName"]?.stringValue, !name.isEmpty,
          attachments.emailTemplates[name] == nil
        {
          warn(
            "the e-mail template \(name) is not in the file", .missingTemplate,
            "Export the journey with its e-mail templates.", property: "emailTemplateName")
        }
      }
      let matched = OutcomeMatching(outcomes: made.node.outcomes, placed: placed)
      var connections: [(outcome: String, target: ConnectionTarget)] = []
      for (outcome, id) in matched.connected {
        guard let target = target(id) else {
          if tree.faults.contains(where: { $0.nodeID == id }) { continue }
          var fault = JourneyFileError(
            "outcome \(outcome) leads to \(id), which is not one of the journey's nodes", journey: tree.name,
            nodeID: definition.id, nodeType: definition.type, property: "connections")
          fault.nodeName = definition.displayName
          faults.append(fault)
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
          innerJourney: (made.node as? InnerJourneyNode)?.journey, isUnknown: !made.unknownTypes.isEmpty))
    }
    let summary = JourneySummary(
      name: tree.name, description: tree.description, source: source,
      canStart: tree.enabled && !tree.innerTreeOnly, guaranteedLevel: 0, reachableLevel: 0,
      inner: Self.unique(nodes.compactMap(\.innerJourney)))
    let version = Self.version(of: tree.document, attachments)
    return CompiledJourney(
      name: tree.name, realm: realm, summary: summary, noSession: tree.noSession, entry: entry ?? .failure,
      nodes: nodes, ownWarnings: warnings, faults: faults, document: tree.document,
      attachments: tree.attachments, indices: indices, version: version, ownVersion: version)
  }

  private static func unique(_ names: [String]) -> [String] {
    var seen: Set<String> = []
    return names.filter { seen.insert($0).inserted }
  }

  /// A name for this content: the same on all servers that have the same file.
  private static func version(of document: JSONObject, _ attachments: JourneyAttachments) -> String {
    var hash = SHA256()
    hash.update(data: document.serialized)
    for (id, script) in attachments.scripts.sorted(by: { $0.key < $1.key }) {
      hash.update(data: Array("\(id) \(script.source.utf8.count) \(script.source)".utf8))
    }
    for (name, template) in attachments.emailTemplates.sorted(by: { $0.key < $1.key }) {
      hash.update(data: Array(name.utf8) + template.serialized)
    }
    return text(of: hash.finalize())
  }

  /// The version of a journey with what runs inside it.
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
  }

  private func make(
    _ definition: NodeDefinition, placed: JourneyTreeNode, journey: String,
    faults: inout [JourneyFileError]
  ) -> Made {
    let outcomes = placed.connections.map(\.outcome)
    func broken(_ error: any Error, _ definition: NodeDefinition) -> UnknownNode {
      var fault =
        error as? JourneyFileError ?? JourneyFileError("the node cannot be made: \(error)")
      fault.journey = journey
      fault.nodeID = fault.nodeID ?? definition.id
      fault.nodeType = fault.nodeType ?? definition.type
      fault.nodeName = fault.nodeName ?? definition.displayName
      faults.append(fault)
      return UnknownNode(outcomes: outcomes, reason: fault.problem)
    }
    guard definition.type == PageNode.type else {
      guard let known = known(definition.type) else {
        return Made(
          node: UnknownNode(outcomes: outcomes, reason: UnknownNode.reason(type: definition.type)),
          unknownTypes: [definition.type])
      }
      do { return Made(node: try known(definition)) } catch { return Made(node: broken(error, definition)) }
    }
    var inner: [PageNode.Inner] = []
    var unknown: Set<String> = []
    for (index, each) in definition.innerNodes.enumerated() {
      var each = each
      each.attachments = definition.attachments
      let isLast = index == definition.innerNodes.count - 1
      var node: any JourneyNode = UnknownNode(
        outcomes: isLast ? outcomes : ["outcome"],
        reason: "\(UnknownNode.reason(type: each.type)) (\(each.id))")
      if each.type == InnerJourneyNode.type {
        _ = broken(JourneyFileError("a page cannot hold an inner journey", property: "nodes"), each)
      } else if let known = known(each.type) {
        do { node = try known(each) } catch { _ = broken(error, each) }
      } else {
        unknown.insert(each.type)
      }
      inner.append(PageNode.Inner(id: each.id, type: each.type, node: node))
    }
    do { return Made(node: try PageNode(definition, inner: inner), unknownTypes: unknown) } catch {
      return Made(node: broken(error, definition), unknownTypes: unknown)
    }
  }

  private func known(_ type: String) -> NodeRegistry.Maker? {
    guard type == InnerJourneyNode.type else { return registry.maker(for: type) }
    return { try InnerJourneyNode($0) }
  }
}

extension NodeDefinition {
  /// The script that the node names; `nil` when it uses none.
  var scriptID: String? {
    guard properties["useScript"]?.boolValue != false, let id = properties["script"]?.stringValue,
      !id.isEmpty, id != "[Empty]"
    else { return nil }
    return id
  }
}

extension JourneyAttachments {
  /// These, with what `nodes` name and only `others` have, and with the others' library scripts.
  func completed(by others: JourneyAttachments, for nodes: [NodeDefinition]) -> JourneyAttachments {
    guard !others.scripts.isEmpty || !others.emailTemplates.isEmpty else { return self }
    var all = self
    for node in nodes.flatMap({ [$0] + $0.innerNodes }) {
      if let id = node.scriptID, all.scripts[id] == nil { all.scripts[id] = others.scripts[id] }
      if let name = node.properties["emailTemplateName"]?.stringValue, all.emailTemplates[name] == nil {
        all.emailTemplates[name] = others.emailTemplates[name]
      }
    }
    guard !all.scripts.isEmpty else { return all }
    for (id, script) in others.scripts where script.context == "LIBRARY" && all.scripts[id] == nil {
      all.scripts[id] = script
    }
    return all
  }
}
