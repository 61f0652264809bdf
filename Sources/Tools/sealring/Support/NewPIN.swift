import DeviceKeys
import Foundation

/// Asks for the PIN of a new key on this device.
enum NewPIN {
  /// Returns a PIN that satisfies the policy, typed twice; for a token its own PIN, typed once.
  ///
  /// - Parameters:
  ///   - name: The key's name.
  ///   - isGiven: Whether the PIN is on standard input.
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
