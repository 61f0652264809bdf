import ArgumentParser
import Bytes
import Concurrency
import TerminalPrompts

/// The sources of password and PIN.
struct SecretOptions: ParsableArguments {
  @Flag(help: "Read the password from the first line of standard input.")
  var passwordStdin = false

  @Flag(help: "Read the PIN from standard input: the second line with --password-stdin, else the first.")
  var pinStdin = false

  /// Reads the secrets on standard input, in the documented order. Prompts come later, when a secret is needed.
  func load() async throws -> Secrets {
    let input = StandardInput.shared
    let password = passwordStdin ? try await input.line(of: "password", for: "--password-stdin") : nil
    let pin = pinStdin ? try await input.line(of: "PIN", for: "--pin-stdin") : nil
    return Secrets(givenPassword: password, givenPIN: pin)
  }
}

/// The user's secrets: given on standard input, or asked for without echo.
struct Secrets: Sendable, Redacted {
  let givenPassword: String?
  let givenPIN: String?
  /// A one-time or recovery code.
  var givenCode: String?

  /// The failure of ``givenPIN``, once it was wrong, for all journeys of the command.
  let wrongPIN = Locked<CommandFailure?>(nil)

  /// The secrets without the PIN, for keys that it does not belong to.
  var withoutPIN: Secrets { Secrets(givenPassword: givenPassword, givenPIN: nil, givenCode: givenCode) }

  /// The password for `username`.
  func password(for username: String, asking question: String = "Password") async throws -> String {
    if let givenPassword { return givenPassword }
    guard let typed = try await HiddenPrompt.ask("\(question) for \(printable(username)): ") else {
      throw CommandFailure.cancelled(
        "No password was entered. Type it at the prompt, or pass it with --password-stdin.")
    }
    return typed
  }
}

/// Asks for a secret on the terminal without echo.
enum HiddenPrompt {
  /// Returns the typed text; `nil` when it is empty.
  ///
  /// - Parameter option: The option that passes the secret; by default what the question's words tell.
  static func ask(_ question: String, option: String? = nil) async throws -> String? {
    switch await Terminal.controlling.ask(question, echoes: false) {
    case .text(let text): return text.isEmpty ? nil : text
    case .cancelled: return nil
    case .unavailable(let reason):
      throw CommandFailure.unsupported(
        "\(whose(question)) is needed, and nobody can be asked: \(reason). Pass it with \(option ?? self.option(for: question))."
      )
    }
  }

  private static func option(for question: String) -> String {
    whose(question).contains("PIN") ? "--pin-stdin" : "--password-stdin"
  }

  /// The question's last line without its colon: `Password for amAdmin`.
  private static func whose(_ question: String) -> String {
    let line = question.split(whereSeparator: \.isNewline).last.map(String.init) ?? question
    return String(line.prefix { $0 != ":" })
  }
}
