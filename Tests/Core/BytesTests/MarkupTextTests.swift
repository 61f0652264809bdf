import Bytes
import Testing

struct MarkupTextTests {
  /// As characters, these are not quotation marks and brackets any more.
  static let accented = [
    ("\"\u{301} onfocus=alert(1)", "&quot;\u{301} onfocus=alert(1)"), ("'\u{302}", "&#39;\u{302}"),
    ("<\u{338}script>\u{338}", "&lt;\u{338}script&gt;\u{338}"), ("&\u{301}lt;", "&amp;\u{301}lt;"),
  ]

  @Test(arguments: accented)
  func `a mark is escaped before a combining accent too`(text: String, escaped: String) {
    #expect(Array(MarkupText.html(text).utf8) == Array(escaped.utf8))
    #expect(Array(MarkupText.xml(text).utf8) == Array(escaped.utf8))
  }

  @Test(arguments: [
    (#"<b onclick="x">'&"#, "&lt;b onclick=&quot;x&quot;&gt;&#39;&amp;"), ("", ""),
    ("Grüße, 東京 👍🏽", "Grüße, 東京 👍🏽"),
  ])
  func `markup is escaped, and other text stays`(text: String, escaped: String) {
    #expect(MarkupText.html(text) == escaped && MarkupText.xml(text) == escaped)
  }

  @Test func `HTML has no NUL`() { #expect(MarkupText.html("a\0b") == "a\u{FFFD}b") }

  @Test(arguments: [
    ("a\0b", "a\u{FFFD}b"), ("\u{1}\u{8}\u{b}\u{c}\u{e}\u{1f}", String(repeating: "\u{FFFD}", count: 6)),
    ("\u{FFFE}\u{FFFF}", "\u{FFFD}\u{FFFD}"), ("one\ttwo\nthree", "one\ttwo\nthree"),
    ("one\r\ntwo\r", "one&#13;\ntwo&#13;"),
    ("\u{7F}\u{85}\u{E000}\u{1F600}", "\u{7F}\u{85}\u{E000}\u{1F600}"),
  ])
  func `XML has none of the characters that it forbids`(text: String, escaped: String) {
    #expect(MarkupText.xml(text).unicodeScalars.elementsEqual(escaped.unicodeScalars))
  }
}
