internal import SigningTransactions
internal import TerminalText

extension Prompt {
  /// The lines to show on a terminal: `heading`, what this device knows, and below it, marked as theirs, what others say. Each
  /// part of a transaction has a line of its own.
  func lines(_ heading: String) -> String {
    let facts = TerminalText.rows([
      ("Server", server ?? ""), ("Realm", realm ?? ""), ("Account", account ?? ""),
      ("Application", application ?? ""),
    ])
    let said =
      if let transaction {
        TerminalText.quoted(title == Self.transactionTitle ? [] : [title, subtitle])
          + TerminalText.list(transaction.lines)
      } else {
        TerminalText.quoted([title, subtitle, description])
      }
    let isTransaction = transaction != nil && heading != Self.transactionTitle
    return heading + "\n" + facts + (isTransaction ? Self.transactionTitle + "\n" : "") + said
  }

  /// What the device knows and what is asked, in one sentence without a full stop, for readers that show no more.
  var sentence: String {
    let said = [description, title].first { !$0.isEmpty } ?? "Use the key of this device"
    guard let server else { return said.forTerminal }
    let place = realm.map { "\(server), realm \($0)" } ?? server
    let whose = account.map { " as \($0)" } ?? ""
    return "For \(place)\(whose): \(TerminalText.line(said, columns: 200))"
  }
}
