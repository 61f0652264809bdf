/// The effect of an outside character on the line of a terminal, a log or a message.
package enum LineRole: Sendable {
  /// It can be seen and changes nothing else.
  case shown

  /// It is blank, ends the line, or controls what shows it.
  case blank

  /// It shows nothing, or changes the order of the text around it.
  case hidden
}

extension Unicode.Scalar {
  /// What this character does to a line of text.
  package var lineRole: LineRole {
    if (0x21..<0x7F).contains(value) { return .shown }
    switch properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator, .spaceSeparator: return .blank
    case .format, .surrogate, .privateUse, .unassigned: return .hidden
    default: break
    }
    // Fillers, variation selectors and tags are hidden. The Braille pattern without dots is blank.
    if properties.isDefaultIgnorableCodePoint { return .hidden }
    return value == 0x2800 ? .blank : .shown
  }

  /// Whether this character may stand in a name that is shown on one line: it can be seen, or is a space.
  package var isFitForName: Bool { lineRole == .shown || properties.generalCategory == .spaceSeparator }
}

extension StringProtocol {
  /// This text as one line: without characters that control a terminal, change the direction of writing or show nothing, with
  /// single blanks, and without marks stacked over other lines.
  package var onOneLine: String {
    var words: [String] = []
    var word = String.UnicodeScalarView()
    for scalar in unicodeScalars {
      switch scalar.lineRole {
      case .shown: word.append(scalar)
      case .hidden: break
      case .blank:
        if !word.isEmpty { words.append(String(word)) }
        word = .init()
      }
    }
    if !word.isEmpty { words.append(String(word)) }
    return String(words.joined(separator: " ").compactMap(\.withoutStackedMarks))
  }

  /// This text without a full stop at its end, for use inside a sentence.
  package var withoutFullStop: String { String(last == "." ? dropLast() : self[...]) }
}

extension Character {
  /// Code points that one visible character may have. More of them draw over the lines above and below.
  package static let mostScalars = 8

  fileprivate var withoutStackedMarks: Character? {
    guard unicodeScalars.count > Self.mostScalars else { return self }
    return unicodeScalars.first.map { Character($0) }
  }
}
