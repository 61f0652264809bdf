internal import Accounts
internal import JourneyEngine
internal import JourneyStore
internal import QueryFilters
internal import StrictJSON

extension NodeDefinition {
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
