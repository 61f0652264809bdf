import TerminalPrompts

/// A question of a journey with several answers.
enum JourneyQuestion {
  /// The index of the answer, from 0: the only one, or the one that the user chooses on the terminal; `nil` when nothing was
  /// chosen.
  static func ask(_ text: String, answers: [String]) async throws -> Int? {
    guard answers.count > 1 else { return answers.isEmpty ? nil : 0 }
    let width = String(answers.count).count
    let list = answers.enumerated().map { place, answer in
      let number = String(place + 1)
      let blanks = String(repeating: " ", count: width - number.count)
      return
        "  \(blanks)\(number) | \(TerminalText.line(answer, columns: TerminalText.columns - width - 5))\n"
    }.joined()
    let heading = text.isEmpty ? "The server offers:\n" : "The server asks:\n" + ServerWords.marked(text)
    var question = "\(heading)\(list)Your choice (1 to \(answers.count)): "
    while true {
      switch await Terminal.controlling.ask(question, echoes: true) {
      case .text(let text):
        if let number = Int(text.filter { !$0.isWhitespace }), (1...answers.count).contains(number) {
          return number - 1
        }
        question = "Please enter a number from 1 to \(answers.count): "
      case .cancelled: throw CommandFailure.cancelled(because: "nothing was chosen")
      case .unavailable(let reason):
        throw CommandFailure.nobodyToAsk(
          "The journey asks to choose (\(answers.map(printable).joined(separator: ", ")))", reason, "")
      }
    }
  }

  /// Returns the text that the user types.
  static func typed(_ question: String, missing: String, asking: String, advice: String) async throws
    -> String
  {
    switch await Terminal.controlling.ask("\(question): ", echoes: true) {
    case .text(let text): return text
    case .cancelled: throw CommandFailure.cancelled(because: missing)
    case .unavailable(let reason): throw CommandFailure.nobodyToAsk(asking, reason, advice)
    }
  }
}
