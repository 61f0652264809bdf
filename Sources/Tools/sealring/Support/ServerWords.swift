/// A server's text as commands show it: every line is marked as foreign, so that none can pass for the program's own, such as the
/// question for a PIN.
enum ServerWords {
  /// Shows a text, line by line, on standard error.
  static func show(_ text: String) { Output.raw(marked(text)) }

  /// Marks a text, line by line.
  static func marked(_ text: String) -> String {
    TerminalText.statement(text.split(whereSeparator: \.isNewline).map(String.init))
  }

  /// The start of a question in the server's words, up to the place for the answer.
  static func question(_ text: String) -> String {
    let opening = "The server asks:"
    let line = TerminalText.line(text)
    guard TerminalText.width(of: line) > 56 else { return "\(opening) \(line)" }
    return "\(opening)\n\(TerminalText.quoted([line]))Answer"
  }
}
