/// The code that a person reads on a device and types elsewhere (RFC 8628 §6.1): eight letters without vowels, so that it spells no word.
package struct DeviceUserCode: Codable, Sendable, Hashable {
  /// The letters alone.
  package let letters: String

  private static let alphabet = Array("BCDFGHJKLMNPQRSTVWXZ".utf8)
  private static let count = 8
  private static let longestInput = 64

  /// A new code: 34 random bits.
  package init(randomBytes: (Int) -> [UInt8]) {
    // Bytes above the last multiple of the alphabet's length would make some letters likelier.
    let limit = 256 - 256 % Self.alphabet.count
    var letters: [UInt8] = []
    while letters.count < Self.count {
      for byte in randomBytes(2 * Self.count) where byte < limit && letters.count < Self.count {
        letters.append(Self.alphabet[Int(byte) % Self.alphabet.count])
      }
    }
    self.letters = String(decoding: letters, as: UTF8.self)
  }

  /// The code that somebody has typed, in either case, with or without hyphens and spaces; `nil` for anything else.
  package init?(typed text: String) {
    guard text.utf8.count <= Self.longestInput else { return nil }
    let letters = text.utf8.filter { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: " ") }.map {
      (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) ? $0 - 0x20 : $0
    }
    guard letters.count == Self.count, letters.allSatisfy(Self.alphabet.contains) else { return nil }
    self.letters = String(decoding: letters, as: UTF8.self)
  }

  /// The code as people read it, in two halves.
  package var text: String { "\(letters.prefix(Self.count / 2))-\(letters.suffix(Self.count / 2))" }
}
