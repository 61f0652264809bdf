import Bytes
import Testing

struct LineTextTests {
  /// Each of the six rules that there were before left some of these in.
  @Test(arguments: [
    ("Bank \u{202E}gro.live", "Bank gro.live"), ("a\u{2066}b\u{2069}", "ab"), ("a\u{1b}[2Jb", "a [2Jb"),
    ("a\u{9b}2Jb", "a 2Jb"), ("one\ntwo\r\nthree\u{2028}four\u{85}five", "one two three four five"),
    ("a\u{200B}b\u{FEFF}c\u{E0041}\u{FE0F}", "abc"), ("a\u{3000}\u{A0} \u{2800} b", "a b"),
    ("\u{3164}\u{115F}x\u{E000}", "x"), ("  both ends\t", "both ends"), ("Grüße, 東京 👍🏽", "Grüße, 東京 👍🏽"),
    ("\n", ""), ("", ""),
  ])
  func `what controls hides or reorders is gone`(text: String, line: String) {
    #expect(text.onOneLine == line)
  }

  @Test func `marks that draw over other lines are taken off`() {
    #expect(("a" + String(repeating: "\u{0335}", count: 40) + "b").onOneLine == "ab")
    #expect("a\u{0323}\u{0302}".onOneLine == "a\u{0323}\u{0302}")
  }

  @Test func `parts of a text are texts too`() { #expect("one\ntwo".prefix(5).onOneLine == "one t") }

  @Test(
    arguments: [
      ("a", true), (" ", true), ("\u{A0}", true), ("\n", false), ("\u{202E}", false), ("\u{2800}", false),
      ("\u{E000}", false),
    ] as [(Unicode.Scalar, Bool)])
  func `a name has visible characters and spaces`(scalar: Unicode.Scalar, isFit: Bool) {
    #expect(scalar.isFitForName == isFit)
  }
}
