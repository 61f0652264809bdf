internal import Accounts
internal import JourneyEngine
internal import StrictJSON

extension NodeDefinition {
  /// Counts a sign-in of the journey's account, in its attribute `loginCount`; of several at once each counts.
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
}
