import StrictJSON
import Testing

@testable import QueryFilters

@Suite("CREST filters")
struct QueryFilterTests {
  static let ada: JSONObject = [
    "userName": "ada", "mail": "Ada@Example.com", "age": 36, "sn": "Lovelace", "tags": ["math", "verse"],
    "preferences": ["updates": true, "marketing": false], "empty": "", "none": .null, "a/b": 1, "list": [],
    "quoted": "say \"hi\" 'there' \\",
  ]

  @Test(arguments: [
    "true", "userName eq \"ada\"", "/userName eq \"ada\"", "/userName eq 'ada'",
    "/mail eq \"ada@example.COM\"",
    "/mail co \"@EXAMPLE\"", "/mail sw \"ada\"", "/age eq 36", "/age eq 36.0", "/age lt 37", "/age le 36",
    "/age gt 35.5", "/age ge 36", "/sn gt \"a\"", "/tags eq \"verse\"", "/tags co \"ers\"",
    "/tags/0 eq \"math\"", "/preferences/updates eq true", "/preferences pr", "!(/phone pr)", "!/phone pr",
    "!(/empty pr)", "!(/none pr)", "!(/list pr)", "/a~1b eq 1",
    "!(/preferences pr) or /preferences/marketing eq false",
    "/userName eq \"bob\" or /userName eq \"ada\" and /age eq 36",
    "(/userName eq \"bob\" or /userName eq \"ada\") and !(/age eq 35)",
    "/quoted eq \"say \\\"hi\\\" 'there' \\\\\"", "!(/age eq \"36\")", "!(/sn lt 5)", "/mail co \"\"",
    "/userName eq \"\\u0061da\"",
  ])
  func `a filter that is met`(text: String) throws {
    #expect(try QueryFilter(parsing: text).matches(Self.ada))
  }

  @Test(arguments: [
    "false", "/userName eq \"ad\"", "/phone eq \"1\"", "/phone pr", "!(/userName pr)", "/age gt 36",
    "/preferences/updates eq false", "/userName eq \"ada\" and /age eq 1", "/userName co \"adam\"",
    "/userName/x pr", "/tags/7 pr", "/age sw 3",
  ])
  func `a filter that is not met`(text: String) throws {
    #expect(try !QueryFilter(parsing: text).matches(Self.ada))
  }

  @Test(arguments: [
    "", " ", "(", ")", "()", "!", "/a", "/a eq", "/a xx 1", "/a eq b", "/a eq \"b", "/a eq 1 /b eq 2",
    "/a eq 1 and", "or /a pr", "/a pr)", "(/a pr", "\"a\" eq 1", "/ eq 1", "/a//b eq 1", "/a eq {}",
    "/a eq [1]", "/a eq \"\\x\"", "eq", "/a eq \u{2003}1 \u{2003}",
    "/a eq \"" + String(repeating: "x", count: 5000) + "\"", String(repeating: "!", count: 20) + "/a pr",
    String(repeating: "(", count: 20) + "/a pr" + String(repeating: ")", count: 20),
    Array(repeating: "/a pr", count: 65).joined(separator: " and "),
    String(repeating: "/a", count: 17) + " pr",
  ])
  func `what is not a filter is refused`(text: String) {
    #expect(throws: QueryFilterError.self) { _ = try QueryFilter(parsing: text) }
  }

  @Test(arguments: [
    "true", "/a eq \"x\\n\\\"\"", "a pr and b pr or c pr", "a pr and (b pr or c pr)", "!(a pr and b pr)",
    "!!a pr",
    "/a eq null", "/a eq -1.5e3", "(a pr and b pr) and c pr",
  ])
  func `a filter is the same after it is written`(text: String) throws {
    let filter = try QueryFilter(parsing: text)
    #expect(try QueryFilter(parsing: filter.written) == filter)
  }

  @Test(arguments: [
    ("((/a pr))", "/a pr"), ("(/a pr and /b pr) or /c pr", "/a pr and /b pr or /c pr"),
    ("/a pr and ((/b pr or /c pr))", "/a pr and (/b pr or /c pr)"), ("!(/a pr)", "!/a pr"),
    ("/a pr or (/b pr or /c pr)", "/a pr or (/b pr or /c pr)"),
    // As deep as a filter may be: one more parenthesis could not be read.
    (String(repeating: "!", count: 15) + "/a pr", String(repeating: "!", count: 15) + "/a pr"),
  ])
  func `a filter is written with the parentheses that it needs`(text: String, written: String) throws {
    #expect(try QueryFilter(parsing: text).written == written)
  }

  @Test func `a pointer sets and removes what it names, and makes the objects on the way`() throws {
    var object: JSONObject = ["a": ["b": 1]]
    let pointer = try #require(JSONPointer("/a/c/d"))
    pointer.set(true, in: &object)
    #expect(object == ["a": ["b": 1, "c": ["d": true]]])
    pointer.set(nil, in: &object)
    #expect(object == ["a": ["b": 1, "c": [:]]])
    try #require(JSONPointer("x/y")).set(nil, in: &object)
    #expect(object["x"] == nil)
  }

  @Test(arguments: ["/\u{30F}m", "/a/\u{301}b", "/a~1\u{301}", "/~0\u{338}"])
  func `a place begins at its slash, also before a combining mark`(text: String) throws {
    let pointer = try #require(JSONPointer(text))
    #expect(Array(pointer.text.utf8) == Array(text.utf8))
    let filter = try QueryFilter(parsing: "\(text) eq \"\u{301}x\"")
    #expect(try QueryFilter(parsing: filter.written) == filter)
    var object = JSONObject()
    pointer.set("\u{301}x", in: &object)
    #expect(filter.matches(object))
  }
}
