internal import JourneyEngine
internal import JourneyStore
internal import StrictJSON

extension PlainNode {
  enum Credential: Sendable { case username, password }

  /// Asks for a name or a password. Empty or overlong input is asked for again. A journey for the session's own user does not ask for a
  /// name.
  ///
  /// The node types for this differ in their prompts and in what they keep: Username and Password Collector; and Platform Username and
  /// Password, which with `validateInput` ask for a new one that must follow policies.
  ///
  /// - Parameters:
  ///   - attribute: under which nodes that create or change profiles find it; `nil` when it is only for signing in.
  ///   - validation: `nil` when any name or password is taken. Policies may ask the store.
  static func credentialCollector(
    _ credential: Credential, prompt: String, attribute: String? = nil, validation: ValidatedInput? = nil
  ) -> PlainNode {
    PlainNode(
      stateOutputs: [credential == .username ? StateKey.username : StateKey.password]
        + (attribute == nil ? [] : [StateKey.objectAttributes]),
      stepUse: validation == nil ? .later : .beforeNode
    ) { context in
      let entered: String
      if credential == .username, validation == nil, context.isOwn, let session = context.session {
        entered = session.username
      } else if let validation {
        switch try await validation.verdict(on: context.reply, context) {
        case .asksAgain(let callback): return .callbacks([callback])
        case .accepted(let text): entered = text
        }
      } else if let text = credential == .username
        ? context.reply?.enteredName : context.reply?.enteredPassword
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
}

extension NodeDefinition {
  /// Platform Username.
  func validatedUsernameNode(_ services: NodeServices) throws(JourneyFileError) -> PlainNode {
    try credentialCollector(
      .username, property: "usernameAttribute", standard: "userName", prompt: "Username",
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
  func validatedPasswordNode(_ services: NodeServices) throws(JourneyFileError) -> PlainNode {
    try credentialCollector(
      .password, property: "passwordAttribute", standard: "password", prompt: "Password",
      type: "ValidatedCreatePasswordCallback", policies: InputPolicy.password(services.passwordPolicy),
      extraOutputs: [.init("echoOn", false)])
  }

  private func credentialCollector(
    _ credential: PlainNode.Credential, property: String, standard: String, prompt: String, type: String,
    policies: [InputPolicy], extraOutputs: [OutgoingCallback.Field] = []
  ) throws(JourneyFileError) -> PlainNode {
    let attribute = try string(property, default: standard)
    let validation = ValidatedInput(
      type: type, prompt: prompt, attribute: attribute, policies: policies, extraOutputs: extraOutputs)
    return .credentialCollector(
      credential, prompt: prompt, attribute: attribute,
      validation: try flag("validateInput", default: false) ? validation : nil)
  }
}
