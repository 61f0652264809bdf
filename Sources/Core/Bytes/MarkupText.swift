/// Escapes text for markup, in elements and in quoted attributes.
///
/// It works on bytes and scalars: a quotation mark and a combining accent after it form one `Character`, which would not be escaped and
/// would end an attribute.
package enum MarkupText {
  /// `text` escaped for HTML (HTML Living Standard §13.3). NUL, which HTML cannot express, becomes U+FFFD.
  package static func html(_ text: String) -> String {
    guard text.utf8.contains(where: { entity(of: $0) != nil || $0 == 0 }) else { return text }
    var output: [UInt8] = []
    output.reserveCapacity(text.utf8.count + 32)
    for byte in text.utf8 {
      if let entity = entity(of: byte) {
        output += entity.utf8
      } else if byte == 0 {
        output += "\u{FFFD}".utf8
      } else {
        output.append(byte)
      }
    }
    return String(decoding: output, as: UTF8.self)
  }

  /// `text` escaped for XML 1.0. Characters that XML cannot express (§2.2) become U+FFFD. A carriage return, which readers would turn
  /// into a line feed (§2.11), is written as `&#13;`.
  package static func xml(_ text: String) -> String {
    var output = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      switch scalar.value {
      case 0x0D: output.append(contentsOf: "&#13;".unicodeScalars)
      case 0x09, 0x0A: output.append(scalar)
      case ..<0x20, 0xFFFE, 0xFFFF: output.append("\u{FFFD}")
      case ..<0x80:
        if let entity = entity(of: UInt8(scalar.value)) {
          output.append(contentsOf: entity.unicodeScalars)
        } else {
          output.append(scalar)
        }
      default: output.append(scalar)
      }
    }
    return String(output)
  }

  /// The entity for a character that has a meaning in markup; `nil` for others.
  private static func entity(of byte: UInt8) -> String? {
    switch byte {
    case UInt8(ascii: "<"): "&lt;"
    case UInt8(ascii: ">"): "&gt;"
    case UInt8(ascii: "&"): "&amp;"
    case UInt8(ascii: "\""): "&quot;"
    case UInt8(ascii: "'"): "&#39;"
    default: nil
    }
  }
}
