/// The arithmetic of RFC 4648 for either alphabet, over plain buffers and without padding.
package struct Base64Codec: Sendable {
  /// §5, the URL and file name safe alphabet.
  package static let urlSafe = Base64Codec("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")

  /// §4, the standard alphabet.
  package static let standard = Base64Codec(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")

  /// The character of each six-bit value.
  private let alphabet: StaticString

  /// The two characters of each twelve-bit value, as they lie in memory.
  private let pairs: [UInt16]

  /// What each character adds to its group of four: 256 entries for the first of a group, then for the second, and so on. The three
  /// bytes of the group are the high ones of the entry. Characters outside the alphabet have the entry ``foreign``.
  private let values: [UInt32]

  /// The mark of a character outside the alphabet: the only entries with a bit set in their low byte.
  private static let foreign: UInt32 = 0x80

  private init(_ alphabet: StaticString) {
    self.alphabet = alphabet
    var values = [UInt32](repeating: Base64Codec.foreign, count: 4 * 256)
    for value in 0..<64 {
      let character = Int(alphabet.utf8Start[value])
      for place in 0..<4 { values[place * 256 + character] = UInt32(value) << (26 - 6 * place) }
    }
    self.values = values
    pairs = (0..<64 * 64).map { value in
      let (first, second) = (alphabet.utf8Start[value >> 6], alphabet.utf8Start[value & 63])
      return UInt16(littleEndian: UInt16(second) << 8 | UInt16(first))
    }
  }

  /// Whether `byte` is a character of either alphabet.
  package static func isCharacter(_ byte: UInt8) -> Bool {
    urlSafe.values[Int(byte)] != foreign || standard.values[Int(byte)] != foreign
  }

  /// How many characters `count` bytes become.
  package static func encodedCount(_ count: Int) -> Int { (count * 4 + 2) / 3 }

  /// Writes the encoding of `source` to `output`, which has room for ``encodedCount(_:)`` characters.
  package func encode(_ source: UnsafeBufferPointer<UInt8>, to output: UnsafeMutablePointer<UInt8>) {
    let table = alphabet.utf8Start
    var output = output
    var index = 0
    // Each step loads eight bytes and uses six of them.
    let bytes = UnsafeRawBufferPointer(source)
    pairs.withUnsafeBufferPointer { pairs in
      while index + 8 <= source.count {
        let word = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self))
        for place in 0..<4 {
          let pair = pairs[Int(truncatingIfNeeded: word >> (52 - 12 * place) & 0xFFF)]
          UnsafeMutableRawPointer(output + 2 * place).storeBytes(of: pair, as: UInt16.self)
        }
        output += 8
        index += 6
      }
    }
    while index + 3 <= source.count {
      let group = UInt32(source[index]) << 16 | UInt32(source[index + 1]) << 8 | UInt32(source[index + 2])
      for place in 0..<4 { output[place] = table[Int(group >> (18 - 6 * place) & 63)] }
      output += 4
      index += 3
    }
    guard index < source.count else { return }
    let first = source[index]
    output[0] = table[Int(first >> 2)]
    guard index + 1 < source.count else {
      output[1] = table[Int(first & 3) << 4]
      return
    }
    let second = source[index + 1]
    output[1] = table[Int(first & 3) << 4 | Int(second >> 4)]
    output[2] = table[Int(second & 15) << 2]
  }

  /// The bytes that `source` encodes; `nil` for a character outside the alphabet (padding and line breaks
  /// too), an impossible length, or spare bits that are not zero, so that each value has one text only.
  package func decode(_ source: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
    let (groups, rest) = source.count.quotientAndRemainder(dividingBy: 4)
    guard rest != 1 else { return nil }
    let count = groups * 3 + max(rest - 1, 0)
    var isValid = true
    let bytes = values.withUnsafeBufferPointer { table in
      [UInt8](count: count) { isValid = Base64Codec.decode(source, with: table, to: $0) }
    }
    return isValid ? bytes : nil
  }

  /// Fills `output` even when characters are invalid, and returns whether all were valid.
  private static func decode(
    _ source: UnsafeBufferPointer<UInt8>, with table: UnsafeBufferPointer<UInt32>,
    to output: UnsafeMutableBufferPointer<UInt8>
  ) -> Bool {
    let bytes = UnsafeMutableRawBufferPointer(output)
    var written = 0
    var index = 0
    var seen: UInt32 = 0
    // Stores four bytes, of which three count, while there is room for the fourth.
    while index + 4 <= source.count, written + 4 <= bytes.count {
      var group = table[Int(source[index])]
      group |= table[256 + Int(source[index + 1])]
      group |= table[512 + Int(source[index + 2])]
      group |= table[768 + Int(source[index + 3])]
      seen |= group
      bytes.storeBytes(of: group.bigEndian, toByteOffset: written, as: UInt32.self)
      written += 3
      index += 4
    }
    // At most two groups are left. The last one may have only two or three characters.
    while index < source.count {
      let count = min(source.count - index, 4)
      var group: UInt32 = 0
      for place in 0..<count { group |= table[place * 256 + Int(source[index + place])] }
      for place in 0..<count - 1 {
        bytes[written + place] = UInt8(truncatingIfNeeded: group >> (24 - 8 * place))
      }
      // The spare bits of a short group must be zero.
      if count == 4 {
        seen |= group
      } else if group << (8 * (count - 1)) != 0 {
        seen |= foreign
      }
      written += count - 1
      index += count
    }
    return seen & foreign == 0
  }

  // MARK: Padding

  /// The text of `source` without padding.
  package func text(_ source: UnsafeBufferPointer<UInt8>) -> String {
    text(source, count: Base64Codec.encodedCount(source.count))
  }

  /// The text of `source`, padded to whole groups of four characters.
  func paddedText(_ source: UnsafeBufferPointer<UInt8>) -> String {
    text(source, count: (source.count + 2) / 3 * 4)
  }

  private func text(_ source: UnsafeBufferPointer<UInt8>, count: Int) -> String {
    String(unsafeUninitializedCapacity: count) { output in
      guard let start = output.baseAddress else { return 0 }
      encode(source, to: start)
      for index in Base64Codec.encodedCount(source.count)..<count { output[index] = UInt8(ascii: "=") }
      return count
    }
  }

  /// The result of ``decode(_:)`` for `characters` without their padding; `nil` when there is padding that does not fill the last group
  /// of four.
  func decodePadded(_ characters: [UInt8]) -> [UInt8]? {
    let padding = characters.reversed().prefix { $0 == UInt8(ascii: "=") }.count
    guard padding <= 2, padding == 0 || characters.count % 4 == 0 else { return nil }
    return characters.dropLast(padding).withUnsafeBufferPointer(decode)
  }
}
