internal import Bytes

/// Values that people have entered about themselves, in a form that is safe in a mail: one short line without web addresses.
///
/// The values are unverified, and the mail goes to any address that was typed. Unchanged, they would let an attacker make this server send
/// strangers a text and a link of the attacker's choice.
enum MailText {
  /// Longest value, in characters.
  static let longest = 100

  static func line(_ text: String) -> String {
    var scalars = String.UnicodeScalarView()
    for scalar in text.unicodeScalars.prefix(8 * longest) {
      switch scalar.properties.generalCategory {
      case .control, .lineSeparator, .paragraphSeparator, .spaceSeparator: scalars.append(" ")
      // Marks of direction, and invisible characters.
      case .format, .privateUse, .surrogate, .unassigned: continue
      default: scalars.append(scalar)
      }
    }
    let words = scalars.split(separator: " ").map { withoutAddress(Substring($0)) }
    return String(words.joined(separator: " ").prefix(longest))
  }

  /// Breaks up web addresses, because mail programs make links of them. Mail addresses stay: they lead to no page.
  ///
  /// It looks at scalars: a dot and a mark after it are one `Character`, and browsers read over some marks.
  private static func withoutAddress(_ word: Substring) -> String {
    if isMailAddress(word) { return String(word) }
    var result = String.UnicodeScalarView()
    var rest = word.unicodeScalars.replacing("://".unicodeScalars, with: " ".unicodeScalars)[...]
    while let dot = rest.firstIndex(where: isDot) {
      let next = rest.index(after: dot)
      result += rest[...dot]
      // "J.R." and "3.5" are left as they are: a name of a domain ends in two letters or more.
      let label = rest[next...].prefix { isMark($0) || isLetter($0) || isNumber($0) || $0 == "-" }
      if result.count > 1, label.contains(where: isLetter), label.count(where: { !isMark($0) }) > 1 {
        result.append(" ")
      }
      rest = rest[next...]
    }
    return String(result + rest)
  }

  /// A dot as browsers read one in a host's name (UTS #46).
  private static func isDot(_ scalar: Unicode.Scalar) -> Bool {
    ".\u{3002}\u{FF0E}\u{FF61}".unicodeScalars.contains(scalar)
  }

  private static func isLetter(_ scalar: Unicode.Scalar) -> Bool { scalar.properties.isAlphabetic }

  private static func isNumber(_ scalar: Unicode.Scalar) -> Bool { scalar.properties.numericType != nil }

  private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
    [.nonspacingMark, .spacingMark, .enclosingMark].contains(scalar.properties.generalCategory)
  }

  private static func isMailAddress(_ word: Substring) -> Bool {
    let parts = word.split(separator: "@", omittingEmptySubsequences: false)
    return parts.count == 2
      && parts.allSatisfy { part in
        !part.isEmpty && part.utf8.allSatisfy { $0.isASCIILetterOrDigit || "._+-".utf8.contains($0) }
      }
  }
}

extension String {
  /// The text with the first `most` places `{{name}}` filled; one without a value stays as it is. Values are not looked at again.
  func filled(most: Int = .max, _ value: (Substring) -> String?) -> String {
    var (result, rest, places) = ("", self[...], 0)
    while places < most, let open = rest.firstRange(of: "{{"),
      let close = rest[open.upperBound...].firstRange(of: "}}")
    {
      result += rest[..<open.lowerBound]
      if let value = value(rest[open.upperBound..<close.lowerBound]) {
        places += 1
        result += value
        rest = rest[close.upperBound...]
      } else {
        result += rest[open]
        rest = rest[open.upperBound...]
      }
    }
    return result + rest
  }
}
