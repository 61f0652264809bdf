/// The arithmetic of RFC 4648 for either alphabet, over plain buffers and without padding.
package struct Base64Codec: Sendable {
  /// §5, the URL and file name safe alphabet.
  package static let urlSafe = Base64Codec("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")

  /// §4, the standard alphabet.
  package static let standard = Base64Codec(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")

  /// The character of each six-bit value.
  private let alphabet: StaticString

  /// The six-bit value of each character, ``foreign`` for all others.
  private let values: [UInt8]

  /// The mark of a character outside the alphabet: the only entry with the top bit set.
  private static let foreign: UInt8 = 0xFF

  private init(_ alphabet: StaticString) {
    self.alphabet = alphabet
    var values = [UInt8](repeating: Base64Codec.foreign, count: 256)
    for value in 0..<64 { values[Int(alphabet.utf8Start[value])] = UInt8(value) }
    self.values = values
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
    while index + 3 <= source.count {
      let group = UInt32(source[index]) << 16 | UInt32(source[index + 1]) << 8 | UInt32(source[index + 2])
      output[0] = table[Int(group >> 18)]
      output[1] = table[Int(group >> 12 & 63)]
      output[2] = table[Int(group >> 6 & 63)]
      output[3] = table[Int(group & 63)]
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
      [UInt8](unsafeUninitializedCapacity: count) { output, initialized in
        isValid = Base64Codec.decode(source, with: table, to: output)
        initialized = count
      }
    }
    return isValid ? bytes : nil
  }

  /// Fills `output`, whatever the characters are, and says whether they were valid.
  private static func decode(
    _ source: UnsafeBufferPointer<UInt8>, with table: UnsafeBufferPointer<UInt8>,
    to output: UnsafeMutableBufferPointer<UInt8>
  ) -> Bool {
    var written = 0
    var index = 0
    var seen: UInt8 = 0
    while index + 4 <= source.count {
      let (a, b) = (table[Int(source[index])], table[Int(source[index + 1])])
      let (c, d) = (table[Int(source[index + 2])], table[Int(source[index + 3])])
      seen |= a | b | c | d
      output[written] = a << 2 | b >> 4 & 3
      output[written + 1] = b << 4 | c >> 2 & 15
      output[written + 2] = c << 6 | d & 63
      written += 3
      index += 4
    }
    var spare: UInt8 = 0
    if index < source.count {
      let (a, b) = (table[Int(source[index])], table[Int(source[index + 1])])
      seen |= a | b
      output[written] = a << 2 | b >> 4 & 3
      spare = b << 4
      if index + 2 < source.count {
        let c = table[Int(source[index + 2])]
        seen |= c
        output[written + 1] = b << 4 | c >> 2 & 15
        spare = c << 6
      }
    }
    return seen & 0x80 == 0 && spare == 0
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

  /// What ``decode(_:)`` gives for `characters` without their padding; `nil` when there is some, and it does not fill the
  /// last group of four.
  func decodePadded(_ characters: [UInt8]) -> [UInt8]? {
    let padding = characters.reversed().prefix { $0 == UInt8(ascii: "=") }.count
    guard padding <= 2, padding == 0 || characters.count % 4 == 0 else { return nil }
    return characters.dropLast(padding).withUnsafeBufferPointer(decode)
  }
}
