internal import Accounts
internal import JourneyEngine

extension NodeServices {
  /// Those of a node that adds a factor. With its property `requiresStrongestFactor` (ours) the run must have proven the strongest factor
  /// that the account has, whatever ``factorChanges`` asks: of an account without any the password. What the node writes looks again.
  func addingFactors(_ definition: NodeDefinition) throws(JourneyFileError) -> NodeServices {
    try definition.flag("requiresStrongestFactor", default: false, instead: true)
      ? requiringStrongestFactor : self
  }

  fileprivate var requiringStrongestFactor: NodeServices {
    var services = self
    services.factorChanges = FactorChangePolicy(standard: .strong, maximumAge: factorChanges.maximumAge)
    return services
  }
}

extension NodeDefinition {
  /// Whether a node with `requiresStrongestFactor` would let the run add a factor now, by what the run has proven, or the session presented
  /// at its start. Ours.
  func strongestFactorDecisionNode(_ services: NodeServices) -> PlainNode {
    let services = services.requiringStrongestFactor
    return PlainNode(outcomes: ["true", "false"], stateInputs: [StateKey.username]) { context in
      guard let user = try await services.user(in: &context) else {
        return context.outcome("false", because: "there is no such user")
      }
      do {
        _ = try await services.factorPermission(for: user, context)
        return .outcome("true")
      } catch let refusal as NodeRefusal {
        return context.outcome("false", because: refusal.description)
      }
    }
  }
}
