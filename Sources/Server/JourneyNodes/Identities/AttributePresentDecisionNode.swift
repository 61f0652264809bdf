internal import Accounts
internal import JourneyEngine
internal import JourneyStore
internal import QueryFilters
internal import StrictJSON

/// Whether the journey's account has an attribute. A password is present when one can sign in with it.
struct AttributePresentDecisionNode: JourneyNode {
  let outcomes = ["true", "false"]
  private let services: NodeServices
  private let attribute: JSONPointer
  private let identityAttribute: String

  init(_ definition: NodeDefinition, services: NodeServices) throws(JourneyFileError) {
    self.services = services
    identityAttribute = try definition.identityAttribute()
    guard
      let pointer = JSONPointer(try definition.string("presentAttribute", default: ManagedAttribute.password))
    else { throw definition.wrong("presentAttribute", "must name an attribute") }
    attribute = pointer
  }

  func evaluate(_ context: inout NodeContext) async throws -> NodeResult {
    guard let user = try await services.identity(in: &context, by: identityAttribute) else {
      return context.outcome("false", because: "the journey has no account")
    }
    if attribute.names == [ManagedAttribute.password] {
      return .outcome(user.passwordHash == nil ? "false" : "true")
    }
    let isPresent = QueryFilter.present(attribute).matches(ManagedUsers.object(of: user))
    return .outcome(isPresent ? "true" : "false")
  }
}
