import StrictJSON
import Testing

@Suite("What is JSON and what is not (RFC 8259)")
struct ParsingTests {
  static let acceptedTexts: [(String, JSONValue)] = [
    ("null", .null), ("true", true), ("false", false), ("0", 0), ("-1", -1), (#""""#, ""),
    ("[]", []), ("{}", [:]), (" \t\r\n null \t\r\n ", .null), ("[1,2]", [1, 2]), ("[ 1 , 2 ]", [1, 2]),
    ("[[[]]]", [[[]]]), ("[null,true,\"a\"]", [.null, true, "a"]),
    (#"{"a":1}"#, ["a": 1]), (#"{ "a" : 1 , "b" : [ ] }"#, ["a": 1, "b": []]), (#"{"":0}"#, ["": 0]),
    (#"{"a":{"a":{"a":null}}}"#, ["a": ["a": ["a": .null]]]),
    (#"{"A":1,"a":2}"#, ["A": 1, "a": 2]), (#"{"b":1,"a":2}"#, ["a": 2, "b": 1]),
    ("\"\u{7F}\"", "\u{7F}"), ("\"\u{2028}\u{2029}\"", "\u{2028}\u{2029}"), ("\"\u{FFFF}\"", "\u{FFFF}"),
    ("\"\u{10FFFF}\"", "\u{10FFFF}"), ("\"\u{FFFD}\"", "\u{FFFD}"),
  ]

  @Test(arguments: acceptedTexts)
  func `accepted`(text: String, value: JSONValue) throws {
    #expect(try JSONValue(parsing: text) == value)
    #expect(try JSONValue(parsing: Array(text.utf8)) == value)
    #expect(try JSONValue(parsing: text.utf8.lazy.map { $0 }) == value)
  }

  static let refusedTexts: [(String, JSONError.Reason)] = [
    ("", .unexpectedEnd), (" ", .unexpectedEnd), ("[", .unexpectedEnd),
    ("{", .unexpectedEnd),
    ("[1", .unexpectedEnd), ("[1,", .unexpectedEnd), (#"{"a""#, .unexpectedEnd),
    (#"{"a":"#, .unexpectedEnd),
    (#"{"a":1"#, .unexpectedEnd), (#"{"a":1,"#, .unexpectedEnd), ("nul", .unexpectedEnd),
    ("t", .unexpectedEnd),
    (#"""#, .unexpectedEnd), (#""a"#, .unexpectedEnd), (#""\"#, .unexpectedEnd),
    (#""\u12"#, .unexpectedEnd),
    ("]", .unexpectedByte), ("}", .unexpectedByte), (",", .unexpectedByte), (":", .unexpectedByte),
    ("[1,]", .unexpectedByte), ("[,1]", .unexpectedByte), ("[1 2]", .unexpectedByte),
    ("[1}", .unexpectedByte),
    ("[1,,2]", .unexpectedByte), ("{]", .unexpectedByte), (#"{"a":1]"#, .unexpectedByte),
    (#"{"a":1,}"#, .unexpectedByte), (#"{,"a":1}"#, .unexpectedByte), (#"{"a" 1}"#, .unexpectedByte),
    (#"{"a"::1}"#, .unexpectedByte), (#"{"a",1}"#, .unexpectedByte), ("{1:1}", .unexpectedByte),
    ("{a:1}", .unexpectedByte), ("{null:1}", .unexpectedByte), ("{'a':1}", .unexpectedByte),
    (#"{"a":1 "b":2}"#, .unexpectedByte), ("'a'", .unexpectedByte), ("nUll", .unexpectedByte),
    ("True", .unexpectedByte), ("tru\u{0}", .unexpectedByte), ("undefined", .unexpectedByte),
    ("// a\n1", .unexpectedByte), ("/* a */1", .unexpectedByte), ("[1/*,*/]", .unexpectedByte),
    ("\u{FEFF}1", .unexpectedByte), ("\u{A0}1", .unexpectedByte), ("\u{B}1", .unexpectedByte),
    ("\u{C}1", .unexpectedByte), ("\u{0}", .unexpectedByte),
    ("1 2", .trailingBytes), ("{}{}", .trailingBytes), ("[]]", .trailingBytes), ("null,", .trailingBytes),
    ("truee", .trailingBytes), (#""a"b"#, .trailingBytes), ("1\u{0}", .trailingBytes),
    ("{}#", .trailingBytes),
    ("1 // a", .trailingBytes), ("null\u{FEFF}", .trailingBytes),
  ]

  @Test(arguments: refusedTexts)
  func `refused`(text: String, reason: JSONError.Reason) {
    #expect(refusal(text) == reason)
  }

  @Test func `the place of the fault is given in bytes`() {
    #expect(throws: JSONError(.unexpectedByte, at: 8)) { try JSONValue(parsing: #"{"é":1,}"#) }
    #expect(throws: JSONError(.trailingBytes, at: 3)) { try JSONValue(parsing: "{} x") }
    #expect(JSONError(.trailingBytes, at: 3).description.contains("byte 3"))
  }
}

@Suite("Numbers")
struct NumberTests {
  static let acceptedTexts: [(String, JSONValue)] = [
    ("0", .integer(0)), ("-0", .number(-0.0)), ("10", .integer(10)), ("-10", .integer(-10)),
    ("9223372036854775807", .integer(.max)), ("-9223372036854775808", .integer(.min)),
    ("999999999999999999", .integer(999_999_999_999_999_999)),
    ("-1000000000000000000", .integer(-1_000_000_000_000_000_000)),
    ("9223372036854775808", .number(9_223_372_036_854_775_808)), ("1.0", .number(1)), ("1.5", .number(1.5)),
    ("-1.5e3", .number(-1500)), ("1E+2", .number(100)), ("1e-2", .number(0.01)), ("0e0", .number(0)),
    ("0.0", .number(0)), ("1.7976931348623157e308", .number(.greatestFiniteMagnitude)),
    ("5e-324", .number(.leastNonzeroMagnitude)), ("1e-9999", .number(0)),
    ("123456789012345678901234567890", .number(1.2345678901234568e29)),
  ]

  @Test(arguments: acceptedTexts)
  func `whole numbers of 64 bits stay exact, all others are doubles`(text: String, value: JSONValue) throws {
    #expect(try JSONValue(parsing: text) == value)
    #expect(try JSONValue(parsing: value.text) == value)
  }

  @Test(
    arguments: [
      "-", "-a", "--1", "01", "-01", "00", "1.", "1.e1", "1e", "1e+", "1E-", "-.5", "1e400", "-1e400", "1.a",
    ])
  func `refused`(text: String) {
    #expect(refusal(text) == .invalidNumber)
  }

  @Test(arguments: ["+1", ".5", "NaN", "Infinity", "１"])
  func `starts of other notations`(text: String) {
    #expect(refusal(text) == .unexpectedByte)
  }

  @Test(arguments: ["0x10", "1_000", "1f", "1.5.5", "1e5.5", "-Infinity", "1n"])
  func `ends of other notations`(text: String) {
    #expect(refusal(text) == .trailingBytes || refusal(text) == .invalidNumber)
  }

  @Test func `a number is a whole one, a double, never a boolean`() {
    #expect(JSONValue.number(3).integerValue == 3)
    #expect(JSONValue.number(3.5).integerValue == nil)
    #expect(JSONValue.number(1e300).integerValue == nil)
    #expect(JSONValue.integer(3).doubleValue == 3)
    #expect(JSONValue.integer(1).boolValue == nil)
    #expect(JSONValue.bool(true).integerValue == nil)
    #expect(JSONValue.string("1").integerValue == nil)
    #expect(JSONValue.integer(1) != JSONValue.number(1))
  }

  @Test(arguments: [Double.nan, .infinity, -.infinity])
  func `what JSON cannot say is null`(value: Double) {
    #expect(JSONValue.number(value).text == "null")
  }

  @Test func `an object is read as its members, and nothing else is an object`() throws {
    #expect(try JSONObject(parsing: #" {"a":1} "#.utf8) == ["a": 1])
    for text in ["[]", "1", "null", #""a""#] {
      let error = #expect(throws: JSONError.self) { try JSONObject(parsing: text.utf8) }
      #expect(error?.reason == .notAnObject)
    }
  }
}

/// Why `text` is refused; `nil` when it is not.
func refusal(_ text: String, limits: JSONLimits = .standard) -> JSONError.Reason? {
  do throws(JSONError) {
    _ = try JSONValue(parsing: text, limits: limits)
    return nil
  } catch {
    return error.reason
  }
}
