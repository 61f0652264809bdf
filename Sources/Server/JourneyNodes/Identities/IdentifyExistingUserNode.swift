internal import Accounts
internal import JourneyEngine
internal import JourneyStore
internal import StrictJSON

/// Whether exactly one account has the collected value of an attribute, such as a mail address; the journey continues with its name
/// and `_id`. Proves nothing about the person.
struct IdentifyExistingUserNode: JourneyNode {
  let outcomes = ["true", "false"]
  let stateOutputs = [StateKey.username, StateKey.id]
  let warnings: [String]
  private let services: NodeServices
  private let identityAttribute: String

  init(_ definition: NodeDefinition, services: NodeServices) throws(JourneyFileError) {
    self.services = services
    identityAttribute = try definition.identityAttribute()
    let identifier = try definition.string("identifier", default: ManagedAttribute.userName)
    guard [ManagedAttribute.userName, "_id"].contains(identifier) else {
      throw definition.wrong(
        "identifier", "must be userName or _id: by these the journey names the account that was found")
    }
    let isFound =
      services.schema.index.has(identityAttribute) || identityAttribute == ManagedAttribute.userName
    warnings =
      isFound
      ? []
      : [
        "the attribute \(identityAttribute) is not searchable in the schema, so this looks at one account after the other, and "
          + "finds none among many"
      ]
  }

  func evaluate(_ context: inout NodeContext) async throws -> NodeResult {
    let collected = context.state.objectAttributes[identityAttribute]
    let user: UserRecord?
    if identityAttribute == ManagedAttribute.userName {
      let name = context.state.username ?? collected?.stringValue
      user = try await name.asyncMap { name in
        LoginName.isPossible(name)
          ? try await services.store.user(named: name, realm: context.request.realm) : nil
      }
    } else {
      user = try await services.identity(identityAttribute, is: collected, context)
    }
    guard let user else {
      return context.outcome("false", because: "no account, or more than one, has that \(identityAttribute)")
    }
    context.state.username = user.username
    context.state.shared[StateKey.id] = .string(user.id)
    return .outcome("true")
  }
}

extension Optional {
  fileprivate func asyncMap<Value>(_ transform: (Wrapped) async throws -> Value?) async throws -> Value? {
    guard let self else { return nil }
    return try await transform(self)
  }
}
