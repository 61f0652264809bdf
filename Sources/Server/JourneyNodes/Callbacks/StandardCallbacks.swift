internal import JourneyEngine
internal import JourneyStore
internal import PasswordRules
internal import StrictJSON

/// The callbacks that nodes of all kinds send, as PingAM writes them.
enum StandardCallback {
  static func name(prompt: String) -> OutgoingCallback { prompting("NameCallback", prompt) }

  static func password(prompt: String) -> OutgoingCallback { prompting("PasswordCallback", prompt) }

  private static func prompting(_ type: String, _ prompt: String) -> OutgoingCallback {
    OutgoingCallback(type: type, outputs: [.init("prompt", .string(prompt))], inputs: [.init("", "")])
  }

  /// `TextOutputCallback`.
  ///
  /// - Parameter type: 0 information, 1 warning, 2 error, 4 script.
  static func text(_ message: String, type: Int = 0) -> OutgoingCallback {
    OutgoingCallback(
      type: "TextOutputCallback",
      outputs: [.init("message", .string(message)), .init("messageType", .string(String(type)))], inputs: [])
  }

  /// `HiddenValueCallback`: a value for the client, which it may send back.
  static func hidden(id: String, value: String) -> OutgoingCallback {
    OutgoingCallback(
      type: "HiddenValueCallback", outputs: [.init("value", .string(value)), .init("id", .string(id))],
      inputs: [.init("", .string(id))])
  }

  /// `ConfirmationCallback`: several buttons; the answer is the number of the one that was pressed.
  ///
  /// - Parameters:
  ///   - suggested: the option that clients offer first.
  ///   - preset: the answer of a client that presses none.
  static func confirmation(
    _ options: [String], suggested: Int64 = 0, preset: Int64 = 0
  ) -> OutgoingCallback {
    OutgoingCallback(
      type: "ConfirmationCallback",
      outputs: [
        .init("prompt", ""), .init("messageType", 0),
        .init("options", .array(options.map(JSONValue.string))), .init("optionType", -1),
        .init("defaultOption", .integer(suggested)),
      ], inputs: [.init("", .integer(preset))])
  }

  /// One button; the answer 0 means that it was pressed, the preset 100 that it was not.
  static func button(_ title: String) -> OutgoingCallback { confirmation([title], preset: 100) }

  /// `PollingWaitCallback`.
  ///
  /// - Parameter secondsLeft: until the end of the wait, in the output `expiresIn`, which is ours and which other clients ignore.
  static func polling(milliseconds: Int, message: String, secondsLeft: Int? = nil) -> OutgoingCallback {
    OutgoingCallback(
      type: "PollingWaitCallback",
      outputs: [.init("waitTime", .string(String(milliseconds))), .init("message", .string(message))]
        + (secondsLeft.map { [.init("expiresIn", .integer(Int64($0)))] } ?? []),
      inputs: [])
  }

  /// The callbacks that show an enrolment URI: the message, the script that draws the QR code in pages that have PingAM's reader library,
  /// and the URI for other clients.
  static func enrolment(_ uri: String, message: String) -> [OutgoingCallback] {
    let script =
      "window.QRCodeReader.createCode({ id: 'callback_0', text: "
      + uri.quoted.replacing("<", with: "\\u003c") + ", version: '20', code: 'L' });"
    return [text(message), text(script, type: 4), hidden(id: "mfaDeviceRegistration", value: uri)]
  }
}

extension CallbackReply {
  /// The name in the first callback; `nil` when there is none or it is too long to be one.
  var enteredName: String? { text().flatMap { LoginName.isPossible($0) ? $0 : nil } }

  /// The password in the first callback; `nil` when there is none or it is too long to be one.
  var enteredPassword: String? { text().flatMap { PasswordText.normalized($0) == nil ? nil : $0 } }

  /// Whether the button at `index` was pressed.
  func isPressed(at index: Int) -> Bool { value(at: index)?.integerValue == 0 || text(at: index) == "0" }

  /// The number of the option that was chosen at `index`.
  func chosen(at index: Int) -> Int64? {
    value(at: index)?.integerValue ?? text(at: index).flatMap { Int64($0) }
  }

  /// Whether the box at `index` was ticked.
  func agrees(at index: Int = 0) -> Bool { value(at: index)?.boolValue ?? (text(at: index) == "true") }
}
