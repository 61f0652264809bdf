internal import JourneyEngine
internal import JourneyStore
internal import StrictJSON

/// Platform Username: asks for an existing name, or, with `validateInput`, for a new one that must follow policies.
struct ValidatedUsernameNode: JourneyNode {
  let outcomes = ["outcome"]
  let stateOutputs = [StateKey.username]
  private let attribute: String

  /// `nil`: any name is taken.
  private let validation: ValidatedInput?

  init(_ definition: NodeDefinition, services: NodeServices) throws(JourneyFileError) {
    attribute = try definition.string("usernameAttribute", default: "userName")
    guard try definition.flag("validateInput", default: false) else {
      validation = nil
      return
    }
    validation = ValidatedInput(
      type: "ValidatedCreateUsernameCallback", prompt: "Username", attribute: attribute,
      policies: [
        .required, .validText, .maximumLength(LoginName.maximumLength),
        // The name stands in the universal id and in paths, where these separate the parts.
        .cannotContain(characters: LoginName.forbidden.map(Character.init)),
        // What is left: spaces at the ends, and the names of folders.
        InputPolicy("valid-username", "VALID_USERNAME") { name, _ in
          name.isEmpty || name.unicodeScalars.count > LoginName.maximumLength
            || name.unicodeScalars.contains { LoginName.forbidden.contains($0) || $0.properties.isControl }
            || LoginName.fault(in: name) == nil
        },
        InputPolicy("unique", "UNIQUE") { name, context in
          try await services.store.user(named: name, realm: context.request.realm) == nil
        },
      ])
  }

  func evaluate(_ context: inout NodeContext) async throws -> NodeResult {
    let name: String
    if let validation {
      switch try await validation.verdict(on: context.reply, context) {
      case .asksAgain(let callback): return .callbacks([callback])
      case .accepted(let text): name = text
      }
    } else {
      guard let entered = context.reply?.enteredName else {
        return .callbacks([CredentialCallback.name(prompt: "Username")])
      }
      name = entered
    }
    context.state.setCollectedName(name, attribute: attribute)
    return .outcome("outcome")
  }
}

/// Platform Password: asks for the password, or, with `validateInput`, for a new one that must follow policies.
struct ValidatedPasswordNode: JourneyNode {
  let outcomes = ["outcome"]
  let stateOutputs = [StateKey.password]
  private let attribute: String

  /// `nil`: any password is taken.
  private let validation: ValidatedInput?

  init(_ definition: NodeDefinition, services: NodeServices) throws(JourneyFileError) {
    attribute = try definition.string("passwordAttribute", default: "password")
    guard try definition.flag("validateInput", default: false) else {
      validation = nil
      return
    }
    validation = ValidatedInput(
      type: "ValidatedCreatePasswordCallback", prompt: "Password", attribute: attribute,
      policies: InputPolicy.password(services.passwordPolicy), extraOutputs: [.init("echoOn", false)])
  }

  func evaluate(_ context: inout NodeContext) async throws -> NodeResult {
    let password: String
    if let validation {
      switch try await validation.verdict(on: context.reply, context) {
      case .asksAgain(let callback): return .callbacks([callback])
      case .accepted(let text): password = text
      }
    } else {
      guard let entered = context.reply?.enteredPassword else {
        return .callbacks([CredentialCallback.password(prompt: "Password")])
      }
      password = entered
    }
    context.state.setCollectedPassword(password, attribute: attribute)
    return .outcome("outcome")
  }
}
