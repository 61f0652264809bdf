import Bytes
import Testing

@Suite("Base64url (RFC 4648 §5, without padding)")
struct Base64URLTests {
  @Test(
    arguments: [
      ("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"), ("fooba", "Zm9vYmE"),
      ("foobar", "Zm9vYmFy"),
    ])
  func `RFC 4648 §10, without its padding`(plain: String, encoded: String) {
    #expect(Base64URL.encode(plain.utf8) == encoded)
    #expect(Base64URL.decode(encoded) == Array(plain.utf8))
  }

  @Test func `the two characters of its own alphabet`() {
    #expect(Base64URL.encode([0xFF, 0xFF, 0xFE]) == "___-")
    #expect(Base64URL.decode("___-") == [0xFF, 0xFF, 0xFE])
  }

  @Test func `every length comes back, from every kind of sequence`() {
    for count in 0..<100 {
      let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 73 + count) }
      let text = Base64URL.encode(bytes)
      #expect(text.utf8.count == (count * 4 + 2) / 3)
      #expect(Base64URL.decode(text) == bytes)
      #expect(Base64URL.decode(Substring(text)) == bytes)
      #expect(Base64URL.encode(bytes.lazy.map { $0 }) == text)
      #expect(Base64URL.encode(bytes[...]) == text)
    }
  }

  /// The last group is read byte by byte, those before it as words.
  @Test(arguments: [4, 8, 16])
  func `every byte in every position decodes or is refused as the alphabet says`(count: Int) {
    let alphabet = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    for byte in UInt8(0)..<128 {
      for position in 0..<count {
        var characters = Array(repeating: UInt8(ascii: "A"), count: count)
        characters[position] = byte
        let decoded = Base64URL.decode(String(decoding: characters, as: UTF8.self))
        #expect((decoded != nil) == alphabet.contains(byte))
        if let decoded { #expect(Base64URL.encode(decoded).utf8.elementsEqual(characters)) }
      }
    }
  }

  @Test(
    arguments: [
      "A", "AAAAA", "Zg==", "Zm8=", "=", "Zm9v\n", " Zm9v", "Zm9v ", "Zm 9v", "Zm+v", "Zm/v", "Zm.v", "é",
      "Zmé",
      "Zh", "Zm9", "Zn", "AB", "AAB", "Z\0", "ＡＡ",
    ])
  func `what is not valid base64url`(text: String) {
    #expect(Base64URL.decode(text) == nil)
  }
}
