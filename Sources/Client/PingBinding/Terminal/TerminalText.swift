internal import SigningTransactions

extension String {
  /// This text for a terminal: without characters that control it or change the direction of writing. Texts of prompts come
  /// from the server and from its users.
  var forTerminal: String {
    var text = ""
    for scalar in unicodeScalars {
      switch scalar.properties.generalCategory {
      case .control, .lineSeparator, .paragraphSeparator: text += " "
      case .format, .surrogate, .privateUse, .unassigned: break
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text
  }
}

extension Prompt {
  /// The lines to show on a terminal; `title` stands in for a missing one, `description` likewise. Each part of a
  /// transaction has a line of its own.
  func lines(title: String, description: String) -> String {
    let text = self.description.isEmpty ? description : self.description
    let lines = [self.title.isEmpty ? title : self.title, subtitle] + (transaction?.lines ?? [text])
    return lines.filter { !$0.isEmpty }.map { $0.forTerminal + "\n" }.joined()
  }
}
