import Foundation

extension Output {
  /// Prints a message of a long-running command, with the time.
  @Sendable static func event(_ text: String) {
    remark("\(Times.text(Date()))  \(TerminalText.line(text, columns: 400))")
  }
}
