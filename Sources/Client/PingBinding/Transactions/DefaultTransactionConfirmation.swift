internal import Foundation
internal import SigningTransactions
internal import TerminalPrompts

/// Shows a transaction on the program's terminal and asks whether it is to be approved; only `y` and `yes` approve, `n` and `no` refuse, and anything else is asked again.
struct DefaultTransactionConfirmation: Sendable {
  var terminal = Terminal.controlling

  /// - Throws: ``DeviceBindingError/unsupported(errorMessage:)`` when there is no terminal: what nobody has seen is not
  ///   signed.
  func confirm(_ transaction: Transaction, prompt: Prompt) async throws -> Bool {
    let question = prompt.lines(Prompt.transactionTitle) + "Approve"
    switch await terminal.askYesNo(question, until: prompt.transactionContext?.expiresAt) {
    case .yes: return true
    case .no, .cancelled: return false
    case .unavailable(let reason):
      throw DeviceBindingError.unsupported(
        errorMessage: "The transaction cannot be shown on the terminal: \(reason). Set"
          + " config.transactionConfirmation to show it.")
    }
  }
}
