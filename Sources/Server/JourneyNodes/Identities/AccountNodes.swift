internal import Accounts
internal import JourneyEngine
internal import JourneyStore
internal import QueryFilters
internal import StrictJSON

extension NodeDefinition {
  /// A node that decides `true` or `false` about the journey's account.
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

  /// Counts a sign-in of the journey's account in its attribute `loginCount`; simultaneous sign-ins are all counted.
  func incrementLoginCountNode(_ services: NodeServices) throws(JourneyFileError) -> PlainNode {
    let identityAttribute = try identityAttribute()
    return PlainNode { context in
      guard let user = try await services.identity(in: &context, by: identityAttribute) else {
        return context.outcome("outcome", because: "the journey has no account, so nothing was counted")
      }
      do {
        _ = try await ManagedUsers(services).keep(ManagedAttribute.loginCount, of: user) { present in
          .integer(min(present?.integerValue ?? 0, Int64.max - 1) + 1)
        }
      } catch let error as ManagedObjectError {
        // A failed count must not keep somebody out.
        context.logReason("the sign-in was not counted: \(error)")
      }
      return .outcome("outcome")
    }
  }

  /// Shows an attribute of the journey's account, the name to sign in with unless another is chosen.
  ///
  /// Anyone on this page sees it: put it after a proof that the account is theirs, such as a link in a mail.
  func displayUserNameNode(_ services: NodeServices) throws(JourneyFileError) -> PlainNode {
    let identityAttribute = try identityAttribute()
    let attribute = try attribute("userName", default: ManagedAttribute.userName)
    return PlainNode { context in
      guard context.reply == nil else { return .outcome("outcome") }
      guard let user = try await services.identity(in: &context, by: identityAttribute),
        let text = attribute.value(in: ManagedUsers.object(of: user))?.stringValue
      else { return context.outcome("outcome", because: "there is no name to show") }
      return .callbacks([StandardCallback.text(text)])
    }
  }

  /// Whether exactly one account has the collected value of an attribute, such as a mail address; the journey continues with its name
  /// and `_id`. Proves nothing about the person.
  func identifyExistingUserNode(_ services: NodeServices) throws(JourneyFileError) -> PlainNode {
    let identityAttribute = try identityAttribute()
    let identifier = try string("identifier", default: ManagedAttribute.userName)
    guard [ManagedAttribute.userName, "_id"].contains(identifier) else {
      throw wrong(
        "identifier", "must be userName or _id: by these the journey names the account that was found")
    }
    let isByName = identityAttribute == ManagedAttribute.userName
    return PlainNode(
      outcomes: ["true", "false"], stateOutputs: [StateKey.username, StateKey.id],
      warnings: isByName || services.schema.index.has(identityAttribute)
        ? []
        : [
          "the attribute \(identityAttribute) is not searchable in the schema, so the node reads one account after the "
            + "other, and finds none when there are too many"
        ]
    ) { context in
      let collected = context.state.objectAttributes[identityAttribute]
      var user: UserRecord?
      if !isByName {
        user = try await services.identity(identityAttribute, is: collected, context)
      } else if let name = context.state.username ?? collected?.stringValue, LoginName.isPossible(name) {
        user = try await services.store.user(named: name, realm: context.request.realm)
      }
      guard let user else {
        return context.outcome(
          "false", because: "no account, or more than one, has that \(identityAttribute)")
      }
      context.state.username = user.username
      context.state.shared[StateKey.id] = .string(user.id)
      return .outcome("true")
    }
  }

  /// Makes the journey's account inactive, or active again and free of locks. Inactive accounts cannot sign in, and their sessions end.
  func accountLockoutNode(_ services: NodeServices) throws(JourneyFileError) -> PlainNode {
    let identityAttribute = try identityAttribute()
    let unlocks: Bool = try choice(
      "lockAction", default: "LOCK", among: [("LOCK", false), ("UNLOCK", true)])
    return PlainNode { context in
      guard let user = try await services.identity(in: &context, by: identityAttribute) else {
        return context.outcome("outcome", because: "the journey has no account")
      }
      let accounts = services.accounts
      do {
        _ = try await accounts.change(user.account, by: context.actor) { _ in
          var change = AccountChange()
          change.isActive = unlocks
          return change
        }
        if unlocks { _ = try await accounts.unlock(user.account, by: context.actor) }
      } catch AccountRefusal.noSuchUser {
        return context.outcome("outcome", because: "the account was deleted meanwhile")
      } catch AccountRefusal.lastAdministrator {
        // Otherwise anyone who fails often enough could lock everybody out.
        context.logReason("the root realm's last active administrator is not locked")
      }
      return .outcome("outcome")
    }
  }

  /// Continues as one fixed account that everyone on this path shares. There is a session only if the account exists; an account with a role
  /// is refused.
  func anonymousUserNode(_ services: NodeServices) throws(JourneyFileError) -> PlainNode {
    let name = try string("anonymousUserName", default: "anonymous")
    if let fault = LoginName.fault(in: name) { throw wrong("anonymousUserName", fault) }
    return PlainNode(stateOutputs: [StateKey.username]) { context in
      let user = try await services.store.user(named: name, realm: context.request.realm)
      guard user?.roles.isEmpty ?? true else {
        throw NodeError("the account \(name.quoted) has a role, and such accounts need a proof")
      }
      context.state.username = user?.username ?? name
      return .outcome("outcome")
    }
  }
}
