import StrictJSON
import Testing

@Suite("Strings")
struct StringTests {
  @Test(
    arguments: [
      (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{C}\n\r\t"), (#""\u0041\u00e9\u00E9""#, "Aéé"),
      (#""\u0000""#, "\0"), (#""a\u0000b""#, "a\0b"), (#""\ud83d\ude00""#, "😀"),
      (#""\uDBFF\uDFFF""#, "\u{10FFFF}"),
      (#""\ud800\udc00""#, "\u{10000}"), (#""\uFFFF\uD7FF\uE000""#, "\u{FFFF}\u{D7FF}\u{E000}"),
      (#""é\né""#, "é\né"), (#""😀\t""#, "😀\t"), (#""\\u0041""#, #"\u0041"#), (#""\u005C""#, "\\"),
      (#""\u0022""#, "\""),
    ])
  func `escapes`(text: String, value: String) throws {
    let parsed = try #require(try JSONValue(parsing: text).stringValue)
    #expect(Array(parsed.unicodeScalars) == Array(value.unicodeScalars))
    #expect(try JSONValue(parsing: JSONValue.string(parsed).text) == .string(value))
  }

  @Test(
    arguments: [
      #""\a""#, #""\x41""#, #""\'""#, #""\0""#, #""\U0041""#, #""\u004""#, #""\u00g1""#, #""\u 041""#,
      #""\u-041""#, #""\u+041""#, #""\u{41}""#, #""\é""#,
      #""\ud800""#, #""\udc00""#, #""\udfff""#, #""\ud800x""#, #""\ud800\n""#, #""\ud800\u0041""#,
      #""\ud800\ud800""#, #""\udc00\ud800""#, #""\ud800\\udc00""#, #""\uD83D\u""# + "dE0\"",
      "\"\u{0}\"", "\"\u{1}\"", "\"\n\"", "\"\r\"", "\"\t\"", "\"a\u{1F}\"", "\"\\n\u{1F}\"",
    ])
  func `refused: bad escapes, lone surrogates, control characters`(text: String) {
    #expect(refusal(text) == .invalidString)
  }

  @Test(
    arguments: [
      [0x80], [0xBF], [0xC0, 0x80], [0xC1, 0xBF], [0xC3], [0xC3, 0x28], [0xE0, 0x80, 0xAF], [0xE2, 0x82],
      [0xE2, 0x28, 0xA1], [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF], [0xF0, 0x80, 0x80, 0xAF],
      [0xF0, 0x9F, 0x98], [0xF4, 0x90, 0x80, 0x80], [0xF8, 0x88, 0x80, 0x80, 0x80], [0xFE], [0xFF],
    ] as [[UInt8]])
  func `refused: bytes that are not UTF-8`(bytes: [UInt8]) {
    let quote = UInt8(ascii: "\"")
    for text in [
      [quote] + bytes + [quote], [quote] + Array("é".utf8) + bytes + [quote],
      [quote] + Array(#"\n"#.utf8) + bytes + [quote], [quote] + bytes + Array(#"\n""#.utf8),
      Array(#"{""#.utf8) + bytes + Array(#"":1}"#.utf8),
    ] {
      #expect { try JSONValue(parsing: text) } throws: { ($0 as? JSONError)?.reason == .invalidUTF8 }
    }
  }

  @Test func `written: what must be escaped is, the rest stays as it is`() {
    #expect(
      JSONValue.string("\"\\\n\r\t\u{8}\u{C}\0\u{1F}/é😀\u{7F}").text
        == "\"\\\"\\\\\\n\\r\\t\\u0008\\u000c\\u0000\\u001f/é😀\u{7F}\"")
  }

  @Test func `every scalar below 0x300 and some above survive writing and reading`() throws {
    let scalars =
      (UInt32(0)..<0x300).compactMap(Unicode.Scalar.init) + ["\u{FEFF}", "\u{FFFD}", "\u{10FFFF}"]
    for scalar in scalars {
      let value: JSONValue = [.string(String(scalar)), [String(scalar): .null]]
      #expect(try JSONValue(parsing: value.serialized) == value)
    }
  }

  /// Text is looked at in words of eight bytes.
  @Test(arguments: 0..<20)
  func `what needs an escape, and what must not be there, is found at every place`(place: Int) throws {
    let (before, after) = (String(repeating: "a", count: place), String(repeating: "z", count: 20 - place))
    for (special, written) in [
      ("\"", #"\""#), ("\\", #"\\"#), ("\n", #"\n"#), ("\u{1F}", #"\u001f"#), ("\u{0}", #"\u0000"#),
      (" ", " "), ("\u{7F}", "\u{7F}"), ("é", "é"), ("\u{FFFD}", "\u{FFFD}"),
    ] {
      let value = JSONValue.string(before + special + after)
      #expect(value.text == "\"" + before + written + after + "\"")
      #expect(try JSONValue(parsing: value.text) == value)
    }
    for control in ["\u{0}", "\u{1F}", "\n"] {
      #expect(refusal("\"" + before + control + after + "\"") == .invalidString)
    }
    let wrong = Array("\"\(before)".utf8) + [0xFF] + Array("\(after)\"".utf8)
    #expect(throws: JSONError(.invalidUTF8, at: 1)) { try JSONValue(parsing: wrong) }
  }
}
