extension JSONValue {
  /// The compact text with only characters that are safe in a log, an event or a terminal line.
  ///
  /// Beside what JSON demands, every control, format, private-use, unassigned and separator character but the space is
  /// written as `\uXXXX` (RFC 8259 §7). So no value can end the line, move a cursor or reorder what is read. It parses to
  /// the same value.
  public var lineText: String {
    var line = ""
    for scalar in text.unicodeScalars {
      if scalar.isFitForLine {
        line.unicodeScalars.append(scalar)
      } else {
        for unit in UTF16.encode(scalar).map(Array.init) ?? [] {
          let digits = String(unit, radix: 16)
          line += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
      }
    }
    return line
  }
}

extension Unicode.Scalar {
  /// Whether the character shows as itself and leaves what stands around it alone.
  public var isFitForLine: Bool {
    if isASCII { return value >= 0x20 && value < 0x7F }
    return switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .spaceSeparator, .surrogate, .privateUse,
      .unassigned:
      false
    default: true
    }
  }
}

extension StringProtocol {
  /// Whether all characters show as themselves; see ``Swift/Unicode/Scalar/isFitForLine``.
  public var isFitForLine: Bool { unicodeScalars.allSatisfy { $0.isFitForLine } }
}
