internal import Accounts
internal import Bytes
internal import JourneyEngine
internal import JourneyStore
internal import PasswordRules
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
  ///   - attribute: the name under which nodes that create or change profiles find the input; `nil` when it is only for signing in.
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
        // The other rules: no spaces at the ends, no name of a folder, and no name that is taken.
        InputPolicy(id: "valid-username", requirement: "VALID_USERNAME") { name, context in
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

  /// Asks for a new password twice, for the node that creates the account. It stays in transient state, and never leaves the journey.
  ///
  /// The other node would refuse the same passwords; this one does so while the person can still choose another.
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
      // After a refusal, the first callback is its reason.
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

  /// Takes name and password from request headers: `true` when both are there and the request may use them.
  func zeroPageLoginNode() throws(JourneyFileError) -> PlainNode {
    let usernameHeader = try string("usernameHeader", default: "X-OpenAM-Username").lowercased()
    let passwordHeader = try string("passwordHeader", default: "X-OpenAM-Password").lowercased()
    let allowsNoReferer = try flag("allowWithoutReferer", default: true, instead: false)
    let referers = try strings("referrerWhiteList")
    return PlainNode(
      outcomes: ["true", "false"], stateOutputs: [StateKey.username, StateKey.password], stepUse: .later
    ) { context in
      let headers = context.request.headers
      guard let username = headers[usernameHeader].map(EncodedWords.decode), !username.isEmpty,
        let password = headers[passwordHeader].map(EncodedWords.decode), !password.isEmpty
      else { return .outcome("false") }
      guard LoginName.isPossible(username), PasswordText.normalized(password) != nil else {
        return context.outcome("false", because: "the zero-page login headers are too long")
      }
      let referer = headers["referer"] ?? ""
      guard referer.isEmpty ? allowsNoReferer : referers.contains(where: { referer.isPage(of: $0) }) else {
        return context.outcome("false", because: "zero-page login is not allowed from this Referer")
      }
      context.state.username = username
      context.state.transient[StateKey.password] = .string(password)
      return .outcome("true")
    }
  }
}

extension String {
  /// Whether this `Referer` is on the listed page: it must be `allowed` itself, or begin with it up to a path or query. A page of another
  /// site could make a browser log in as somebody else, and browsers name that page in `Referer`.
  fileprivate func isPage(of allowed: String) -> Bool {
    guard !allowed.isEmpty, hasPrefix(allowed) else { return false }
    let rest = dropFirst(allowed.count)
    return rest.isEmpty || allowed.hasSuffix("/") || rest.hasPrefix("/") || rest.hasPrefix("?")
  }
}
