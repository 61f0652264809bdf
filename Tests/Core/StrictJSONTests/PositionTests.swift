import Bytes
import StrictJSON
import Testing

/// Where a text is wrong, for people: editors show lines and columns, not bytes.
@Suite struct PositionTests {
  @Test(arguments: [
    ("", 1, 1), ("{\"a\": tru}", 1, 10), ("{\n  \"a\": 1,\n  \"b\" 2\n}", 3, 7), ("{\n\"ä€😀\": x}", 2, 8),
    ("[1,\r\n2,\r\n,]", 3, 1), ("{}\n{}", 2, 1),
  ])
  func `an error names line and column`(text: String, line: Int, column: Int) {
    let error = #expect(throws: JSONError.self) { try JSONValue(parsing: text) }
    #expect(
      error?.position?.line == line && error?.position?.column == column, "\(String(describing: error))")
    #expect(error?.description.hasPrefix("invalid JSON in line \(line), column \(column): ") == true)
  }

  @Test func `errors are equal by reason and offset, wherever they were seen`() throws {
    let error = try #require(#expect(throws: JSONError.self) { try JSONValue(parsing: "[1,]") })
    #expect(
      error == JSONError(error.reason, at: error.offset)
        && error.hashValue == JSONError(error.reason, at: error.offset).hashValue)
    #expect(JSONError(.unexpectedEnd, at: 7).description.contains("at byte 7"))
  }
}
