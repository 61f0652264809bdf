internal import JourneyEngine
internal import JourneyStore
internal import StrictJSON

/// Asks for a name or a password. Empty or overlong input is asked for again. A journey for the session's own user does not ask for a name.
///
/// The node types for this differ in their prompts and in what they keep: Username and Password Collector; and Platform Username and
/// Password, which with `validateInput` ask for a new one that must follow policies.
struct CredentialCollectorNode: JourneyNode {
  enum Credential: Sendable { case username, password }

  let outcomes = ["outcome"]
  var stateOutputs: [String] {
    [credential == .username ? StateKey.username : StateKey.password]
      + (attribute == nil ? [] : [StateKey.objectAttributes])
  }

  /// Policies may ask the store.
  var stepUse: StepUse { validation == nil ? .later : .beforeNode }
  private let credential: Credential
  private let prompt: String

  /// Under which attribute nodes that create or change profiles find it; `nil` when it is only for signing in.
  private let attribute: String?

  /// `nil`: any name or password is taken.
  private let validation: ValidatedInput?

  init(_ credential: Credential, prompt: String) {
    self.credential = credential
    self.prompt = prompt
    attribute = nil
    validation = nil
  }

  /// Platform Username.
  init(username definition: NodeDefinition, services: NodeServices) throws(JourneyFileError) {
    try self.init(
      .username, definition, property: "usernameAttribute", standard: "userName", prompt: "Username",
      type: "ValidatedCreateUsernameCallback",
      policies: [
        .required, .validText, .maximumLength(LoginName.maximumLength),
        // The name stands in the universal id and in paths, where these separate the parts.
        .cannotContain(characters: LoginName.forbidden.map(Character.init)),
        // What is left: spaces at the ends, the names of folders, and what somebody has.
        InputPolicy("valid-username", "VALID_USERNAME") { name, context in
          if name.isEmpty || name.unicodeScalars.count > LoginName.maximumLength
            || name.unicodeScalars.contains(where: {
              LoginName.forbidden.contains($0) || $0.properties.isControl
            })
          {
            return true
          }
          guard LoginName.fault(in: name) == nil else { return false }
          return try await services.store.user(named: name, realm: context.request.realm) == nil
        },
      ])
  }

  /// Platform Password.
  init(password definition: NodeDefinition, services: NodeServices) throws(JourneyFileError) {
    try self.init(
      .password, definition, property: "passwordAttribute", standard: "password", prompt: "Password",
      type: "ValidatedCreatePasswordCallback", policies: InputPolicy.password(services.passwordPolicy),
      extraOutputs: [.init("echoOn", false)])
  }

  private init(
    _ credential: Credential, _ definition: NodeDefinition, property: String, standard: String,
    prompt: String,
    type: String, policies: [InputPolicy], extraOutputs: [OutgoingCallback.Field] = []
  ) throws(JourneyFileError) {
    self.credential = credential
    self.prompt = prompt
    let attribute = try definition.string(property, default: standard)
    self.attribute = attribute
    validation =
      try definition.flag("validateInput", default: false)
      ? ValidatedInput(
        type: type, prompt: prompt, attribute: attribute, policies: policies, extraOutputs: extraOutputs)
      : nil
  }

  func evaluate(_ context: inout NodeContext) async throws -> NodeResult {
    let entered: String
    if credential == .username, validation == nil, context.isOwn, let session = context.session {
      entered = session.username
    } else if let validation {
      switch try await validation.verdict(on: context.reply, context) {
      case .asksAgain(let callback): return .callbacks([callback])
      case .accepted(let text): entered = text
      }
    } else if let text = credential == .username ? context.reply?.enteredName : context.reply?.enteredPassword
    {
      entered = text
    } else {
      return .callbacks([
        credential == .username
          ? StandardCallback.name(prompt: prompt) : StandardCallback.password(prompt: prompt)
      ])
    }
    switch credential {
    case .username:
      context.state.username = entered
      if let attribute { context.state.shared.objectAttributes[attribute] = .string(entered) }
    case .password:
      context.state.transient[StateKey.password] = .string(entered)
      if let attribute { context.state.transient.objectAttributes[attribute] = .string(entered) }
    }
    return .outcome("outcome")
  }
}
