internal import JourneyEngine
internal import JourneyStore
internal import PasswordRules
internal import StrictJSON

/// The callbacks that ask for names and passwords.
enum CredentialCallback {
  static func name(prompt: String) -> OutgoingCallback {
    OutgoingCallback(
      type: "NameCallback", outputs: [.init("prompt", .string(prompt))], inputs: [.init("", "")])
  }

  static func password(prompt: String) -> OutgoingCallback {
    OutgoingCallback(
      type: "PasswordCallback", outputs: [.init("prompt", .string(prompt))], inputs: [.init("", "")])
  }
}

extension CallbackReply {
  /// The name in the first callback; `nil` when there is none or it is too long to be one.
  var enteredName: String? { text().flatMap { LoginName.isPossible($0) ? $0 : nil } }

  /// The password in the first callback; `nil` when there is none or it is too long to be one.
  var enteredPassword: String? { text().flatMap { PasswordText.normalized($0) == nil ? nil : $0 } }
}

extension JourneyState {
  /// Keeps a collected name for the nodes that look it up and for those that create or change profiles.
  mutating func setCollectedName(_ name: String, attribute: String) {
    username = name
    shared.setObjectAttribute(attribute, name)
  }

  /// Keeps a collected password where it never leaves the journey.
  mutating func setCollectedPassword(_ password: String, attribute: String) {
    transient[StateKey.password] = .string(password)
    transient.setObjectAttribute(attribute, password)
  }
}

extension JSONObject {
  fileprivate mutating func setObjectAttribute(_ name: String, _ value: String) {
    var attributes = self[StateKey.objectAttributes]?.objectValue ?? JSONObject()
    attributes[name] = .string(value)
    self[StateKey.objectAttributes] = .object(attributes)
  }
}
