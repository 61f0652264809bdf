import Bytes
import Testing

@Suite("Parts of a text") struct PartsTests {
  @Test(
    arguments: [
      ("", [""]), ("a", ["a"]), ("a.b", ["a", "b"]), (".", ["", ""]), (".a..b.", ["", "a", "", "b", ""]),
      ("ä.\u{1F511}.ö", ["ä", "\u{1F511}", "ö"]),
      // A combining mark makes one character of itself and the dot. Formats of ASCII do not know that.
      ("a.\u{301}b", ["a", "\u{301}b"]), ("a\r.\nb", ["a\r", "\nb"]),
    ])
  func `each separator ends a part, also an empty one`(text: String, parts: [String]) {
    #expect(text.parts(separatedBy: UInt8(ascii: ".")).map(String.init) == parts)
    let inside = "<\(text)>".dropFirst().dropLast()
    #expect(inside.parts(separatedBy: UInt8(ascii: ".")).map(String.init) == parts)
  }

  @Test(arguments: [(1, ["a.b..c"]), (2, ["a", "b..c"]), (3, ["a", "b", ".c"]), (5, ["a", "b", "", "c"])])
  func `the last of so many parts has the rest`(most: Int, parts: [String]) {
    #expect("a.b..c".parts(separatedBy: UInt8(ascii: "."), most: most).map(String.init) == parts)
  }

  @Test(
    arguments: [
      ("", ""), ("abc", "abc"), ("abcd", "abc"), ("äöü", "äöü"), ("äöüß", "äöü"),
      ("a\u{301}bc", "a\u{301}bc"),
    ])
  func `a text is bounded to so many characters`(text: String, bounded: String) {
    #expect(text.bounded(to: 3) == bounded)
  }
}
