internal import SigningTransactions
internal import TerminalText

extension Prompt {
  /// The lines to show on a terminal; `title` stands in for a missing one, `description` likewise. Each part of a
  /// transaction has a line of its own.
  func lines(title: String, description: String) -> String {
    let text = self.description.isEmpty ? description : self.description
    let lines = [self.title.isEmpty ? title : self.title, subtitle] + (transaction?.lines ?? [text])
    return lines.filter { !$0.isEmpty }.map { $0.forTerminal + "\n" }.joined()
  }
}
