internal import Accounts
internal import JourneyEngine
internal import JourneyStore
internal import StrictJSON

extension NodeDefinition {
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
}
