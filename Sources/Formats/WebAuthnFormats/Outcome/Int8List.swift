/// Bytes as AM's callbacks write them: decimal signed numbers from −128 to 127, joined by commas.
public enum Int8List {
  /// The text of `bytes`.
  public static func encode(_ bytes: some Sequence<UInt8>) -> String {
    bytes.map { String(Int8(bitPattern: $0)) }.joined(separator: ",")
  }

  /// The bytes of `text`; `nil` for spaces, plus signs, leading zeros, numbers out of range, and empty entries.
  public static func decode(_ text: some StringProtocol) -> [UInt8]? { decode(Array(text.utf8)[...]) }

  /// The bytes of a text's UTF-8, by the same rules.
  static func decode(_ text: ArraySlice<UInt8>) -> [UInt8]? {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count / 2)
    for entry in text.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
      guard let number = number(entry) else { return nil }
      bytes.append(number)
    }
    return bytes
  }

  /// One number, as the byte that it stands for.
  private static func number(_ entry: ArraySlice<UInt8>) -> UInt8? {
    let isNegative = entry.first == UInt8(ascii: "-")
    let digits = isNegative ? entry.dropFirst() : entry
    guard (1...3).contains(digits.count), digits.first != UInt8(ascii: "0") || digits.count == 1 else {
      return nil
    }
    var value = 0
    for digit in digits {
      guard (0x30...0x39).contains(digit) else { return nil }
      value = value * 10 + Int(digit - 0x30)
    }
    return Int8(exactly: isNegative ? -value : value).map { UInt8(bitPattern: $0) }
  }
}
