internal import JourneyEngine
internal import QueryFilters
internal import StrictJSON

/// Whether an attribute of the journey's account is there, or has a value; values compare by their text, without regard to case.
struct AttributeValueDecisionNode: JourneyNode {
  let outcomes = ["true", "false"]
  private let services: NodeServices
  private let filter: QueryFilter
  private let identityAttribute: String

  private enum Operation: String, CaseIterable { case present, equals }

  init(_ definition: NodeDefinition, services: NodeServices) throws(JourneyFileError) {
    self.services = services
    identityAttribute = try definition.identityAttribute()
    let operation: Operation = try definition.choice("comparisonOperation", default: "PRESENT")
    guard let pointer = JSONPointer(try definition.string("comparisonAttribute")) else {
      throw definition.wrong("comparisonAttribute", "must name an attribute")
    }
    let text = try definition.string("comparisonValue")
    switch operation {
    case .present: filter = .present(pointer)
    case .equals:
      // The file has a text, the attribute may have a number or a flag of the same form.
      var alternatives = [QueryFilter.comparison(pointer, .equal, .string(text))]
      if let value = try? JSONValue(parsing: text), value.stringValue == nil, !value.isNull {
        alternatives.append(.comparison(pointer, .equal, value))
      }
      filter = .or(alternatives)
    }
  }

  func evaluate(_ context: inout NodeContext) async throws -> NodeResult {
    guard let user = try await services.identity(in: &context, by: identityAttribute) else {
      return context.outcome("false", because: "the journey has no account")
    }
    return .outcome(filter.matches(ManagedUsers.object(of: user)) ? "true" : "false")
  }
}
