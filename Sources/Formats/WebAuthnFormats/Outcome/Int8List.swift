/// Bytes as AM's callbacks write them: decimal signed numbers from −128 to 127, joined by commas.
public enum Int8List {
  /// The text of `bytes`.
  public static func encode(_ bytes: some Sequence<UInt8>) -> String {
    bytes.map { String(Int8(bitPattern: $0)) }.joined(separator: ",")
  }

  /// The bytes of `text`; `nil` for spaces, plus signs, leading zeros, numbers out of range, and empty entries.
  public static func decode(_ text: some StringProtocol) -> [UInt8]? {
    var bytes: [UInt8] = []
    for entry in text.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
      let digits = entry.first == UInt8(ascii: "-") ? entry.dropFirst() : entry
      guard digits.allSatisfy({ (0x30...0x39).contains($0) }), digits.first != 0x30 || digits.count == 1,
        let number = Int8(String(decoding: entry, as: UTF8.self))
      else { return nil }
      bytes.append(UInt8(bitPattern: number))
    }
    return bytes
  }
}
