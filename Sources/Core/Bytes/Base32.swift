/// Base32 (RFC 4648 §6), the encoding in which authenticators take secrets.
public enum Base32 {
  /// The characters of the 32 values. No two of them look alike in print.
  package static let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)

  /// The longest text that ``decode(_:)`` accepts, in bytes.
  public static let maximumBytes = 1024

  /// The text of `bytes` in capitals without padding, the form that authenticators read.
  public static func encode(_ bytes: some Sequence<UInt8>) -> String {
    var text: [UInt8] = []
    var bits: UInt16 = 0
    var count = 0
    for byte in bytes {
      bits = bits << 8 | UInt16(byte)
      count += 8
      while count >= 5 {
        count -= 5
        text.append(letters[Int(bits >> count & 31)])
      }
    }
    if count > 0 { text.append(letters[Int(bits << (5 - count) & 31)]) }
    return String(decoding: text, as: UTF8.self)
  }

  /// The bytes of `text`, in either case, with or without padding.
  ///
  /// `nil` for other characters, an impossible length, spare bits that are not zero, and more than ``maximumBytes``.
  public static func decode(_ text: some StringProtocol) -> [UInt8]? {
    let input = text.utf8
    guard input.count <= maximumBytes else { return nil }
    let digits = input.prefix { $0 != UInt8(ascii: "=") }
    let padding = input.dropFirst(digits.count)
    guard padding.allSatisfy({ $0 == UInt8(ascii: "=") }), padding.isEmpty || input.count % 8 == 0,
      padding.count < 8, ![1, 3, 6].contains(digits.count % 8), let (bytes, rest) = decode(digits: digits)
    else { return nil }
    return rest == 0 ? bytes : nil
  }

  /// The bytes of `text` as users and careless services write it: padding may be missing or superfluous, and spare bits may be set.
  /// `nil` for other characters.
  package static func decodeLenient(_ text: some StringProtocol) -> [UInt8]? {
    let digits = text.utf8.prefix { $0 != UInt8(ascii: "=") }
    guard text.utf8.dropFirst(digits.count).allSatisfy({ $0 == UInt8(ascii: "=") }) else { return nil }
    return decode(digits: digits)?.bytes
  }

  /// The bytes of digits alone, and the bits that are left over; `nil` for other characters.
  private static func decode(digits: some Sequence<UInt8>) -> (bytes: [UInt8], rest: UInt16)? {
    var bytes: [UInt8] = []
    var bits: UInt16 = 0
    var count = 0
    for digit in digits {
      guard let value = value(of: digit) else { return nil }
      bits = (bits << 5 | value) & 0x0FFF
      count += 5
      if count >= 8 {
        count -= 8
        bytes.append(UInt8(truncatingIfNeeded: bits >> count))
      }
    }
    return (bytes, bits & (1 << count - 1))
  }

  private static func value(of digit: UInt8) -> UInt16? {
    switch digit {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt16(digit - UInt8(ascii: "A"))
    case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt16(digit - UInt8(ascii: "a"))
    case UInt8(ascii: "2")...UInt8(ascii: "7"): UInt16(digit - UInt8(ascii: "2") + 26)
    default: nil
    }
  }
}
