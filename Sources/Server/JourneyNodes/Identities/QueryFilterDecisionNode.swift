internal import JourneyEngine
internal import QueryFilters

/// Whether the journey's account fits a CREST filter.
struct QueryFilterDecisionNode: JourneyNode {
  let outcomes = ["true", "false"]
  private let services: NodeServices
  private let filter: QueryFilter
  private let identityAttribute: String

  init(_ definition: NodeDefinition, services: NodeServices) throws(JourneyFileError) {
    self.services = services
    identityAttribute = try definition.identityAttribute()
    let text = try definition.string("queryFilter")
    do { filter = try QueryFilter(parsing: text) } catch {
      throw definition.wrong("queryFilter", "is not a CREST filter: \(error)")
    }
  }

  func evaluate(_ context: inout NodeContext) async throws -> NodeResult {
    guard let user = try await services.identity(in: &context, by: identityAttribute) else {
      return context.outcome("false", because: "the journey has no account")
    }
    return .outcome(filter.matches(ManagedUsers.object(of: user)) ? "true" : "false")
  }
}
