internal import Accounts
internal import JourneyEngine
internal import PasswordRules
internal import StrictJSON

extension NodeDefinition {
  /// Asks for a new password twice, for the node that creates the account. It stays in transient state, and never leaves the journey.
  ///
  /// What is refused here would be refused there, too: this only says so while the person can still choose another.
  func createPasswordNode(_ services: NodeServices) throws(JourneyFileError) -> PlainNode {
    let policy = services.passwordPolicy
    // The node may ask for more than the server does, never for less.
    let minimum = try integer("minPasswordLength", default: 0, in: 0...PasswordPolicy.maximumLength)
    let question = ["Password", "Confirm Password"].map(StandardCallback.password(prompt:))
    let isRepeated = "isRepeated"
    return PlainNode(stateOutputs: [StateKey.password], stepUse: .later) { context in
      guard let reply = context.reply else { return .callbacks(question) }
      func refused(_ reason: String) -> NodeResult {
        context.notes[isRepeated] = true
        return .callbacks([StandardCallback.text(reason, type: 2)] + question)
      }
      // After a refusal its reason stands first.
      let first = context.notes[isRepeated]?.boolValue == true ? 1 : 0
      guard let password = reply.text(at: first) else { return refused("Enter a password.") }
      guard password == reply.text(at: first + 1) else { return refused("The passwords do not match.") }
      let attributes = context.state.objectAttributes
      let known =
        [context.state.username, attributes[ManagedAttribute.userName]?.stringValue]
        + [attributes[ManagedAttribute.mail]?.stringValue]
      if let fault = policy.faults(in: password, context: known.compactMap { $0 }).first {
        return refused(fault.description)
      }
      guard PasswordText.normalized(password).map({ $0.unicodeScalars.count >= minimum }) ?? false else {
        return refused(PasswordPolicy.Fault.tooShort(minimum: minimum).description)
      }
      context.state.transient[StateKey.password] = .string(password)
      return .outcome("outcome")
    }
  }
}
