import PingBinding
import SigningTransactions
import TerminalText

/// Shows a transaction and has it approved: at the terminal, or by --yes.
struct TransactionQuestion {
  let server: ServerOptions
  /// Whose key is used, where the command names somebody.
  let username: String?
  /// Whether the person has approved beforehand.
  let isAnswered: Bool

  /// Whether the transaction that is shown is approved. What is not shown is not.
  func ask(_ transaction: Transaction) async -> Bool {
    let lines = TerminalText.list(transaction.lines)
    guard !isAnswered else {
      Output.remark("Approved by --yes:\n\(lines.dropLast())")
      return true
    }
    let place = TerminalText.rows([
      ("Server", server.baseAddress), ("Realm", server.realm), ("Account", username ?? ""),
    ])
    switch await YesNoQuestion.ask("\(place)You are asked to approve:\n\(lines)Approve") {
    case .yes: return true
    case .no, .cancelled: return false
    case .unavailable(let reason):
      Output.remark(
        "The transaction cannot be shown: \(reason). Run this on a terminal, or approve with --yes.")
      return false
    }
  }
}
