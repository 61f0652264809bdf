import DeviceKeys
import Foundation

/// The PIN of a key that is about to be made on this device.
enum NewPIN {
  /// A PIN that the policy takes, typed twice; the PIN of the token that is to have the key, as it is.
  ///
  /// - Parameters:
  ///   - name: What the key is called.
  ///   - isGiven: Whether it is the first line of standard input.
  static func ask(ofKey name: String, of token: KeyToken?, isGiven: Bool) async throws -> PIN {
    let policy = PINPolicy.commandLine
    if !isGiven, token == nil { Output.remark(policy.rule) }
    let question = token.map { "PIN of the token \($0.text): " } ?? "PIN for key \(name): "
    let text =
      isGiven
      ? try await StandardInput.shared.line(of: "PIN", for: "--pin-stdin")
      : try await HiddenPrompt.ask(question)
    guard let text else { throw CommandFailure.cancelled("No PIN was entered; no key was made.") }
    let pin = PIN(text)
    guard token == nil else { return pin }
    if let violation = policy.violation(of: pin) {
      throw CommandFailure.invalid("\(violation.localizedDescription) No key was made.")
    }
    if !isGiven, try await HiddenPrompt.ask("The same PIN again: ").map({ PIN($0) }) != pin {
      throw CommandFailure.invalid("The two PINs differ, and no key was made. Run the command again.")
    }
    return pin
  }
}
