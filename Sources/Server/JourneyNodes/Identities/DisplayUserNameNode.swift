internal import Accounts
internal import JourneyEngine
internal import QueryFilters
internal import StrictJSON

/// Shows an attribute of the journey's account, the name to sign in with unless another is chosen.
///
/// Anyone on this page sees it: put it after a proof that the account is theirs, such as a link in a mail.
struct DisplayUserNameNode: JourneyNode {
  let outcomes = ["outcome"]
  private let services: NodeServices
  private let attribute: JSONPointer
  private let identityAttribute: String

  init(_ definition: NodeDefinition, services: NodeServices) throws(JourneyFileError) {
    self.services = services
    identityAttribute = try definition.identityAttribute()
    guard let pointer = JSONPointer(try definition.string("userName", default: ManagedAttribute.userName))
    else {
      throw definition.wrong("userName", "must name an attribute")
    }
    attribute = pointer
  }

  func evaluate(_ context: inout NodeContext) async throws -> NodeResult {
    guard context.reply == nil else { return .outcome("outcome") }
    guard let user = try await services.identity(in: &context, by: identityAttribute),
      let text = attribute.value(in: ManagedUsers.object(of: user))?.stringValue
    else { return context.outcome("outcome", because: "there is no name to show") }
    return .callbacks([StandardCallback.text(text)])
  }
}
