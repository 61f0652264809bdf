internal import Foundation
internal import SigningTransactions

/// Shows a transaction on the program's terminal and asks whether it is to be approved; only `y` and `yes` approve.
struct DefaultTransactionConfirmation: Sendable {
  var terminal = Terminal.controlling

  /// - Throws: ``DeviceBindingError/unsupported(errorMessage:)`` when there is no terminal: what nobody has seen is not
  ///   signed.
  func confirm(_ transaction: Transaction, prompt: Prompt) async throws -> Bool {
    let text = prompt.lines(title: Prompt.transactionTitle, description: "") + "Approve (y/n): "
    switch await terminal.ask(text, echoes: true) {
    case .text(let line):
      return ["y", "yes"].contains(line.trimmingCharacters(in: .whitespaces).lowercased())
    case .cancelled: return false
    case .unavailable(let reason):
      throw DeviceBindingError.unsupported(
        errorMessage: "The transaction cannot be shown on the terminal: \(reason). Set"
          + " config.transactionConfirmation to show it.")
    }
  }
}
