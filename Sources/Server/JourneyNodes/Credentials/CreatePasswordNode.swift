internal import Accounts
internal import JourneyEngine
internal import PasswordRules
internal import StrictJSON

/// Asks for a new password twice, for the node that creates the account. It stays in transient state, and never leaves the journey.
///
/// What is refused here would be refused there, too: this only says so while the person can still choose another.
struct CreatePasswordNode: JourneyNode {
  let outcomes = ["outcome"]
  let stateOutputs = [StateKey.password]
  let stepUse = StepUse.later
  private let policy: PasswordPolicy
  private let minimum: Int

  init(_ definition: NodeDefinition, services: NodeServices) throws(JourneyFileError) {
    policy = services.passwordPolicy
    // The node may ask for more than the server does, never for less.
    minimum = try definition.integer("minPasswordLength", default: 0, in: 0...PasswordPolicy.maximumLength)
  }

  private static let question = [
    StandardCallback.password(prompt: "Password"), StandardCallback.password(prompt: "Confirm Password"),
  ]

  func evaluate(_ context: inout NodeContext) async throws -> NodeResult {
    guard let reply = context.reply else { return .callbacks(Self.question) }
    // After a refusal its reason stands first.
    let first = context.notes[Self.isRepeated]?.boolValue == true ? 1 : 0
    guard let password = reply.text(at: first) else { return refused("Enter a password.", &context) }
    guard password == reply.text(at: first + 1) else {
      return refused("The passwords do not match.", &context)
    }
    let attributes = context.state.objectAttributes
    let known =
      [context.state.username, attributes[ManagedAttribute.userName]?.stringValue]
      + [attributes[ManagedAttribute.mail]?.stringValue]
    if let fault = policy.faults(in: password, context: known.compactMap { $0 }).first {
      return refused(fault.description, &context)
    }
    guard PasswordText.normalized(password).map({ $0.unicodeScalars.count >= minimum }) ?? false else {
      return refused(PasswordPolicy.Fault.tooShort(minimum: minimum).description, &context)
    }
    context.state.transient[StateKey.password] = .string(password)
    return .outcome("outcome")
  }

  private static let isRepeated = "isRepeated"

  private func refused(_ reason: String, _ context: inout NodeContext) -> NodeResult {
    context.notes[Self.isRepeated] = true
    return .callbacks([StandardCallback.text(reason, type: 2)] + Self.question)
  }
}
