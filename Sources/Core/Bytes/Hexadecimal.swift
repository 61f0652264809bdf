/// Bytes as hexadecimal digits.
package enum Hexadecimal {
  /// The value of a digit in either case; `nil` for other characters.
  package static func value(of digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    default: nil
    }
  }

  /// Whether `byte` is a hexadecimal digit, in either case.
  package static func isDigit(_ byte: UInt8) -> Bool { value(of: byte) != nil }

  /// Whether `byte` is a hexadecimal digit in lower case, which Sealring writes.
  package static func isLowercaseDigit(_ byte: UInt8) -> Bool {
    isDigit(byte) && !(UInt8(ascii: "A")...UInt8(ascii: "F")).contains(byte)
  }

  /// The bytes of an even number of digits in either case; `nil` for anything else.
  package static func decode(_ text: some StringProtocol) -> [UInt8]? {
    let digits = Array(text.utf8)
    guard digits.count % 2 == 0 else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(digits.count / 2)
    for place in stride(from: 0, to: digits.count, by: 2) {
      guard let high = value(of: digits[place]), let low = value(of: digits[place + 1]) else { return nil }
      bytes.append(high << 4 | low)
    }
    return bytes
  }

  /// Two lower-case digits a byte.
  fileprivate static func text(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
    String(unsafeUninitializedCapacity: 2 * bytes.count) { digits in
      for (place, byte) in bytes.enumerated() {
        digits[2 * place] = digit(byte >> 4)
        digits[2 * place + 1] = digit(byte & 15)
      }
      return 2 * bytes.count
    }
  }

  /// The digit of a value below 16. `ten` is the letter for 10 and decides the case.
  static func digit(_ value: UInt8, ten: UInt8 = UInt8(ascii: "a")) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : ten + value - 10
  }

  /// `\uXXXX`, the escape of a code unit in JSON (RFC 8259 §7).
  package static func escape(_ unit: UInt16) -> String { "\\u" + unit.bigEndianBytes.hexadecimal }

  /// 16 `bytes` in the form of a UUID (RFC 9562 §4), in lower case.
  package static func uuid(_ bytes: some Collection<UInt8>) -> String {
    let digits = bytes.hexadecimal
    return [8, 4, 4, 4, 12].reduce(into: (parts: [Substring](), rest: digits[...])) { result, count in
      result.parts.append(result.rest.prefix(count))
      result.rest = result.rest.dropFirst(count)
    }.parts.joined(separator: "-")
  }
}

extension Sequence<UInt8> {
  /// Two lower-case hexadecimal digits a byte.
  package var hexadecimal: String {
    withContiguousStorageIfAvailable(Hexadecimal.text)
      ?? Array(self).withUnsafeBufferPointer(Hexadecimal.text)
  }
}
