import Concurrency
import Foundation
import PingBinding
import SigningTransactions
import TerminalPrompts

/// Shows a transaction and has it approved: at the terminal, or by --yes.
final class TransactionQuestion: Sendable {
  /// How it ended when it was not approved.
  enum End: Sendable {
    case refused
    case expired
    case cancelled
  }

  private let server: ServerOptions
  /// Whose key is used, where that is known beforehand.
  private let account: String?
  /// Whether the person has approved beforehand.
  private let isAnswered: Bool
  private let state = Locked<End?>(nil)
  /// The time from which on an answer is too late.
  private let deadline = Locked<Date?>(nil)

  init(server: ServerOptions, account: String?, isAnswered: Bool) {
    self.server = server
    self.account = account
    self.isAnswered = isAnswered
  }

  /// How it ended; `nil` when it was approved or not asked.
  var end: End? { state.withLock { $0 } }

  /// Shows the transaction; whether it is approved. One that cannot be shown is refused.
  func ask(_ transaction: Transaction, _ context: TransactionContext?) async -> Bool {
    deadline.withLock { $0 = context?.expiresAt }
    let lines = TerminalText.list(transaction.lines) + (context?.lines(now: Date()) ?? "")
    guard !isAnswered else {
      Output.remark("Approved by --yes:\n\(lines.dropLast())")
      return true
    }
    let place = TerminalText.rows([
      ("Server", printable(server.baseAddress)), ("Realm", printable(server.realm)),
      ("Account", printable(account ?? "")),
    ])
    let question = "\(place)You are asked to approve:\n\(lines)Approve"
    switch await Terminal.controlling.askYesNo(question, until: context?.expiresAt) {
    case .yes: return true
    case .no:
      state.withLock { $0 = .refused }
      return false
    case .cancelled:
      let isOver = context?.expiresAt.map { $0 <= Date() } ?? false
      state.withLock { $0 = isOver ? .expired : .cancelled }
      return false
    case .unavailable: return false
    }
  }

  /// The failure of a command whose question ended so; `other` when it did not.
  func failure(or other: CommandFailure) -> CommandFailure {
    let isOver = other.code == .expired && deadline.withLock { $0.map { $0 <= Date() } ?? false }
    return switch end ?? (isOver ? .expired : nil) {
    case .refused:
      CommandFailure(
        "Refused: nothing was signed. If that was a slip, the application has to make a new transaction.",
        code: .cancelled)
    case .cancelled: .cancelled("the transaction was not approved")
    case .expired: .transactionExpired
    case nil: other
    }
  }
}
