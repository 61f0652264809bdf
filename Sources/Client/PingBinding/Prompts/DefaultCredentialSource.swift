internal import Bytes
internal import PingLogger
internal import TerminalPrompts
public import UserVerification

/// Asks for the device's credential on the program's terminal. Without a terminal it cancels and says so in the log.
public struct DefaultCredentialSource: CredentialSource {
  private let terminal: Terminal

  public init() { self.init(terminal: .controlling) }

  init(terminal: Terminal) { self.terminal = terminal }

  public func answer(to question: CredentialQuestion) async -> CredentialSecret? {
    let text = question.reason.onOneLine + "\n" + question.prompt.onOneLine
    switch await terminal.ask(text, echoes: question.echoes) {
    case .text(let answer):
      return CredentialSecret(answer)
    case .cancelled:
      return nil
    case .unavailable(let reason):
      BindingModule.logger(for: nil).w(
        "The device credential cannot be asked for on the terminal: \(reason). Set config.credentialSource.",
        error: nil)
      return nil
    }
  }

  public func show(_ message: String) async {
    BindingModule.logger(for: nil).w("The device says: \(message.onOneLine)", error: nil)
  }
}
