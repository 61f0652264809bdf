internal import Bytes
internal import PingLogger
internal import TerminalPrompts
internal import TerminalText
public import UserVerification

/// Asks for the device's credential on the program's terminal. Without a terminal it cancels and logs that.
public struct DefaultCredentialSource: CredentialSource {
  private let terminal: Terminal

  public init() { self.init(terminal: .controlling) }

  init(terminal: Terminal) { self.terminal = terminal }

  public func answer(to question: CredentialQuestion) async -> CredentialSecret? {
    await terminal.answer(
      to: TerminalText.quoted([question.reason]) + question.prompt.onOneLine, echoes: question.echoes,
      failure: "The device credential cannot be asked for", setting: "config.credentialSource"
    ).map { CredentialSecret($0) }
  }

  public func show(_ message: String) async {
    BindingModule.logger(for: nil).w("The device says: \(message.onOneLine)", error: nil)
  }
}
