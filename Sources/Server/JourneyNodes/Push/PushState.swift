internal import JourneyEngine
internal import StrictJSON

/// State variables that the nodes of push share, under PingAM's names.
enum PushState {
  /// The id of the message under way.
  static let messageID = "pushMessageId"

  /// The sender's message timeout in milliseconds.
  static let timeout = "t"
  static let mechanismUID = "pushMechanismUid"

  /// The number or the code that the login page shows.
  static let number = "pushNumberChallengeKey"

  /// End of the message under way, in milliseconds since 1970.
  static let expiration = "pushMessageExpiration"

  /// What the device answered to a number challenge, left after success.
  static let content = "pushContent"

  /// Why the sender or the verifier took its failure outcome.
  static let failureReason = "PushAuthFailureReason"

  /// Which kind of second factor is to be registered.
  static let method = "mfaMethod"

  /// End of a registration's time, in milliseconds since 1970.
  static let registrationEnd = "pushRegistrationTimeout"

  /// The enrolment URI, for the time of the registration.
  static let registrationURI = "pushRegistrationUri"

  /// The codes to show, and the device that they stand in for; in transient state.
  static let recoveryCodes = "recoveryCodes"
  static let recoveryCodeDeviceName = "recoveryCodeDeviceName"

  /// Removes all that belongs to one message, so that a later one starts clean.
  static func clearMessage(_ state: inout JourneyState) {
    for key in [messageID, timeout, mechanismUID, number, expiration, content] { state.shared[key] = nil }
  }
}

/// The callbacks of waiting pages.
enum WaitingCallback {
  static func polling(milliseconds: Int, message: String) -> OutgoingCallback {
    OutgoingCallback(
      type: "PollingWaitCallback",
      outputs: [.init("waitTime", .string(String(milliseconds))), .init("message", .string(message))],
      inputs: [])
  }

  /// A value for the client, which it may send back; nobody reads what it sends.
  static func hidden(id: String, value: String) -> OutgoingCallback {
    OutgoingCallback(
      type: "HiddenValueCallback", outputs: [.init("value", .string(value)), .init("id", .string(id))],
      inputs: [.init("", .string(id))])
  }

  /// A button; the answer 0 is a press, the preset 100 is none.
  static func button(_ title: String) -> OutgoingCallback {
    OutgoingCallback(
      type: "ConfirmationCallback",
      outputs: [
        .init("prompt", ""), .init("messageType", 0), .init("options", .array([.string(title)])),
        .init("optionType", -1), .init("defaultOption", 0),
      ], inputs: [.init("", 100)])
  }

  /// - Parameter type: 0 information, 1 warning, 2 error, 4 script.
  static func text(_ message: String, type: Int = 0) -> OutgoingCallback {
    OutgoingCallback(
      type: "TextOutputCallback",
      outputs: [.init("message", .string(message)), .init("messageType", .string(String(type)))], inputs: [])
  }
}

extension CallbackReply {
  /// Whether the button at `index` was pressed.
  func isPressed(at index: Int) -> Bool { value(at: index)?.integerValue == 0 || text(at: index) == "0" }
}
