internal import Foundation
internal import SigningTransactions
internal import TerminalPrompts

/// Shows a transaction on the program's terminal and asks for approval. Only `y` and `yes` approve, `n` and `no` refuse, and any
/// other answer repeats the question.
struct DefaultTransactionConfirmation: Sendable {
  var terminal = Terminal.controlling

  /// - Throws: ``DeviceBindingError/unsupported(errorMessage:)`` without a terminal: an unseen transaction is not signed.
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
