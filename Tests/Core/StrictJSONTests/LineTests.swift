import StrictJSON
import Testing

@Suite("JSON on one line of a log")
struct LineTests {
  @Test(
    arguments: [
      ("a\u{1b}[2J", #"a\u001b[2J"#), ("a\u{85}b\u{2028}", #"a\u0085b\u2028"#), ("\u{202E}x", #"\u202ex"#),
      ("\u{3164}\u{2800}\u{A0}", #"\u3164\u2800\u00a0"#), ("\u{E0041}", #"\udb40\udc41"#),
      ("\u{7F}", #"\u007f"#),
    ])
  func `what is invisible, breaks the line or reorders it is escaped`(text: String, line: String) throws {
    let written = JSONValue.string(text).lineText
    #expect(written == "\"\(line)\"" && !text.isFitForLine && written.isFitForLine)
    #expect(try JSONValue(parsing: written) == .string(text))
  }

  @Test(arguments: ["plain text", "Grüße, 東京", "a\u{301}", "\u{2764}\u{FE0F}"])
  func `what is visible stays`(text: String) {
    #expect(JSONValue.string(text).lineText == "\"\(text)\"" && text.isFitForLine)
  }
}
