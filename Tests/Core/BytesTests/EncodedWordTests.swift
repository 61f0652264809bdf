import Testing

@testable import Bytes

@Suite("Encoded words and quoted-printable")
struct EncodedWordTests {
  @Test(
    arguments: [
      ("mira", "mira"), ("=?UTF-8?B?w4RubmE=?=", "Änna"), ("=?utf-8?q?=C3=84nna_M=2E?=", "Änna M."),
      ("=?ISO-8859-1?Q?=C4nna?=", "Änna"), ("=?UTF-8*de?B?w4RubmE=?=", "Änna"),
      ("=?UTF-8?B?w4Ru?= =?UTF-8?B?bmE=?=", "Änna"), ("a =?UTF-8?Q?b?= c", "a b c"), ("=?", "=?"),
      ("=?UTF-8?B?***?=", "=?UTF-8?B?***?="), ("=?UTF-8?Q?=C3?=", "=?UTF-8?Q?=C3?="),
      ("=?KOI8-R?Q?a?=", "=?KOI8-R?Q?a?="),
      ("=?UTF-8?Q?=4?=", "=?UTF-8?Q?=4?="), ("=?UTF-8?X?a?=", "=?UTF-8?X?a?="),
      // A combining mark hides no end of a word.
      ("=?UTF-8?Q?b?=\u{301}", "b\u{301}"),
    ])
  func `header values may be encoded words (RFC 2047)`(value: String, expected: String) {
    #expect(EncodedWords.decode(value) == expected)
  }

  @Test(arguments: [("mira", "mira"), ("", ""), ("Änna", "=?UTF-8?B?w4RubmE=?=")])
  func `a value is written as one word only where it has to be`(value: String, written: String) {
    #expect(EncodedWords.encode(value) == written)
  }

  @Test(arguments: ["Änna", "=?UTF-8?B?w4RubmE=?=", "two\nlines", "a\u{7F}b", "👩🏽‍💻"])
  func `what is written is what is read`(value: String) {
    let written = EncodedWords.encode(value)
    #expect(EncodedWords.decode(written) == value && written.utf8.allSatisfy { (0x20..<0x7F).contains($0) })
  }

  @Test(
    arguments: [
      ("Caf=C3=A9", "Café"), ("a=\nb", "ab"), ("a=\r\nb", "ab"), ("a_b", "a_b"), ("=3D", "="), ("", ""),
      ("=", nil), ("=4", nil), ("=zz", nil), ("=\r", nil),
    ] as [(String, String?)])
  func `quoted-printable is decoded, and a broken escape refused`(text: String, expected: String?) {
    #expect(QuotedPrintable.decode(text).map { String(decoding: $0, as: UTF8.self) } == expected)
  }

  @Test func `a form names its parameters in order, and leaves out those without a value`() {
    #expect(PercentEncoding.form([("b", "1 +&="), ("a", nil), ("é", "")]) == "b=1%20%2B%26%3D&%C3%A9=")
    #expect(PercentEncoding.form(["b": "2", "a": "1"]) == "a=1&b=2")
    #expect(PercentEncoding.form([:]) == "")
  }
}
