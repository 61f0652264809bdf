internal import Accounts
internal import JourneyEngine
internal import JourneyStore
internal import QueryFilters
internal import StrictJSON

extension NodeDefinition {
  /// Creates an account from `objectAttributes`; the journey continues as its user.
  func createObjectNode(_ services: NodeServices) throws(JourneyFileError) -> PlainNode {
    try requireUserResource()
    return PlainNode(
      outcomes: ["CREATED", "FAILURE"], stateInputs: [StateKey.objectAttributes],
      stateOutputs: [StateKey.username, StateKey.id]
    ) { context in
      do {
        try await services.createAccount(&context)
        return .outcome("CREATED")
      } catch let error as ManagedObjectError {
        return context.outcome("FAILURE", because: "the account was not created: \(error)")
      }
    }
  }

  /// Creates an account for a person who is known to a provider but has none here: `ProvisionDynamicAccountNode`, and
  /// `ProvisionIdmAccountNode`, which is the same where accounts are the identities.
  ///
  /// The account is created from what the social node left, by the rules of ``createObjectNode(_:)`` and with the same link. Without a name
  /// it gets a random one, as PingAM does; without a `CreatePasswordNode` it has no password.
  func provisionAccountNode(_ services: NodeServices) -> PlainNode {
    noteReading("accountProviderClass", as: "text", default: #""""#)
    return PlainNode(
      stateInputs: [StateKey.objectAttributes], stateOutputs: [StateKey.username, StateKey.id]
    ) { context in
      do {
        try await services.createAccount(&context, standardName: services.uuid())
        return .outcome("outcome")
      } catch let error as ManagedObjectError {
        throw NodeError("the account was not created: \(error)")
      }
    }
  }

  /// - Throws: when the node is about other objects than users.
  func requireUserResource() throws(JourneyFileError) {
    let resource = try string("identityResource")
    guard
      resource.isEmpty || resource == "managed/user"
        || resource.hasPrefix("managed/") && resource.hasSuffix("_user")
    else {
      throw wrong("identityResource", "must be managed/REALM_user: this server has no other managed objects")
    }
  }

  /// Writes what the journey has collected into the account. A new password ends the account's other sessions.
  func patchObjectNode(_ services: NodeServices) throws(JourneyFileError) -> PlainNode {
    try requireUserResource()
    let identityAttribute = try identityAttribute()
    let ignored = try strings("ignoredFields").compactMap { JSONPointer($0) }
    let isAsOwner = try flag("patchAsObject", default: false, instead: true)
    return PlainNode(
      outcomes: ["PATCHED", "FAILURE"], stateInputs: [StateKey.objectAttributes]
    ) { context in
      guard let user = try await services.identity(in: &context, by: identityAttribute) else {
        return context.outcome("FAILURE", because: "the journey has no account")
      }
      var values = context.state.objectAttributes
      for pointer in ignored { pointer.set(nil, in: &values) }
      // The name that was typed may differ in case; `_id` and the status do not come from people.
      for name in ["_id", "_rev", ManagedAttribute.userName, ManagedAttribute.accountStatus] {
        values[name] = nil
      }
      // Members that were not collected stay.
      for (name, value) in values {
        guard let new = value.objectValue, var old = user.attributes[name]?.objectValue else { continue }
        old.merge(new)
        values[name] = .object(old)
      }
      // A person at another provider is added to those who are linked.
      let link = FederationServices.linkAttribute
      if let new = values[link]?.arrayValue {
        let present = user.attributes[link]?.arrayValue ?? []
        values[link] = .array(present + new.filter { !present.contains($0) })
      }
      guard !values.isEmpty else { return .outcome("PATCHED") }
      let setsPassword = values[ManagedAttribute.password].map { !$0.isNull } ?? false
      do {
        let changed = try await ManagedUsers(services, actor: context.actor)
          .merge(values, into: user, isOwner: isAsOwner)
        context.state.username = changed.username
        if setsPassword { context.state.notePassword(PasswordMark(changed).text) }
        return .outcome("PATCHED")
      } catch let error as ManagedObjectError {
        return context.outcome("FAILURE", because: "the account was not changed: \(error)")
      }
    }
  }
}

extension NodeServices {
  /// Creates an account from what the journey has collected; the journey continues as its user.
  ///
  /// - Parameter standardName: the name of an account for which none was collected; `nil` makes that an error.
  /// - Throws: ``ManagedObjectError`` when the account cannot be created from it.
  func createAccount(_ context: inout NodeContext, standardName: String? = nil) async throws {
    var content = context.state.objectAttributes
    // A person who registers chooses neither the account's id nor its status.
    for name in ["_id", "_rev", ManagedAttribute.accountStatus] { content[name] = nil }
    content[ManagedAttribute.userName] =
      content[ManagedAttribute.userName] ?? (context.state.username ?? standardName).map { .string($0) }
    content[ManagedAttribute.password] =
      content[ManagedAttribute.password] ?? context.state.transient[StateKey.password]
    let created = try await identities(for: context.actor).create(
      "managed/user", id: nil, content: content, realm: context.request.realm)
    context.state.username = created[ManagedAttribute.userName]?.stringValue
    context.state.shared[StateKey.id] = created["_id"]
    context.state.createdAccount = created["_id"]?.stringValue
    if let id = context.state.createdAccount { context.state.noteAccount(id) }
  }
}
