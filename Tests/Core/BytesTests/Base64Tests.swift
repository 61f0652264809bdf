import Bytes
import Testing

struct Base64Tests {
  /// RFC 4648 §10, and the characters in which the alphabets differ.
  @Test(arguments: [
    ([], ""), (Array("f".utf8), "Zg=="), (Array("fo".utf8), "Zm8="), (Array("foo".utf8), "Zm9v"),
    (Array("foob".utf8), "Zm9vYg=="), ([0xFB, 0xFF], "+/8="),
  ])
  func `vectors of the RFC`(bytes: [UInt8], padded: String) {
    let bare = String(padded.prefix { $0 != "=" })
    let urlSafe = String(bare.map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 })
    #expect(PaddedBase64.encode(bytes) == padded)
    #expect(PaddedBase64.encode(AnySequence(bytes)) == padded)
    #expect(Base64URL.encode(bytes) == urlSafe)
    #expect(PaddedBase64.decode(padded) == bytes)
    #expect(Base64URL.decode(urlSafe) == bytes)
    for form in [padded, bare, urlSafe, urlSafe + padded.dropFirst(bare.count)] {
      #expect(LenientBase64.decode(form) == bytes, "\(form)")
    }
  }

  /// Each value has one text in these two, so that what was signed or compared cannot be written in another way.
  @Test(arguments: [
    "Zg=", "Zg", "Zh==", "Zm9=", "Zg==\n", " Zg==", "-_8=", "Zg===", "=", "====", "Z===", "Zm=v", "ü===",
  ])
  func `padded base64 has one text`(text: String) { #expect(PaddedBase64.decode(text) == nil) }

  @Test(arguments: ["Zg==", "Zh", "+/8", "Z", "Zm8 ", "Zm9"])
  func `base64url has one text`(text: String) { #expect(Base64URL.decode(text) == nil) }

  /// The five readers that there were before took some of these each.
  @Test(arguments: [
    "+_8", "-/8=", "Zg=", "Zg===", "Zm8==", "Zh==", "Zh", "Z", "Zm9v\n", "Zm 9v", "=", "Zm=8", "Z===",
  ])
  func `lenient base64 still refuses what is broken`(text: String) {
    #expect(LenientBase64.decode(text) == nil)
  }

  @Test func `text is UTF-8 or nothing`() {
    #expect(LenientBase64.decodeText("w7w") == "ü")
    #expect(LenientBase64.decodeText("-_8") == nil)
  }

  @Test func `every length comes back`() {
    for count in 0...130 {
      let bytes = SystemRandom.bytes(count)
      #expect(bytes.count == count)
      #expect(PaddedBase64.decode(PaddedBase64.encode(bytes)) == bytes)
      #expect(Base64URL.decode(Base64URL.encode(bytes)) == bytes)
      #expect(LenientBase64.decode(PaddedBase64.encode(bytes)) == bytes)
    }
  }
}
