import Foundation

extension Output {
  /// What a command that keeps running tells the person, with the time.
  @Sendable static func event(_ text: String) {
    remark("\(Times.text(Date()))  \(TerminalText.line(text, columns: 400))")
  }
}
