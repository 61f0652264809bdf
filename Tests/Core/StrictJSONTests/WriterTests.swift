import StrictJSON
import Testing

/// Short texts are collected in one piece of memory, longer ones in several.
@Suite("Text of any length") struct WriterTests {
  @Test(arguments: [0, 1, 7, 8, 9, 1000, 2047, 2048, 5000] + Array(1010...1030))
  func `nothing is lost where one piece of memory ends`(count: Int) throws {
    let plain = String(repeating: "a", count: count)
    let value: JSONValue = [.string(plain), .string("é\n\"\(plain)"), .integer(-7), .bool(true), .null]
    let text = #"["\#(plain)","é\n\"\#(plain)",-7,true,null]"#
    #expect(value.text == text)
    #expect(try JSONValue(parsing: Array(text.utf8)) == value)
    var line: [UInt8] = [0x20]
    value.write(to: &line)
    #expect(line == Array(" \(text)".utf8))
  }

  @Test(arguments: 0..<24)
  func `an escape is written wherever it stands`(place: Int) {
    let (before, after) = (String(repeating: "b", count: place), String(repeating: "c", count: 23 - place))
    #expect(JSONValue.string("\(before)\u{1}\(after)").text == #""\#(before)\u0001\#(after)""#)
    #expect(JSONValue.string("\(before)\\\"\(after)").text == #""\#(before)\\\"\#(after)""#)
  }
}
