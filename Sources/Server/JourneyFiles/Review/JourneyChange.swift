package import JourneyEngine
package import JourneyGraphs
package import SecurityEvents
package import StrictJSON

/// A change of a realm's journey that was made, or would be made.
package struct JourneyChange: Sendable {
  package let realm: String
  package let name: String

  /// `nil` for a journey that was not there, or is gone.
  package let before: JourneyContents?
  package let after: JourneyContents?
  package let difference: JourneyDifference

  private init(realm: String, name: String, before: JourneyContents?, after: JourneyContents?) {
    (self.realm, self.name, self.before, self.after) = (realm, name, before, after)
    difference = JourneyDifference(before, after)
  }

  /// Journeys and the policies beside them, by realm and name.
  package typealias State = (catalog: JourneyCatalog, policies: [String: [String: JSONObject]])

  /// The journeys of a realm that differ, by name.
  package static func all(from before: State, to after: State, realm: String) -> [JourneyChange] {
    let (old, new) = (before.policies[realm] ?? [:], after.policies[realm] ?? [:])
    func versions(_ state: State) -> [String: String?] {
      Dictionary(
        state.catalog.summaries(realm: realm).map {
          ($0.name, state.catalog.version(journey: $0.name, realm: realm))
        }, uniquingKeysWith: { first, _ in first })
    }
    // Equal versions have equal contents, and comparing them takes no time.
    guard versions(before) != versions(after) || old != new else { return [] }
    let one = before.catalog.contents(realm: realm, policies: old)
    let other = after.catalog.contents(realm: realm, policies: new)
    return Set(one.keys).union(other.keys).sorted().filter { one[$0]?.hash != other[$0]?.hash }.map {
      JourneyChange(realm: realm, name: $0, before: one[$0], after: other[$0])
    }
  }

  /// Identifies the change, whoever made it: equal for equal contents before and after.
  package var identity: String { "\(realm)\n\(name)\n\(before?.hash ?? "")\n\(after?.hash ?? "")" }

  /// Whether the change concerns code that runs in the journey.
  package var changesCode: Bool {
    difference.changes.contains { JourneyContents.Part.code.contains($0.part ?? "") }
  }

  /// Most parts that an event names one by one.
  private static let namedParts = 100

  /// The members of the event `journey.changed`: the hashes, how many parts of each kind differ, and which.
  package var detail: JSONObject {
    let parts = difference.changes.filter { $0.part != nil && $0.property == nil }
    func hash(_ contents: JourneyContents?, _ change: JourneyDifference.Change) -> JSONValue {
      contents?.parts.first { $0.kind == change.part && $0.id == change.id }.map { .string($0.hash) } ?? .null
    }
    return [
      "before": before.map { .string($0.hash) } ?? .null, "after": after.map { .string($0.hash) } ?? .null,
      "changes": .integer(Int64(difference.changes.count)),
      "counts": .object(
        JSONObject(difference.counts.sorted { $0.key < $1.key }.map { ($0.key, .integer(Int64($0.value))) })),
      "parts": .array(
        parts.prefix(Self.namedParts).map { change in
          [
            "kind": .string(change.part ?? ""), "name": .string(change.node ?? ""),
            "change": .string(change.kind.rawValue), "linesAdded": .integer(Int64(change.lines?.added ?? 0)),
            "linesRemoved": .integer(Int64(change.lines?.removed ?? 0)), "before": hash(before, change),
            "after": hash(after, change),
          ]
        }),
    ]
  }
}

extension SecurityEvent {
  /// - Parameter actor: `name@realm` of the administrator; `nil` for a file that somebody changed in the folder.
  package static func journeyChanged(
    _ change: JourneyChange, kind: Kind = .journeyChanged, actor: String? = nil, _ detail: JSONObject = [:]
  ) -> SecurityEvent {
    var all = detail
    all.merge(change.detail)
    return SecurityEvent(kind, realm: change.realm, actor: actor, journey: change.name, detail: all)
  }
}

extension JourneyCatalog {
  /// Sections of an export that are not parts of a journey by themselves: they are in the graph or among the attachments, or only say who
  /// made the export.
  private static let ownSections: Set = [
    "meta", "origin", "tree", "nodes", "innerNodes", "scripts", "emailTemplates", "nodeTypes",
  ]

  /// The realm's journeys with all that belongs to them, by name.
  ///
  /// - Parameter policies: those of the realm, by name. They are part of every journey that has a script, since any script may ask for them.
  package func contents(realm: String, policies: [String: JSONObject]) -> [String: JourneyContents] {
    let summaries = summaries(realm: realm)
    let byName = Dictionary(summaries.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    let ofPolicies = policies.map {
      JourneyContents.Part(kind: JourneyContents.Part.policy, id: $0.key, value: .object($0.value))
    }
    var made: [String: JourneyContents] = [:]
    // A journey that would run itself inside is not offered, but one under inspection may.
    var open: Set<String> = []
    func make(_ name: String) -> JourneyContents? {
      if let done = made[name] { return done }
      guard let summary = byName[name], open.insert(name).inserted,
        let document = document(journey: name, realm: realm), let graph = JourneyGraph(document, name: name)
      else { return nil }
      var parts = parts(of: name, document, realm: realm)
      if parts.contains(where: \.isCode) { parts += ofPolicies }
      let inner = summary.inner.compactMap { other in make(other).map { (other, $0) } }
      let contents = JourneyContents(
        graph, parts: parts, inner: Dictionary(inner, uniquingKeysWith: { first, _ in first }))
      made[name] = contents
      return contents
    }
    for summary in summaries { _ = make(summary.name) }
    return made
  }

  private func parts(of journey: String, _ document: JSONObject, realm: String) -> [JourneyContents.Part] {
    let attachments = wholeAttachments(journey: journey, realm: realm) ?? JourneyAttachments()
    var parts = attachments.scripts.map { JourneyContents.Part($1, id: $0) }
    parts += attachments.emailTemplates.map {
      JourneyContents.Part(kind: JourneyContents.Part.mailTemplate, id: $0, value: .object($1))
    }
    for type in nodeTypes(journey: journey, realm: realm) {
      var properties = type.document
      properties["script"] = nil
      parts.append(
        JourneyContents.Part(
          kind: JourneyContents.Part.nodeType, id: type.serviceName, name: type.displayName,
          properties: properties, source: type.script.source))
    }
    for (section, value) in document where !Self.ownSections.contains(section) {
      for (id, value) in value.objectValue ?? [section: value] {
        parts.append(JourneyContents.Part(kind: section, id: id, value: value))
      }
    }
    return parts
  }
}

extension JourneyContents.Part {
  fileprivate init(_ script: JourneyScript, id: String) {
    self.init(
      kind: script.context == "LIBRARY" ? Self.library : Self.script, id: id, name: script.name,
      properties: [
        "name": .string(script.name), "language": .string(script.language),
        "context": .string(script.context),
        "evaluatorVersion": .string(script.evaluatorVersion),
      ], source: script.source)
  }
}
