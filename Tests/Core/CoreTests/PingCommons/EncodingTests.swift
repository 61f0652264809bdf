import Foundation
import PingCommons
import Testing

@Suite("Base64")
struct Base64Tests {
  @Test(arguments: ["", "f", "fo", "foo", "foob", "ü?>ü?>", "{\"a\":1}"])
  func `text goes there and back`(text: String) throws {
    #expect(try Base64.decodeBase64Url(Base64.encodeBase64(text)) == text)
    #expect(try Base64.decodeBase64(text.base64Encoded()) == text)
    #expect(text.base64Encoded().base64Decoded() == text)
    #expect(text.base64URLEncodedString().base64Decoded() == text)
    #expect(text.base64URLEncodedString().decodeURL() == Data(text.utf8))
    #expect(text.base64Encoded().decodeBase64() == Data(text.utf8))
    #expect(
      try Base64.recodeBase64NoWrapValueToUrlSafeNoWrap(text.base64Encoded()) == Base64.encodeBase64(text))
    #expect(
      try Base64.recodeBase64NoWrapUrlSafeValueToNoWrap(Base64.encodeBase64(text)) == text.base64Encoded())
  }

  @Test func `encodeBase64 is URL safe despite its name`() {
    #expect(Base64.encodeBase64("ü?>ü?>") == "w7w_PsO8Pz4")
    #expect(Data([0xFB, 0xFF]).base64URLEncodedString() == "-_8")
    #expect(Data([1, 2]).bytesArray == [1, 2])
  }

  @Test(arguments: [
    ("Zm9v", true), ("Zm8=", true), ("Zm8", true), ("-_8", true), ("+/8=", true), ("+_8", false),
    ("Zm9v!", false),
    ("Z", false), ("Zm8==", false), ("Z===", false), ("Zm=8", false), ("Zm9v\n", false), ("", true),
  ])
  func `alphabets and padding are checked`(text: String, isBase64: Bool) {
    #expect(Base64.isBase64Encoded(text) == isBase64)
    #expect(text.isBase64Encoded() == isBase64)
    #expect((text.decodeBase64() != nil) == isBase64)
  }

  @Test func `each decoder takes its own alphabet`() {
    #expect(throws: Base64Error.self) { try Base64.decodeBase64("-_8") }
    #expect(throws: Base64Error.self) { try Base64.decodeBase64Url("+/8") }
    #expect(Base64.decodeBase64UrlToData("+/8") == nil)
    #expect(Base64.decodeBase64UrlToData("-_8") == Data([0xFB, 0xFF]))
  }

  @Test func `bytes that are no text are an error that does not show them`() {
    let error = #expect(throws: Base64Error.self) { try Base64.decodeBase64Url("-_8") }
    guard case .invalidBase64String = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(error?.localizedDescription.contains("-_8") == false)
  }

  @Test func `alphabets are padded and converted`() {
    #expect("Zg".base64Pad() == "Zg==")
    #expect("Zm9v".base64Pad() == "Zm9v")
    #expect("-_8".urlSafeDecoding() == "+/8")
    #expect("+/8=".urlSafeEncoding() == "-_8=")
  }
}

@Suite("Base32")
struct Base32Tests {
  /// RFC 4648 §10.
  @Test(arguments: [
    ("", ""), ("f", "MY======"), ("fo", "MZXQ===="), ("foo", "MZXW6==="), ("foob", "MZXW6YQ="),
    ("fooba", "MZXW6YTB"), ("foobar", "MZXW6YTBOI======"),
  ])
  func `RFC 4648 vectors`(text: String, encoded: String) {
    #expect(Data(text.utf8).base32EncodedString() == encoded)
    #expect(Data(base32Encoded: encoded) == Data(text.utf8))
    let unpadded = encoded.lowercased().filter { $0 != "=" }
    #expect(Data(base32Encoded: "  \(unpadded)\n") == Data(text.utf8))
  }

  @Test(arguments: ["MZ XQ", "MZ1Q", "MZ=XQ", "ü", "M\u{0}"])
  func `other characters are refused`(text: String) {
    #expect(Data(base32Encoded: text) == nil)
  }

  @Test func `length is bounded`() {
    #expect(Data(base32Encoded: String(repeating: "A", count: 9_999)) != nil)
    #expect(Data(base32Encoded: String(repeating: "A", count: 10_000)) == nil)
  }

  @Test func `every byte goes there and back`() {
    let bytes = Data((0..<256).map { UInt8($0) })
    #expect(Data(base32Encoded: bytes.base32EncodedString()) == bytes)
  }
}

@Suite("Accept-Language")
struct AcceptLanguageTests {
  @Test(arguments: [
    ([], ""), (["en-US"], "en-US, en;q=0.9"), (["zh-Hant-TW"], "zh-Hant-TW, zh;q=0.9"), (["de"], "de"),
    (["en-US", "fr-FR"], "en-US, en;q=0.9, fr-FR;q=0.8, fr;q=0.7"),
    (["en_US", "en-GB"], "en-US, en;q=0.9, en-GB;q=0.8, en;q=0.7"),
    (
      ["a-A", "b-B", "c-C", "d-D", "e-E", "f-F", "g-G"],
      "a-A, a;q=0.9, b-B;q=0.8, b;q=0.7, c-C;q=0.6, c;q=0.5, d-D;q=0.4, d;q=0.3, e-E;q=0.2, e;q=0.1, f-F;q=0.1, "
        + "f;q=0.1, g-G;q=0.1, g;q=0.1"
    ),
  ])
  func `weights fall`(identifiers: [String], header: String) {
    let locales = identifiers.map { Locale(identifier: $0) }
    // Foundation may spell an unknown identifier its own way; what counts is the weights.
    #expect(locales.toAcceptLanguage().lowercased() == header.lowercased())
  }

  @Test(arguments: [
    ([:], ""), (["LANG": "C.UTF-8"], ""), (["LANG": "POSIX"], ""),
    (["LANG": "de_CH.UTF-8"], "de-CH, de;q=0.9"),
    (["LANG": "de_DE@euro", "LC_ALL": "fr_FR"], "fr-FR, fr;q=0.9"),
    (["LANG": "de_DE", "LC_ALL": ""], "de-DE, de;q=0.9"),
    (["LANG": "de_DE", "LANGUAGE": "sv:en_GB"], "sv, en-GB;q=0.9, en;q=0.8"),
    (["LANG": "C", "LANGUAGE": "sv"], ""),
    (["LANG": "de\r\nX-Evil: 1"], ""),
  ])
  func `the environment says what the user prefers`(environment: [String: String], header: String) {
    #expect(Locale.preferredLocales(environment: environment).toAcceptLanguage() == header)
  }
}
