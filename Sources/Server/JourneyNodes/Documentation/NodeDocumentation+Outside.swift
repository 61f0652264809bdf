internal import JourneyEngine
internal import StrictJSON

/// Nodes whose work is done outside: by a team's own scripts.
extension NodeDocumentation {
  static let outside: [String: NodeDocumentation] = [
    "designer-*": .init(
      "Node Designer",
      "A node of a type that a team has made itself: its script decides ([scripts](scripts.md#types-of-the-node-designer)). The properties are those that the type names.",
      outcomes: "those that the type names, and `Script Error` with `errorOutcome`.",
      designedType: DesignedNodeType([
        "serviceName": "*", "outcomes": ["outcome"], "script": "action.goTo('outcome')",
      ])),
  ]
}
