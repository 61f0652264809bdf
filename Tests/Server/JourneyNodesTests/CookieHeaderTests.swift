import Testing

@testable import JourneyNodes

@Suite("The Cookie header")
struct CookieHeaderTests {
  @Test func `cookies are read by name, the first of each counts, and commas belong to values`() {
    let header = CookieHeader("a=1; b = x,y=z ;a=2;\tc=;d")
    #expect(header["a"] == "1")
    #expect(header["b"] == "x,y=z")
    #expect(header["c"]?.isEmpty == true)
    #expect(header["d"] == nil && header["A"] == nil && header["y"] == nil)
    #expect(header.cookies.map(\.name) == ["a", "b", "a", "c"])
  }

  @Test func `a name behind a combining character is no other name`() {
    // As Characters, the semicolon and the mark behind it would be one, and hide the border.
    #expect(CookieHeader("a=1;\u{301}b=2")["a"] == "1")
    #expect(CookieHeader("e\u{301}=1")["\u{E9}"] == nil)
  }

  @Test func `a header that is missing, too long or of too many cookies hides nothing else`() {
    #expect(CookieHeader(nil).cookies.isEmpty)
    #expect(CookieHeader("a=" + String(repeating: "x", count: 16_384))["a"] == nil)
    #expect(CookieHeader(String(repeating: "a=1;", count: 4000)).cookies.count == 200)
  }
}
