import PingBinding

/// A question of a journey with several answers.
enum JourneyQuestion {
  /// The number of the answer, counted from 0: the only one, or the one that the person chooses at the terminal; `nil` when
  /// there is none to choose.
  @Sendable static func ask(_ question: String, answers: [String]) async throws -> Int? {
    guard answers.count > 1 else { return answers.isEmpty ? nil : 0 }
    let list = answers.enumerated().map { "  \($0.offset + 1)  \(printable($0.element))\n" }.joined()
    let heading = question.isEmpty ? "" : "\(printable(question))\n"
    switch await Terminal.controlling.ask(
      "\(heading)\(list)Your choice (1 to \(answers.count)): ", echoes: true)
    {
    case .text(let text):
      guard let number = Int(text.filter { !$0.isWhitespace }), (1...answers.count).contains(number) else {
        throw CommandFailure("\(printable(text)) is none of the choices. Run the command again.")
      }
      return number - 1
    case .cancelled: throw CommandFailure("Cancelled: nothing was chosen. Run the command again when ready.")
    case .unavailable(let reason):
      throw CommandFailure(
        "The journey asks to choose (\(answers.map(printable).joined(separator: ", "))), and nobody can be asked: \(reason)."
      )
    }
  }
}
