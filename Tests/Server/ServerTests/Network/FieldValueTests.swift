import HTTPTypes
import Testing

@testable import ServerHTTP

@Suite("Values of header fields") struct FieldValueTests {
  /// Whoever reads one value of two may see another one than a proxy before it.
  @Test(
    arguments: [
      ([], nil), (["a"], "a"), ([""], ""), (["a", "b"], "a, b"), (["", "a", ""], ", a, "), (["ä"], "ä"),
    ] as [([String], String?)])
  func `several values are a list, as the subscript has it`(values: [String], expected: String?) throws {
    let name = try #require(HTTPField.Name("X-Test"))
    var fields: HTTPFields = [.accept: "x"]
    for value in values { fields.append(HTTPField(name: name, value: value)) }
    fields[.contentType] = "y"
    #expect(fields.value(of: name) == expected)
    #expect(fields.value(of: name) == fields[name])
  }
}
