internal import Accounts
internal import JourneyEngine
internal import JourneyStore
internal import QueryFilters
internal import StrictJSON

/// Writes what the journey has collected into the account. A new password ends the account's other sessions.
struct PatchObjectNode: JourneyNode {
  let outcomes = ["PATCHED", "FAILURE"]
  let stateInputs = [StateKey.objectAttributes]
  private let services: NodeServices
  private let identityAttribute: String
  private let ignored: [JSONPointer]
  private let isAsOwner: Bool

  init(_ definition: NodeDefinition, services: NodeServices) throws(JourneyFileError) {
    self.services = services
    try definition.requireUserResource()
    identityAttribute = try definition.identityAttribute()
    ignored = try definition.strings("ignoredFields").compactMap { JSONPointer($0) }
    isAsOwner = try definition.flag("patchAsObject", default: false, instead: true)
  }

  func evaluate(_ context: inout NodeContext) async throws -> NodeResult {
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
