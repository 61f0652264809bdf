/// Bytes as AM's callbacks write them: decimal signed numbers from −128 to 127, joined by commas.
public enum Int8List {
  /// The text of `bytes`.
  public static func encode(_ bytes: some Sequence<UInt8>) -> String {
    bytes.map { String(Int8(bitPattern: $0)) }.joined(separator: ",")
  }

  /// The bytes of `text`; `nil` for spaces, plus signs, leading zeros, numbers out of range, and empty entries.
  public static func decode(_ text: some StringProtocol) -> [UInt8]? {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count / 3)
    var digits = 0
    var value = 0
    var isNegative = false
    func finished() -> UInt8? {
      let value = isNegative ? -value : value
      return digits > 0 ? Int8(exactly: value).map { UInt8(bitPattern: $0) } : nil
    }
    for character in text.utf8 {
      switch character {
      case UInt8(ascii: "0")...UInt8(ascii: "9"):
        guard digits < 3, digits == 0 || value > 0 else { return nil }
        value = value * 10 + Int(character - UInt8(ascii: "0"))
        digits += 1
      case UInt8(ascii: "-"):
        guard digits == 0, !isNegative else { return nil }
        isNegative = true
      case UInt8(ascii: ","):
        guard let byte = finished() else { return nil }
        bytes.append(byte)
        (digits, value, isNegative) = (0, 0, false)
      default: return nil
      }
    }
    guard let byte = finished() else { return nil }
    bytes.append(byte)
    return bytes
  }
}
