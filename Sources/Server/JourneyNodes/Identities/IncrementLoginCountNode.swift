internal import Accounts
internal import JourneyEngine
internal import StrictJSON

/// Counts a sign-in of the journey's account, in its attribute `loginCount`; of several at once each counts.
struct IncrementLoginCountNode: JourneyNode {
  /// Where the number of sign-ins is.
  static let attribute = ManagedAttribute.loginCount

  let outcomes = ["outcome"]
  private let services: NodeServices
  private let identityAttribute: String

  init(_ definition: NodeDefinition, services: NodeServices) throws(JourneyFileError) {
    self.services = services
    identityAttribute = try definition.identityAttribute()
  }

  func evaluate(_ context: inout NodeContext) async throws -> NodeResult {
    guard let user = try await services.identity(in: &context, by: identityAttribute) else {
      return context.outcome("outcome", because: "the journey has no account, so nothing was counted")
    }
    do {
      _ = try await ManagedUsers(services).keep(Self.attribute, of: user) { present in
        .integer(min(present?.integerValue ?? 0, Int64.max - 1) + 1)
      }
    } catch let error as ManagedObjectError {
      // A failed count must not keep somebody out.
      context.logReason("the sign-in was not counted: \(error)")
    }
    return .outcome("outcome")
  }
}
