import JourneyEngine
import StrictJSON

extension FuzzTarget {
  /// Each journey of an export is refused with a reason, or is there under its name with all that the file says.
  static let journey = FuzzTarget { bytes in
    var catalog = JourneyCatalog(registry: registry)
    let file = catalog.load([JourneyCatalog.File(bytes, source: "file")], realm: "alpha")[0]
    expect(!file.journeys.isEmpty || !file.faults.isEmpty, "a file without journeys has no fault")
    let names = file.loaded
    expect(
      Set(catalog.summaries(realm: "alpha").map(\.name)) == Set(names), "others are there than were loaded")
    for name in names {
      let document = catalog.document(journey: name, realm: "alpha")
      expect(document?["tree"] != nil, "a journey has lost its file")
    }
    _ = catalog.warnings
    _ = catalog.journey(reaching: 10, realm: "alpha")
    catalog.withdraw(Set(file.journeys), realm: "alpha")
    expect(catalog.summaries(realm: "alpha").isEmpty, "a withdrawn journey is still there")
  }

  private static let registry = NodeRegistry(
    Dictionary(
      uniqueKeysWithValues: [
        "UsernameCollectorNode", "PasswordCollectorNode", "DataStoreDecisionNode", "DeviceBindingNode",
        "DeviceSigningVerifierNode", "ModifyAuthLevelNode", "InnerTreeEvaluatorNode", "TestNode",
      ].map { type in (type, { @Sendable in TestNode(properties: $0.properties) }) }))

  private struct TestNode: JourneyNode {
    let outcomes: [String]
    let stateInputs: [String]
    let authLevelIncrement: Int

    init(properties: JSONObject) {
      outcomes = properties["_outcomes"]?.arrayValue?.compactMap { $0["id"]?.stringValue } ?? ["outcome"]
      stateInputs = properties["inputs"]?.arrayValue?.compactMap(\.stringValue) ?? []
      authLevelIncrement = properties["authLevelIncrement"]?.integerValue.flatMap { Int(exactly: $0) } ?? 0
    }

    func evaluate(_ context: inout NodeContext) -> NodeResult { .outcome(outcomes.first ?? "outcome") }
  }
}
