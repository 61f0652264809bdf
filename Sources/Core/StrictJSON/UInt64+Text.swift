/// Eight bytes of text, examined at once.
extension UInt64 {
  /// Whether one of the bytes cannot stand in a JSON string as it is: a quotation mark, a reverse solidus, or a control character
  /// (RFC 8259 §7).
  ///
  /// Subtracting 1 or 0x20 from a byte sets its top bit, which was clear, when the byte was below. A borrow from a lower byte
  /// comes only where the answer is yes already.
  var hasEscapedByte: Bool {
    let quotation = self ^ Self.bytes(UInt8(ascii: "\""))
    let solidus = self ^ Self.bytes(UInt8(ascii: "\\"))
    let found =
      (quotation &- Self.bytes(1)) & ~quotation | (solidus &- Self.bytes(1)) & ~solidus
      | (self &- Self.bytes(0x20)) & ~self
    return found & Self.bytes(0x80) != 0
  }

  /// Whether all of the bytes are ASCII.
  var isASCII: Bool { self & Self.bytes(0x80) == 0 }

  /// Eight times the same byte.
  private static func bytes(_ byte: UInt8) -> UInt64 { 0x0101_0101_0101_0101 &* UInt64(byte) }
}
