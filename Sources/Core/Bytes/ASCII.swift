extension UInt8 {
  /// Whether this is an ASCII letter or digit.
  package var isASCIILetterOrDigit: Bool {
    switch self {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "a")...UInt8(ascii: "z"):
      true
    default: false
    }
  }

  /// Whether this byte may stand in an HTTP token, such as the name of a field, parameter or cookie (RFC 9110 §5.6.2).
  package var isTokenCharacter: Bool {
    isASCIILetterOrDigit || "!#$%&'*+-.^_`|~".utf8.contains(self)
  }

  /// Whether this is a space or a tab, which HTTP allows around parts of a field (RFC 9110 §5.6.3, RFC 6265 §5.2).
  package var isBlank: Bool { self == UInt8(ascii: " ") || self == UInt8(ascii: "\t") }
}

extension Substring.UTF8View {
  /// This text without the spaces and tabs at both ends.
  package var trimmingBlanks: Substring.UTF8View {
    var text = drop(while: \.isBlank)
    while text.last?.isBlank == true { text.removeLast() }
    return text
  }
}
