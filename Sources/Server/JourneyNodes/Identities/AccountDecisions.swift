internal import Accounts
internal import JourneyEngine
internal import JourneyStore
internal import QueryFilters
internal import StrictJSON

extension NodeDefinition {
  /// A node that says `true` or `false` of the journey's account.
  private func accountDecision(
    _ services: NodeServices, by identityAttribute: String, _ isMet: @escaping @Sendable (UserRecord) -> Bool
  ) -> PlainNode {
    PlainNode(outcomes: ["true", "false"]) { context in
      guard let user = try await services.identity(in: &context, by: identityAttribute) else {
        return context.outcome("false", because: "the journey has no account")
      }
      return .outcome(isMet(user) ? "true" : "false")
    }
  }

  /// Whether the journey's account has an attribute. A password is present when one can sign in with it.
  func attributePresentDecisionNode(_ services: NodeServices) throws(JourneyFileError) -> PlainNode {
    let identityAttribute = try identityAttribute()
    let attribute = try attribute("presentAttribute", default: ManagedAttribute.password)
    return accountDecision(services, by: identityAttribute) { user in
      attribute.names == [ManagedAttribute.password]
        ? user.passwordHash != nil : QueryFilter.present(attribute).matches(ManagedUsers.object(of: user))
    }
  }

  /// Whether an attribute of the journey's account is there, or has a value; values compare by their text, without regard to case.
  func attributeValueDecisionNode(_ services: NodeServices) throws(JourneyFileError) -> PlainNode {
    let identityAttribute = try identityAttribute()
    let comparesValue: Bool = try choice(
      "comparisonOperation", default: "PRESENT", among: [("PRESENT", false), ("EQUALS", true)])
    let attribute = try attribute("comparisonAttribute")
    let text = try string("comparisonValue")
    var filter = QueryFilter.present(attribute)
    if comparesValue {
      var alternatives = [QueryFilter.comparison(attribute, .equal, .string(text))]
      // The file has a text, the attribute may have a number or a flag of the same form.
      if let value = try? JSONValue(parsing: text), value.stringValue == nil, !value.isNull {
        alternatives.append(.comparison(attribute, .equal, value))
      }
      filter = .or(alternatives)
    }
    return accountDecision(services, by: identityAttribute) { [filter] user in
      filter.matches(ManagedUsers.object(of: user))
    }
  }

  /// Whether the journey's account fits a CREST filter.
  func queryFilterDecisionNode(_ services: NodeServices) throws(JourneyFileError) -> PlainNode {
    let identityAttribute = try identityAttribute()
    let text = try string("queryFilter")
    let filter: QueryFilter
    do { filter = try QueryFilter(parsing: text) } catch {
      throw wrong("queryFilter", "is not a CREST filter: \(error)")
    }
    return accountDecision(services, by: identityAttribute) { filter.matches(ManagedUsers.object(of: $0)) }
  }

  /// Whether the account has signed in a number of times, or any multiple of it.
  func loginCountDecisionNode(_ services: NodeServices) throws(JourneyFileError) -> PlainNode {
    let identityAttribute = try identityAttribute()
    let amount = Int64(try integer("amount", default: 25, in: 1...1_000_000_000, clamping: .down))
    let countsMultiples: Bool = try choice(
      "interval", default: "AT", among: [("AT", false), ("EVERY", true)])
    return accountDecision(services, by: identityAttribute) { user in
      let count = user.attributes[ManagedAttribute.loginCount]?.integerValue ?? 0
      return countsMultiples ? count > 0 && count % amount == 0 : count == amount
    }
  }

  /// Whether all required attributes of a new account have been collected.
  func requiredAttributesDecisionNode(_ services: NodeServices) throws(JourneyFileError) -> PlainNode {
    try requireUserResource()
    return PlainNode(outcomes: ["true", "false"]) { context in
      var collected = context.state.objectAttributes
      if let username = context.state.username, collected[ManagedAttribute.userName] == nil {
        collected[ManagedAttribute.userName] = .string(username)
      }
      let missing = services.schema.missing(in: collected)
      guard !missing.isEmpty else { return .outcome("true") }
      return context.outcome(
        "false", because: "not collected: \(missing.map(\.attribute).joined(separator: ", "))")
    }
  }
}
