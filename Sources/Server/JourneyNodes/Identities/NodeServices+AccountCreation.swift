internal import Accounts
internal import JourneyEngine
internal import StrictJSON

extension NodeServices {
  /// Creates an account from what the journey has collected; the journey continues as its user.
  ///
  /// - Parameter standardName: the name of an account for which none was collected; `nil` makes that an error.
  /// - Throws: ``ManagedObjectError`` when the account cannot be made of it.
  func createAccount(_ context: inout NodeContext, standardName: String? = nil) async throws {
    var content = context.state.objectAttributes
    // Nobody registers as blocked, or as somebody's id.
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
  }
}
