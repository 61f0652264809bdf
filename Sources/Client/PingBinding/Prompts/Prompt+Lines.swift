internal import BindingFormats
internal import Bytes
internal import DeviceKeys
package import Foundation
package import SigningTransactions
internal import TerminalText

extension Prompt {
  /// The lines to show on a terminal: `heading`, the texts of the server or app, with each line marked as theirs, and below these texts,
  /// next to the question, the facts that this device itself knows.
  func lines(_ heading: String) -> String {
    let facts = TerminalText.rows([
      ("Server", server.map { TerminalText.address($0) } ?? ""), ("Realm", realm ?? ""),
      ("Account", account ?? ""),
      ("Application", application ?? ""), ("Token", token?.text ?? ""),
      ("Tries", token == nil ? "" : keyTries?.sentence ?? ""),
      ("Time", timeLeft.map { TerminalText.duration($0) } ?? ""),
    ])
    return heading + "\n" + said(below: heading) + facts
  }

  /// What is signed, or else the texts of the server or app.
  private func said(below heading: String) -> String {
    func titled(_ title: String, _ lines: [String]) -> String {
      (heading == title ? "" : title + "\n")
        + TerminalText.quoted(self.title == title ? [] : [self.title, subtitle])
        + TerminalText.statement(lines)
    }
    if let transaction {
      return isTransactionApproved
        ? "This signs the transaction that you have approved.\n"
        : titled(Self.transactionTitle, transaction.lines) + (transactionContext?.lines(now: Date()) ?? "")
    }
    if let signedText {
      return isTransactionApproved
        ? "This signs the text that you have approved.\n"
        : titled(
          Self.textTitle,
          signedText.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map(String.init))
    }
    // An app may show the content to be signed as the description, so no line of it is left out.
    guard let text = try? SignedText(description) else {
      return TerminalText.quoted([title, subtitle, description])
    }
    return TerminalText.quoted([title, subtitle]) + TerminalText.statement(text.lines)
  }

  /// Seconds left for the answer; the step's whole time limit when it has just begun.
  private var timeLeft: Double? {
    let limit = timeLimit.map { Double($0) }
    guard let left = end?.timeIntervalSinceNow else { return limit }
    return limit.flatMap { left < $0 && left > $0 - 2 ? $0 : nil } ?? left
  }

  /// The asking server, as the device knows it, and the question, in one phrase without a full stop, for prompts that show nothing else.
  var sentence: String {
    let said = [description, title].first { !$0.isEmpty } ?? "Use the key of this device"
    guard let server else { return said.onOneLine }
    let place = realm.map { "\(server), realm \($0)" } ?? server
    let whose = account.map { " as \($0)" } ?? ""
    return "For \(place)\(whose): \(TerminalText.line(said, columns: 200))"
  }
}

extension TransactionContext {
  /// The statements to show below a transaction, marked as those of `source`; empty when there are none.
  ///
  /// - Parameter source: The party that makes the statements.
  package func lines(now: Date, from source: String = "The server") -> String {
    let left = expiresAt.map { end in
      let seconds = end.timeIntervalSince(now)
      return seconds > 0 ? "\(TerminalText.duration(seconds)) left to approve" : "over"
    }
    let said = [applicationName.map { "Made by: \($0)" }, left.map { "Time: \($0)" }].compactMap { $0 }
    return said.isEmpty ? "" : "\(source) says about it:\n" + TerminalText.statement(said)
  }
}
