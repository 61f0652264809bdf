internal import Accounts
internal import Bytes
internal import Foundation
internal import JourneyEngine
internal import JourneyStore
internal import PasswordRules
internal import StrictJSON

/// Checks name and password, and distinguishes the states of an account.
///
/// A user whose password was reset (attribute `pwdReset`) must choose a new one here: `TRUE` when that is done,
/// `CANCELLED` when the person gives up. `EXPIRED` is an expired password
/// (attribute `ds-pwp-password-expiration-time`). `LOCKED` is an account that is locked by failures or inactive.
struct IdentityStoreDecisionNode: JourneyNode {
  let outcomes = [success, "FALSE", "LOCKED", "CANCELLED", "EXPIRED"]
  static let success = "TRUE"
  let stateInputs = [StateKey.username, StateKey.password]
  let stepUse = StepUse.byNode
  var warnings: [String] = []
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
    // The journey always continues with the name as the store spells it, which is the universal one here.
    _ = try definition.flag("useUniversalIdForUsername", default: false, instead: false)
  }

  /// Creates the decision that a `DataStoreDecisionNode` uses.
  init(services: NodeServices) {
    self.services = services
    change = PasswordChange(policy: services.passwordPolicy, mixedCaseMessages: true)
  }

  func evaluate(_ context: inout NodeContext) async throws -> NodeResult {
    if let reply = context.reply, let checked: CheckedPassword = context.kept() {
      return try await changePassword(checked, reply, in: &context)
    }
    let verdict = try await PasswordCheck(services: services).verdict(&context)
    context.note(verdict, at: services.clock())
    switch verdict {
    case .wrong: return .outcome("FALSE")
    case .locked, .inactive: return .outcome("LOCKED")
    case .expired: return .outcome("EXPIRED")
    case .right: return .outcome(Self.success)
    case .mustChange(let user):
      try context.keep(CheckedPassword(of: user, at: services.clock()))
      return .callbacks(change.callbacks(message: "You must change your password."))
    }
  }

  /// Takes a new password. This needs no second factor, whatever ``FactorChangePolicy`` says of other changes: the password comes before
  /// the second factor, and a person who could not change it could never prove that factor.
  private func changePassword(
    _ checked: CheckedPassword, _ reply: CallbackReply, in context: inout NodeContext
  ) async throws -> NodeResult {
    let current = context.state[StateKey.password]?.stringValue
    let mail = try await services.store.user(named: checked.username, realm: context.request.realm)?.mail
    switch change.decision(on: reply, current: current, personal: [checked.username] + (mail ?? [])) {
    case .cancelled:
      return context.outcome("CANCELLED", because: "the person did not choose a new password")
    case .refused(let message): return .callbacks(change.callbacks(message: message))
    case .chosen(let password):
      let user: UserRecord
      do {
        user = try await replacePassword(checked, with: password, in: context)
      } catch AccountRefusal.password(let faults) {
        return .callbacks(change.callbacks(message: faults.map(\.description).joined(separator: " ")))
      } catch let
        refusal as AccountRefusal
      { return context.outcome("FALSE", because: "the password was not changed: \(refusal)") }
      context.state.transient[StateKey.password] = .string(password)
      context.state.noteAccount(user.id)
      context.note(.right(user), at: Date(millisecondsSince1970: checked.time))
      return .outcome(Self.success)
    }
  }

  /// The account with its new password.
  private func replacePassword(
    _ checked: CheckedPassword, with password: String, in context: NodeContext
  ) async throws -> UserRecord {
    try await services.accounts.change(
      id: checked.accountID, realm: context.request.realm, by: context.actor
    ) { _ in
      var change = AccountChange()
      change.requiresActive = true
      change.password = password
      change.provenPassword = checked.version
      return change
    }
  }
}

/// The password that was right when the page with the new one was asked for.
private struct CheckedPassword: Codable {
  let username: String
  let accountID: String
  let version: Int

  /// Milliseconds since 1970.
  let time: Int64

  private enum CodingKeys: String, CodingKey {
    case username = "changing", accountID = "account", version = "passwordVersion", time = "checked"
  }

  init(of user: UserRecord, at date: Date) {
    (username, accountID, version) = (user.username, user.id, user.passwordVersion)
    time = date.millisecondsSince1970
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

  /// - Parameter personal: what the new password must not be made of.
  func decision(on reply: CallbackReply, current: String?, personal: [String]) -> Decision {
    if reply.value(at: Place.confirmation)?.integerValue == Int64(Self.cancelOption) { return .cancelled }
    guard let new = reply.text(at: Place.new), !new.isEmpty else { return .refused("Enter a new password.") }
    guard new == reply.text(at: Place.again) else { return .refused("The passwords do not match.") }
    if let fault = policy.faults(in: new, context: personal).first { return .refused(fault.description) }
    guard new != current else { return .refused("The new password must differ from the old one.") }
    return .chosen(new)
  }
}

extension NodeDefinition {
  /// Goes to `true` when the collected name and password are right and the account may sign in. A password that was reset is changed here
  /// first, as in an ``IdentityStoreDecisionNode``.
  func dataStoreDecisionNode(_ services: NodeServices, notes: [String] = []) -> PlainNode {
    let decision = IdentityStoreDecisionNode(services: services)
    return PlainNode(
      outcomes: ["true", "false"], stateInputs: decision.stateInputs, stepUse: decision.stepUse, notes: notes
    ) { context in
      let result = try await decision.evaluate(&context)
      guard case .outcome(let outcome) = result else { return result }
      return .outcome(outcome == IdentityStoreDecisionNode.success ? "true" : "false")
    }
  }

  /// Checks an agent's name and password as ``dataStoreDecisionNode(_:notes:)`` does: agents are accounts here.
  func agentDataStoreDecisionNode(_ services: NodeServices) -> PlainNode {
    dataStoreDecisionNode(
      services, notes: ["agents are accounts of the realm here: create one for each, without roles"])
  }

  /// Checks name and password as ``IdentityStoreDecisionNode`` does, against this server's own accounts; the directory server that the file
  /// names is not asked.
  func ldapDecisionNode(_ services: NodeServices) throws(JourneyFileError) -> IdentityStoreDecisionNode {
    var decision = try IdentityStoreDecisionNode(self, services: services)
    decision.warnings = [
      "the directory server is not asked: names and passwords are checked against this server's own accounts"
    ]
    return decision
  }

  /// PingAM's node by which its configuration tool signs in with an SSH key; here it always takes `false`.
  ///
  /// The journey file would name a file of this machine that has the keys: anyone who may upload a journey could choose which files the
  /// server reads, and whose keys make administrators. What the tool configures does not exist here either; administrators sign in with
  /// bound keys.
  func amsterJwtDecisionNode() throws(JourneyFileError) -> PlainNode {
    _ = try string("authorizedKeys")
    return PlainNode(
      outcomes: ["true", "false"],
      warnings: [
        "the keys of authorizedKeys are not read, so the node always takes false: administrators sign in by other means"
      ]
    ) { context in
      context.outcome("false", because: "keys from a file that a journey names are not accepted here")
    }
  }
}
