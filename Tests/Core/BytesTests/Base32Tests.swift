import Bytes
import Testing

@Suite("Base32") struct Base32Tests {
  /// RFC 4648 §10.
  @Test(
    "the vectors of RFC 4648",
    arguments: [
      ("", ""), ("f", "MY======"), ("fo", "MZXQ===="), ("foo", "MZXW6==="), ("foob", "MZXW6YQ="),
      ("fooba", "MZXW6YTB"), ("foobar", "MZXW6YTBOI======"),
    ])
  func vectors(plain: String, text: String) {
    let bare = text.prefix { $0 != "=" }
    #expect(Base32.encode(plain.utf8) == bare)
    for form in [text, String(bare), text.lowercased()] {
      #expect(Base32.decode(form) == Array(plain.utf8), "\(form)")
    }
  }

  @Test(
    "what is not valid Base32 is refused",
    arguments: [
      "M", "MZX", "MZXW6Y", "MZ", "M1======", "MY=", "MY====", "MY======M", "=", "========", "MY =====",
      "MÄ======",
      "MY=M====", String(repeating: "A", count: 1025),
    ])
  func refused(text: String) { #expect(Base32.decode(text) == nil) }

  @Test("every length comes back")
  func roundTrip() {
    for count in 0...130 {
      let bytes = SystemRandom.bytes(count)
      #expect(Base32.decode(Base32.encode(bytes)) == bytes)
    }
  }

  @Test(
    "the lenient reading overlooks padding and left-over bits, and nothing else",
    arguments: [
      ("MY", "f"), ("MZ", "f"), ("MY=", "f"), ("mzxw6===", "foo"), ("MZXW6=", "foo"), ("", ""), ("=", ""),
    ])
  func lenient(text: String, plain: String) { #expect(Base32.decodeLenient(text) == Array(plain.utf8)) }

  @Test(arguments: ["M Y", "M1", "MY=M", "Ä"])
  func lenientReadingRefusesOtherCharacters(text: String) { #expect(Base32.decodeLenient(text) == nil) }
}
