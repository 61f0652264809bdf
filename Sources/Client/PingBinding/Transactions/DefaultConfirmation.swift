internal import Foundation
internal import SigningTransactions
internal import TerminalPrompts

#if canImport(UIKit)
  internal import Concurrency
  internal import UIKit
#endif

/// Shows what is to be signed, a transaction or a text, and asks for approval: in an alert where there are windows, otherwise on the
/// program's terminal. On the terminal only `y` and `yes` approve, `n` and `no` refuse, and any other answer repeats the question.
struct DefaultConfirmation: Sendable {
  #if canImport(UIKit)
    func confirm(prompt: Prompt) async throws -> Bool {
      await AlertPrompt.ask(setting: Self.setting(prompt)) { answer in Self.alert(prompt, answer) } ?? false
    }

    @MainActor
    private static func alert(_ prompt: Prompt, _ answer: FirstAnswer<Bool?>) -> UIAlertController {
      let facts = [prompt.server.map { "Server: \($0)" }, prompt.account.map { "Account: \($0)" }].compactMap
      { $0 }
      let alert = UIAlertController(
        title: prompt.title, message: ([prompt.description] + facts).joined(separator: "\n"),
        preferredStyle: .alert)
      alert.addAction(UIAlertAction(title: "Cancel", style: .cancel) { _ in answer.give(false) })
      alert.addAction(UIAlertAction(title: "Approve", style: .default) { _ in answer.give(true) })
      return alert
    }
  #else
    var terminal = Terminal.controlling

    /// - Throws: ``DeviceBindingError/unsupported(errorMessage:)`` without a terminal: unseen content is never signed.
    func confirm(prompt: Prompt) async throws -> Bool {
      let isText = prompt.signedText != nil
      let question =
        prompt.lines(isText ? Prompt.textTitle : Prompt.transactionTitle) + (isText ? "Sign it" : "Approve")
      switch await terminal.askYesNo(question, until: prompt.transactionContext?.expiresAt) {
      case .yes: return true
      case .no, .cancelled: return false
      case .unavailable(let reason):
        throw DeviceBindingError.unsupported(
          errorMessage:
            "The \(isText ? "text to be signed" : "transaction") cannot be shown on the terminal: \(reason)."
            + " Nothing was signed. Set \(Self.setting(prompt)) to show it.")
      }
    }
  #endif

  /// The setting with which an app asks in its own way.
  private static func setting(_ prompt: Prompt) -> String {
    prompt.signedText == nil ? "config.transactionConfirmation" : "config.textConfirmation"
  }
}
