package import JourneyEngine
package import JourneyGraphs
package import StrictJSON

extension JourneyCatalog {
  /// Sections of an export that are no parts of a journey by themselves: they are in the graph or among the attachments, or say only who
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
    // A journey that would run itself inside is not offered; one that is looked at may.
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
