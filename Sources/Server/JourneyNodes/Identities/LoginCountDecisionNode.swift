internal import JourneyEngine
internal import JourneyStore
internal import StrictJSON

/// Whether the account has signed in a number of times, or any multiple of it.
struct LoginCountDecisionNode: JourneyNode {
  let outcomes = ["true", "false"]
  private let services: NodeServices
  private let identityAttribute: String
  private let amount: Int64
  private let interval: Interval

  private enum Interval: String, CaseIterable { case at, every }

  init(_ definition: NodeDefinition, services: NodeServices) throws(JourneyFileError) {
    self.services = services
    identityAttribute = try definition.identityAttribute()
    amount = Int64(try definition.integer("amount", default: 25, in: 1...1_000_000_000, clamping: .down))
    interval = try definition.choice("interval", default: "AT")
  }

  func evaluate(_ context: inout NodeContext) async throws -> NodeResult {
    guard let user = try await services.identity(in: &context, by: identityAttribute) else {
      return context.outcome("false", because: "the journey has no account")
    }
    let count = user.attributes[IncrementLoginCountNode.attribute]?.integerValue ?? 0
    let isMet =
      switch interval {
      case .at: count == amount
      case .every: count > 0 && count % amount == 0
      }
    return .outcome(isMet ? "true" : "false")
  }
}
