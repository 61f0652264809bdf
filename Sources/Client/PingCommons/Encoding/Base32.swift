public import Foundation

private let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)

extension Data {
  /// The bytes that `base32String` encodes (RFC 4648 §6).
  ///
  /// Case, white space around it and missing or superfluous padding at the end do not matter; left-over bits are dropped.
  /// `nil` for any other character and for 10,000 characters or more.
  public init?(base32Encoded base32String: String) {
    let text = base32String.trimmingCharacters(in: .whitespacesAndNewlines)
    guard text.utf8.count < 10_000 else { return nil }
    var bytes = Data()
    var bits: UInt32 = 0
    var bitCount = 0
    var isPadding = false
    for character in text.utf8 {
      if character == UInt8(ascii: "=") {
        isPadding = true
        continue
      }
      let isLower = (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(character)
      guard !isPadding, let value = alphabet.firstIndex(of: isLower ? character & 0xDF : character) else {
        return nil
      }
      bits = (bits << 5 | UInt32(value)) & 0xFFF
      bitCount += 5
      if bitCount >= 8 {
        bitCount -= 8
        bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(bitCount)))
      }
    }
    self = bytes
  }

  /// Base32 of these bytes, padded to a multiple of eight characters (RFC 4648 §6).
  public func base32EncodedString() -> String {
    var text: [UInt8] = []
    var bits: UInt32 = 0
    var bitCount = 0
    for byte in self {
      bits = (bits << 8 | UInt32(byte)) & 0xFFF
      bitCount += 8
      while bitCount >= 5 {
        bitCount -= 5
        text.append(alphabet[Int(bits >> UInt32(bitCount) & 31)])
      }
    }
    if bitCount > 0 { text.append(alphabet[Int(bits << UInt32(5 - bitCount) & 31)]) }
    text += [UInt8](repeating: UInt8(ascii: "="), count: (8 - text.count % 8) % 8)
    return String(decoding: text, as: UTF8.self)
  }
}
