import ArgumentParser
import Bytes
import PingBinding

/// Where the password and the PIN come from.
struct SecretOptions: ParsableArguments {
  @Flag(help: "Read the password from the first line of standard input.")
  var passwordStdin = false

  @Flag(help: "Read the PIN from standard input: the second line with --password-stdin, else the first.")
  var pinStdin = false

  /// Reads what is on standard input, in the documented order. Prompts come later, only when something asks.
  func load() async throws -> Secrets {
    let password = passwordStdin ? try await line("password", option: "--password-stdin") : nil
    let pin = pinStdin ? try await line("PIN", option: "--pin-stdin") : nil
    return Secrets(givenPassword: password, givenPIN: pin)
  }

  private func line(_ what: String, option: String) async throws -> String {
    guard let line = try await StandardInput.shared.nextLine(), !line.isEmpty else {
      throw CommandFailure(
        "\(option) found no \(what) on standard input; pipe it in on a line of its own.", code: .usage)
    }
    return line
  }
}

/// The person's secrets: given on standard input, else asked for without echo.
struct Secrets: Sendable, Redacted {
  let givenPassword: String?
  let givenPIN: String?
  /// A one-time or recovery code.
  var givenCode: String?

  /// The password for `username`.
  func password(for username: String) async throws -> String {
    if let givenPassword { return givenPassword }
    guard let typed = try await HiddenPrompt.ask("Password for \(printable(username)): ") else {
      throw CommandFailure(
        "No password was entered. Type it at the prompt, or pass it with --password-stdin.", code: .cancelled)
    }
    return typed
  }
}
