internal import Mustache

/// Escapes text for HTML, in elements and in quoted attributes (HTML Living Standard §13.3).
///
/// In place of the library's own, which looks at `Character`s: a quotation mark before a combining accent is one `Character` with it, and
/// would end the attribute unescaped.
struct HTMLText: MustacheContentType {
  static let name = "SEALRING_HTML"

  func escapeText(_ text: String) -> String { Self.escaped(text) }

  static func escaped(_ text: String) -> String {
    let special = text.utf8.contains { byte in
      switch byte {
      case UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "&"), UInt8(ascii: "\""), UInt8(ascii: "'"), 0:
        true
      default: false
      }
    }
    guard special else { return text }
    var output: [UInt8] = []
    output.reserveCapacity(text.utf8.count + 32)
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "<"): output += "&lt;".utf8
      case UInt8(ascii: ">"): output += "&gt;".utf8
      case UInt8(ascii: "&"): output += "&amp;".utf8
      case UInt8(ascii: "\""): output += "&quot;".utf8
      case UInt8(ascii: "'"): output += "&#39;".utf8
      case 0: output += "\u{FFFD}".utf8
      default: output.append(byte)
      }
    }
    return String(decoding: output, as: UTF8.self)
  }
}
