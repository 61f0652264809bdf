/// Encoded words in header values (RFC 2047 §2): how names and subjects that are not ASCII are written there.
package enum EncodedWords {
  /// The value with its encoded words decoded. What is not a well-formed encoded word of UTF-8, US-ASCII or ISO 8859-1
  /// stays as it is.
  package static func decode(_ value: String) -> String {
    var result = ""
    var rest = Substring(value)
    var followsWord = false
    while let start = rest.firstRange(of: "=?") {
      let before = rest[..<start.lowerBound]
      guard let (text, end) = word(in: rest[start.lowerBound...]) else {
        result += rest[..<start.upperBound]
        rest = rest[start.upperBound...]
        followsWord = false
        continue
      }
      // Blanks between two encoded words only separate them (§6.2).
      if !(followsWord && before.allSatisfy { $0 == " " || $0 == "\t" }) { result += before }
      result += text
      rest = rest[end...]
      followsWord = true
    }
    return result + rest
  }

  /// The word that `text` begins with, and where it ends.
  private static func word(in text: Substring) -> (text: String, end: Substring.Index)? {
    let parts = text.dropFirst(2).split(separator: "?", maxSplits: 3, omittingEmptySubsequences: false)
    guard parts.count == 4, parts[3].hasPrefix("=") else { return nil }
    let bytes: [UInt8]?
    switch parts[1].lowercased() {
    case "b": bytes = PaddedBase64.decode(parts[2])
    case "q": bytes = QuotedPrintable.decode(parts[2], blank: UInt8(ascii: "_"))
    default: return nil
    }
    // A charset may carry a language behind an asterisk (RFC 2231 §5).
    let charset = parts[0].split(separator: "*").first?.lowercased()
    guard let bytes, let decoded = string(bytes, charset: charset) else { return nil }
    return (decoded, parts[3].index(after: parts[3].startIndex))
  }

  private static func string(_ bytes: [UInt8], charset: String?) -> String? {
    switch charset {
    case "utf-8", "us-ascii": String(validating: bytes, as: UTF8.self)
    case "iso-8859-1": String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    default: nil
    }
  }
}
