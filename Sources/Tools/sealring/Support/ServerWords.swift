/// What a server wrote, as commands show it: each line has the mark of others' words, so that none can pass for the program's own, such as
/// the question for a PIN.
enum ServerWords {
  /// Shows a text, line by line, on standard error.
  static func show(_ text: String) { Output.raw(marked(text)) }

  /// A text, line by line.
  static func marked(_ text: String) -> String {
    TerminalText.statement(text.split(whereSeparator: \.isNewline).map(String.init))
  }

  /// The beginning of a question that the server has worded, up to the place for the answer.
  static func question(_ text: String) -> String {
    let opening = "The server asks:"
    let line = TerminalText.line(text)
    guard TerminalText.width(of: line) > 56 else { return "\(opening) \(line)" }
    return "\(opening)\n\(TerminalText.quoted([line]))Answer"
  }
}
