internal import Accounts
internal import JourneyEngine
internal import JourneyStore
internal import StrictJSON

extension NodeDefinition {
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
          "the attribute \(identityAttribute) is not searchable in the schema, so this looks at one account after the other, and "
            + "finds none among many"
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
}
