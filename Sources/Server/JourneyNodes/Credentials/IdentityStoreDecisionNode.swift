internal import JourneyEngine
internal import JourneyStore
internal import PasswordRules
internal import StrictJSON

/// Checks name and password as ``DataStoreDecisionNode`` does, and distinguishes the states of an account.
///
/// A user whose password was reset (attribute `pwdReset`) must choose a new one here: `TRUE` when that is done,
/// `CANCELLED` when the person gives up. `EXPIRED` is an expired password
/// (attribute `ds-pwp-password-expiration-time`). `LOCKED` is an account that is locked by failures or inactive.
struct IdentityStoreDecisionNode: JourneyNode {
  let outcomes = ["TRUE", "FALSE", "LOCKED", "CANCELLED", "EXPIRED"]
  let stateInputs = [StateKey.username, StateKey.password]
  let stepUse = StepUse.byNode
  private let services: NodeServices
  private let change: PasswordChange

  init(_ definition: NodeDefinition, services: NodeServices) throws(JourneyFileError) {
    self.services = services
    let minimum = try definition.integer("minimumPasswordLength", default: 8, in: 0...256, clamping: .up)
    change = PasswordChange(
      // The node may ask for more than the server does, never for less.
      policy: PasswordPolicy(minimumLength: max(minimum, services.passwordPolicy.minimumLength)),
      mixedCaseMessages: try definition.flag(
        "mixedCaseForPasswordChangeMessages", default: false, instead: false))
    // The name always continues as the store spells it, which is the universal one here.
    _ = try definition.flag("useUniversalIdForUsername", default: false, instead: false)
  }

  func evaluate(_ context: inout NodeContext) async throws -> NodeResult {
    if let reply = context.reply, let username = context.notes["changing"]?.stringValue,
      let account = context.notes["account"]?.stringValue,
      let version = context.notes["passwordVersion"]?.integerValue
    {
      let checked = CheckedPassword(username: username, accountID: account, version: Int(version))
      return try await changePassword(checked, reply, in: &context)
    }
    let verdict = try await PasswordCheck(services: services).verdict(&context)
    context.note(verdict, at: services.clock())
    switch verdict {
    case .wrong: return .outcome("FALSE")
    case .locked, .inactive: return .outcome("LOCKED")
    case .right(let user):
      if user.passwordExpiry.map({ $0 <= services.clock() }) ?? false {
        return context.outcome("EXPIRED", because: "the password has expired")
      }
      guard user.mustChangePassword else { return .outcome("TRUE") }
      context.notes["changing"] = .string(user.username)
      context.notes["account"] = .string(user.id)
      context.notes["passwordVersion"] = .integer(Int64(user.passwordVersion))
      return .callbacks(change.callbacks(message: "You must change your password."))
    }
  }

  /// The password that was right when the page with the new one was asked for.
  private struct CheckedPassword {
    let username: String
    let accountID: String
    let version: Int
  }

  private func changePassword(
    _ checked: CheckedPassword, _ reply: CallbackReply, in context: inout NodeContext
  ) async throws -> NodeResult {
    let current = context.state[StateKey.password]?.stringValue
    switch change.decision(on: reply, current: current, username: checked.username) {
    case .cancelled:
      return context.outcome("CANCELLED", because: "the person did not choose a new password")
    case .refused(let message): return .callbacks(change.callbacks(message: message))
    case .chosen(let password):
      if let user = try await services.store.user(
        named: checked.username, realm: context.request.realm)
      {
        _ = try await services.factorPermission(for: user, context)
      }
      let hash = try await services.passwords.hash(password)
      var change = UserChange(
        realm: context.request.realm, username: checked.username, accountID: checked.accountID)
      change.requiresActive = true
      change.password = UserChange.Password(hash: hash, checkedVersion: checked.version)
      change.mustChangePassword = false
      guard case .changed(let user) = try await services.store.updateUser(change) else {
        return context.outcome(
          "FALSE", because: "the account or its password was changed by somebody else meanwhile")
      }
      context.state.transient[StateKey.password] = .string(password)
      context.state.noteAccount(user.id)
      context.state.notePassword(PasswordMark(user).text)
      return .outcome("TRUE")
    }
  }
}

/// The page on which a person replaces a password that was reset.
private struct PasswordChange: Sendable {
  let policy: PasswordPolicy
  let mixedCaseMessages: Bool

  enum Decision {
    case chosen(String)
    case refused(String)
    case cancelled
  }

  /// Places of the callbacks in the page.
  private enum Place { static let new = 1, again = 2, confirmation = 3 }

  private static let cancelOption = 1

  func callbacks(message: String) -> [OutgoingCallback] {
    [
      StandardCallback.text(mixedCaseMessages ? message : message.uppercased()),
      StandardCallback.password(prompt: "New Password"),
      StandardCallback.password(prompt: "Confirm New Password"),
      StandardCallback.confirmation(["Submit", "Cancel"]),
    ]
  }

  func decision(on reply: CallbackReply, current: String?, username: String) -> Decision {
    if reply.value(at: Place.confirmation)?.integerValue == Int64(Self.cancelOption) { return .cancelled }
    guard let new = reply.text(at: Place.new), !new.isEmpty else { return .refused("Enter a new password.") }
    guard new == reply.text(at: Place.again) else { return .refused("The passwords do not match.") }
    if let fault = policy.faults(in: new, context: [username]).first { return .refused(fault.description) }
    guard new != current else { return .refused("The new password must differ from the old one.") }
    return .chosen(new)
  }
}
