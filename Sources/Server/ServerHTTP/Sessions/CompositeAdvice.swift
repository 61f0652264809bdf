/// PingAM's advices: what an application's policy demands beyond the session that was presented.
///
/// Reads only the form of XML that PingAM writes:
/// `<Advices><AttributeValuePair><Attribute name="…"/><Value>…</Value>…</AttributeValuePair>…</Advices>`. It has no
/// declarations, no comments and only the five predefined entities, and everything is bounded.
package struct CompositeAdvice {
  /// By name, in their order in the text.
  package let attributes: [(name: String, values: [String])]

  package static let maximumBytes = 4096
  private static let maximumPairs = 8
  private static let maximumValues = 8

  /// `nil` for anything else.
  package init?(parsing text: String) {
    guard text.utf8.count <= Self.maximumBytes else { return nil }
    var reader = Reader(rest: text.unicodeScalars[...])
    var attributes: [(name: String, values: [String])] = []
    guard reader.takes("<Advices>") else { return nil }
    while reader.takes("<AttributeValuePair>") {
      guard attributes.count < Self.maximumPairs, let name = reader.attributeName(),
        !attributes.contains(where: { $0.name == name })
      else { return nil }
      var values: [String] = []
      while reader.takes("<Value>") {
        guard values.count < Self.maximumValues, let value = reader.text(), reader.takes("</Value>") else {
          return nil
        }
        values.append(value)
      }
      guard !values.isEmpty, reader.takes("</AttributeValuePair>") else { return nil }
      attributes.append((name, values))
    }
    guard !attributes.isEmpty, reader.takes("</Advices>"), reader.isAtEnd else { return nil }
    self.attributes = attributes
  }

  /// The advice for one level.
  package static func text(level: Int) -> String {
    "<Advices><AttributeValuePair><Attribute name=\"AuthLevelConditionAdvice\"/><Value>\(level)</Value>"
      + "</AttributeValuePair></Advices>"
  }

  /// Reads the text from left to right.
  private struct Reader {
    var rest: Substring.UnicodeScalarView

    private static let spaces: Set<Unicode.Scalar> = [" ", "\t", "\r", "\n"]
    private static let entities: [String: Unicode.Scalar] = [
      "amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'",
    ]

    var isAtEnd: Bool {
      mutating get {
        skipSpaces()
        return rest.isEmpty
      }
    }

    mutating func skipSpaces() { rest = rest.drop { Self.spaces.contains($0) } }

    /// Takes `tag`, with space before it.
    mutating func takes(_ tag: String) -> Bool {
      skipSpaces()
      guard rest.starts(with: tag.unicodeScalars) else { return false }
      rest = rest.dropFirst(tag.unicodeScalars.count)
      return true
    }

    /// `<Attribute name="…"/>`, or with a closing tag of its own.
    mutating func attributeName() -> String? {
      guard takes("<Attribute"), let space = rest.first, Self.spaces.contains(space), takes("name"),
        takes("="), takes("\"")
      else { return nil }
      let name = rest.prefix { $0 != "\"" && $0 != "<" && $0 != "&" }
      rest = rest.dropFirst(name.count)
      guard takes("\""), takes("/>") || takes(">") && takes("</Attribute>"), !name.isEmpty else { return nil }
      return String(name)
    }

    /// Reads the text up to the next tag, without space around it; `nil` when it is empty.
    mutating func text() -> String? {
      var text = String.UnicodeScalarView()
      while let scalar = rest.first, scalar != "<" {
        rest = rest.dropFirst()
        guard scalar == "&" else {
          text.append(scalar)
          continue
        }
        let name = rest.prefix { $0 != ";" && $0 != "<" && $0 != "&" }.prefix(5)
        rest = rest.dropFirst(name.count)
        guard rest.popFirst() == ";", let meant = Self.entities[String(name)] else { return nil }
        text.append(meant)
      }
      let trimmed = text.drop { Self.spaces.contains($0) }
      let end = trimmed.lastIndex { !Self.spaces.contains($0) }
      return end.map { String(trimmed[...$0]) }
    }
  }
}
