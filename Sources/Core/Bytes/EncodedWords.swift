/// Encoded words in header values (RFC 2047 §2): how names and subjects that are not ASCII are written there.
package enum EncodedWords {
  private typealias Piece = ArraySlice<UInt8>

  private static let questionMark = UInt8(ascii: "?")
  private static let equalsSign = UInt8(ascii: "=")

  /// The value with its encoded words decoded. What is not a well-formed encoded word of UTF-8, US-ASCII or ISO 8859-1
  /// stays as it is.
  package static func decode(_ value: String) -> String {
    var result: [UInt8] = []
    var rest = Array(value.utf8)[...]
    var followsWord = false
    // Works on bytes, so that nothing later in the value can hide where a word begins or ends.
    while let start = wordStart(in: rest) {
      let before = rest[..<start]
      guard let (text, end) = word(in: rest[start...]) else {
        result += rest[..<(start + 2)]
        rest = rest[(start + 2)...]
        followsWord = false
        continue
      }
      // Blanks between two encoded words only separate them (§6.2).
      if !(followsWord && before.allSatisfy { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }) {
        result += before
      }
      result += text.utf8
      rest = rest[end...]
      followsWord = true
    }
    return String(decoding: result + rest, as: UTF8.self)
  }

  /// `text` as the value of a header. Printable ASCII that does not begin with `=?` stays as it is; other text becomes one encoded
  /// word, which ``decode(_:)`` reads.
  package static func encode(_ text: String) -> String {
    text.utf8.allSatisfy { (0x20..<0x7F).contains($0) } && !text.hasPrefix("=?")
      ? text : "=?UTF-8?B?\(PaddedBase64.encode(Array(text.utf8)))?="
  }

  /// Where the next `=?` is.
  private static func wordStart(in text: Piece) -> Int? {
    text.indices.dropLast().first { text[$0] == equalsSign && text[$0 + 1] == questionMark }
  }

  /// The word that `text` begins with, and where it ends.
  private static func word(in text: Piece) -> (text: String, end: Int)? {
    let parts = text.dropFirst(2).split(
      separator: questionMark, maxSplits: 3, omittingEmptySubsequences: false)
    guard parts.count == 4, parts[3].first == equalsSign else { return nil }
    let content = String(decoding: parts[2], as: UTF8.self)
    let bytes: [UInt8]?
    switch String(decoding: parts[1], as: UTF8.self).lowercased() {
    case "b": bytes = PaddedBase64.decode(content)
    case "q": bytes = QuotedPrintable.decode(content, blank: UInt8(ascii: "_"))
    default: return nil
    }
    // A charset may carry a language behind an asterisk (RFC 2231 §5).
    let charset = parts[0].split(separator: UInt8(ascii: "*")).first
    let name = charset.map { String(decoding: $0, as: UTF8.self).lowercased() }
    guard let bytes, let decoded = string(bytes, charset: name) else { return nil }
    return (decoded, parts[3].startIndex + 1)
  }

  private static func string(_ bytes: [UInt8], charset: String?) -> String? {
    switch charset {
    case "utf-8", "us-ascii": String(validating: bytes, as: UTF8.self)
    case "iso-8859-1": String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    default: nil
    }
  }
}
