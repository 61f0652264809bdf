internal import Accounts
internal import JourneyEngine
internal import QueryFilters
internal import StrictJSON

extension NodeDefinition {
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
}
