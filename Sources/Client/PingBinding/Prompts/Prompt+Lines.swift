internal import Bytes
package import Foundation
package import SigningTransactions
internal import TerminalText

extension Prompt {
  /// The lines to show on a terminal: `heading`, the facts that this device knows, and below them, marked as quoted, the server's
  /// or app's texts. Each part of a transaction has its own line.
  func lines(_ heading: String) -> String {
    let facts = TerminalText.rows([
      ("Server", server ?? ""), ("Realm", realm ?? ""), ("Account", account ?? ""),
      ("Application", application ?? ""), ("Time", timeLeft.map { TerminalText.duration($0) } ?? ""),
    ])
    if transaction != nil, isTransactionApproved {
      return heading + "\n" + facts + "This signs the transaction that you have approved.\n"
    }
    let said =
      if let transaction {
        TerminalText.quoted(title == Self.transactionTitle ? [] : [title, subtitle])
          + TerminalText.list(transaction.lines) + (transactionContext?.lines(now: Date()) ?? "")
      } else {
        TerminalText.quoted([title, subtitle, description]) + signedLines
      }
    let isTransaction = transaction != nil && heading != Self.transactionTitle
    return heading + "\n" + facts + (isTransaction ? Self.transactionTitle + "\n" : "") + said
  }

  /// Seconds left for the answer; the step's whole time limit when it has just begun.
  private var timeLeft: Double? {
    let limit = timeLimit.map { Double($0) }
    guard let left = end?.timeIntervalSinceNow else { return limit }
    return limit.flatMap { left < $0 && left > $0 - 2 ? $0 : nil } ?? left
  }

  /// The complete text that is signed.
  private var signedLines: String {
    guard let signedText else { return "" }
    return "The text that is signed:\n"
      + TerminalText.list(signedText.split(whereSeparator: \.isNewline).map(String.init))
  }

  /// Who asks, as the device knows it, and the question, in one phrase without a full stop, for prompts that show no more.
  var sentence: String {
    let said = [description, title].first { !$0.isEmpty } ?? "Use the key of this device"
    guard let server else { return said.onOneLine }
    let place = realm.map { "\(server), realm \($0)" } ?? server
    let whose = account.map { " as \($0)" } ?? ""
    return "For \(place)\(whose): \(TerminalText.line(said, columns: 200))"
  }
}

extension TransactionContext {
  /// The server's statements to show below a transaction; empty when there are none.
  package func lines(now: Date) -> String {
    let left = expiresAt.map { end in
      let seconds = end.timeIntervalSince(now)
      return seconds > 0 ? "\(TerminalText.duration(seconds)) left to approve" : "over"
    }
    let rows = TerminalText.rows([("Made by", applicationName ?? ""), ("Time", left ?? "")])
    return rows.isEmpty ? "" : "The server says about it:\n" + rows
  }
}
