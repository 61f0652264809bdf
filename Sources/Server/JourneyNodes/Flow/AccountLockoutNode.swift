internal import Accounts
internal import JourneyEngine
internal import JourneyStore
internal import StrictJSON

/// Makes the journey's account inactive, or active again and free of locks. Inactive accounts cannot sign in, and their sessions end.
struct AccountLockoutNode: JourneyNode {
  let outcomes = ["outcome"]
  private let services: NodeServices
  private let identityAttribute: String
  private let action: Action

  private enum Action: String, CaseIterable { case lock, unlock }

  init(_ definition: NodeDefinition, services: NodeServices) throws(JourneyFileError) {
    self.services = services
    identityAttribute = try definition.identityAttribute()
    action = try definition.choice("lockAction", default: "LOCK")
  }

  func evaluate(_ context: inout NodeContext) async throws -> NodeResult {
    guard let user = try await services.identity(in: &context, by: identityAttribute) else {
      return context.outcome("outcome", because: "the journey has no account")
    }
    let accounts = services.accounts
    do {
      _ = try await accounts.change(user.account, by: context.actor) { _ in
        var change = AccountChange()
        change.isActive = action == .unlock
        return change
      }
      if action == .unlock { _ = try await accounts.unlock(user.account, by: context.actor) }
    } catch AccountRefusal.noSuchUser {
      return context.outcome("outcome", because: "the account was deleted meanwhile")
    } catch AccountRefusal.lastAdministrator {
      // Otherwise anyone who fails often enough could lock everybody out.
      context.logReason("the root realm's last active administrator is not locked")
    }
    return .outcome("outcome")
  }
}
