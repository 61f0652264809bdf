internal import Bytes

extension JSONValue {
  /// The compact text with only characters that are safe in a log, an event or a terminal line.
  ///
  /// Besides what JSON demands, every character that ``Swift/Unicode/Scalar/isFitForLine`` refuses is written as `\uXXXX`
  /// (RFC 8259 §7). So no value can end the line, move a cursor or reorder what is read. It parses to the same value.
  public var lineText: String {
    let text = text
    // The fast path for nearly all lines: every byte from the space to the tilde is a safe character.
    if text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) { return text }
    var line = ""
    for scalar in text.unicodeScalars {
      if scalar.isFitForLine {
        line.unicodeScalars.append(scalar)
      } else {
        line += scalar.utf16.map(Hexadecimal.escape).joined()
      }
    }
    return line
  }
}

extension Unicode.Scalar {
  /// Whether the character is visible or the space, and does not change the text around it. Variation selectors, which choose the form
  /// of emoji, are allowed.
  public var isFitForLine: Bool { self == " " || lineRole == .shown || properties.isVariationSelector }
}

extension StringProtocol {
  /// Whether all characters are fit for a line; see ``Swift/Unicode/Scalar/isFitForLine``.
  public var isFitForLine: Bool { unicodeScalars.allSatisfy { $0.isFitForLine } }
}
