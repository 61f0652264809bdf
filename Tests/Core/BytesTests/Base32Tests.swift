import Bytes
import Testing

@Suite("Base32") struct Base32Tests {
  /// RFC 4648 §10.
  @Test(
    arguments: [
      ("", ""), ("f", "MY======"), ("fo", "MZXQ===="), ("foo", "MZXW6==="), ("foob", "MZXW6YQ="),
      ("fooba", "MZXW6YTB"), ("foobar", "MZXW6YTBOI======"),
    ])
  func `the vectors of RFC 4648`(plain: String, text: String) {
    let bare = text.prefix { $0 != "=" }
    #expect(Base32.encode(plain.utf8) == bare)
    for form in [text, String(bare), text.lowercased()] {
      #expect(Base32.decode(form) == Array(plain.utf8), "\(form)")
    }
  }

  @Test(
    arguments: [
      "M", "MZX", "MZXW6Y", "MZ", "M1======", "MY=", "MY====", "MY======M", "=", "========", "MY =====",
      "MÄ======",
      "MY=M====", String(repeating: "A", count: 1025),
    ])
  func `what is not valid Base32 is refused`(text: String) { #expect(Base32.decode(text) == nil) }

  @Test func `every length comes back`() {
    for count in 0...130 {
      let bytes = SystemRandom.bytes(count)
      #expect(Base32.decode(Base32.encode(bytes)) == bytes)
    }
  }

  @Test(
    arguments: [
      ("MY", "f"), ("MZ", "f"), ("MY=", "f"), ("mzxw6===", "foo"), ("MZXW6=", "foo"), ("", ""), ("=", ""),
    ])
  func `the lenient reading overlooks padding and left-over bits, and nothing else`(
    text: String, plain: String
  ) { #expect(Base32.decodeLenient(text) == Array(plain.utf8)) }

  @Test(arguments: ["M Y", "M1", "MY=M", "Ä"])
  func `lenient reading refuses other characters`(text: String) { #expect(Base32.decodeLenient(text) == nil) }
}
