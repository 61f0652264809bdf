/// Quoted-printable (RFC 2045 §6.7), and its variant in encoded words (RFC 2047 §4.2).
package enum QuotedPrintable {
  /// - Parameters:
  ///   - text: with line ends as `\n` or `\r\n`; an equals sign before one joins the lines.
  ///   - blank: the byte that stands for a space, as `_` does in encoded words.
  /// - Returns: the bytes that `text` stands for; `nil` for a broken escape.
  package static func decode(_ text: some StringProtocol, blank: UInt8? = nil) -> [UInt8]? {
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      switch byte {
      case blank: bytes.append(0x20)
      case UInt8(ascii: "="):
        if blank == nil, rest.starts(with: [0x0D, 0x0A]) {
          rest = rest.dropFirst(2)
        } else if blank == nil, rest.first == 0x0A {
          rest = rest.dropFirst()
        } else {
          guard let high = rest.popFirst().flatMap(Hexadecimal.value),
            let low = rest.popFirst().flatMap(Hexadecimal.value)
          else { return nil }
          bytes.append(high << 4 | low)
        }
      default: bytes.append(byte)
      }
    }
    return bytes
  }
}
