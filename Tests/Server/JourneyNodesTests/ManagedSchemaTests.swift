import Accounts
import JourneyNodes
import JourneyStore
import StrictJSON
import Testing

@Suite("Schemas of identities")
struct ManagedSchemaTests {
  @Test func `a schema in PingIDM's form is read`() throws {
    let schema = try ManagedSchema(
      parsing: #"""
        {"schema": {"type": "object", "required": ["userName", "sn"], "order": ["userName"], "properties": {
          "userName": {"type": "string", "searchable": true, "policies": [{"policyId": "unique"}, {"policyId": "valid-username"}]},
          "sn": {"type": "string", "title": "Last name", "userEditable": true, "searchable": true,
                 "policies": [{"policyId": "minimum-length", "params": {"minLength": 2}}]},
          "badge": {"type": ["string", "null"], "unique": true}, "password": {"type": "string"},
          "address": {"type": "object", "properties": {"zip": {"type": "string"}}, "required": ["zip"]},
          "age": {"type": "integer", "policies": [{"policyId": "minimum-number", "params": {"minimum": 0}}]},
          "manager": {"type": "relationship"}}}}
        """#.utf8)
    #expect(schema.required.sorted() == ["sn", "userName"])
    #expect(schema.attribute(at: "address/zip")?.isRequired == true && schema.attribute("password") == nil)
    #expect(schema.index.attributes.map(\.name).sorted() == ["aliasList", "badge", "sn"])
    #expect(schema.isEditable("sn") && !schema.isEditable("badge") && !schema.isEditable("other"))
    #expect(schema.failures(in: ["sn": "x"]).map(\.requirement) == ["MIN_LENGTH"])
    #expect(schema.failures(in: ["address": [:]]).map(\.attribute) == ["address/zip"])
    #expect(
      schema.failures(in: ["age": -1, "badge": 7]).map(\.requirement) == [
        "MINIMUM_NUMBER_VALUE", "VALID_TYPE",
      ])
    #expect(schema.failures(in: ["sn": ["Weber"], "other": 1, "age": .null]).isEmpty)
  }

  /// PingIDM's own has it editable, and not searchable.
  @Test(arguments: [
    #""aliasList": {"type": "array", "userEditable": true, "searchable": false}"#, #""aliasList": {}"#,
    #""sn": {}"#,
  ])
  func `whoever is linked with an account is found, is linked with one, and is not the owner's to choose`(
    property: String
  ) throws {
    let text = #"{"additionalProperties": false, "properties": {"userName": {}, \#(property)}}"#
    let schema = try ManagedSchema(parsing: text.utf8)
    #expect(!schema.isEditable("aliasList"))
    #expect(schema.index.attributes.filter { $0.name == "aliasList" }.map(\.isUnique) == [true])
    #expect(schema.failures(in: ["aliasList": ["https://op.example.com ada"]]).isEmpty)
  }

  @Test(arguments: ["a/b", "a/\u{301}b", "\u{0D4E}/", "e\u{301}"])
  func `a forbidden sign is found beside a mark, too, and a letter in each of its forms`(value: String) throws
  {
    let schema = try ManagedSchema(
      parsing: #"""
        {"properties": {"userName": {}, "room": {"policies": [
          {"policyId": "cannot-contain-characters", "params": {"forbiddenChars": ["/", "\u00e9"]}}]}}}
        """#.utf8)
    #expect(schema.failures(in: ["room": .string(value)]).map(\.requirement) == ["CANNOT_CONTAIN_CHARACTERS"])
    #expect(schema.failures(in: ["room": "a-b"]).isEmpty)
  }

  @Test(arguments: [
    "[]", "{", "{}", #"{"properties": {}}"#, #"{"properties": {"userName": {"type": "number"}}}"#,
    #"{"properties": {"userName": {}, "x": {"type": "duck"}}}"#, #"{"properties": {"userName": 5}}"#,
    #"{"properties": {"userName": {}, "x": {"searchable": "yes"}}}"#,
    #"{"properties": {"userName": {}}, "required": ["sn"]}"#,
    #"{"properties": {"userName": {}, "x": {"policies": [{"policyId": "regexpMatches"}]}}}"#,
    #"{"properties": {"userName": {}, "x": {"policies": [{}]}}}"#,
    #"{"properties": {"userName": {}, "x": {"policies": [{"policyId": "minimum-length"}]}}}"#,
    #"{"properties": {"userName": {}, "x": {"type": "object", "unique": true}}}"#,
    #"{"properties": {"userName": {}, "mail": {"type": "array"}}}"#,
  ])
  func `a schema that cannot be used is refused`(text: String) {
    #expect(throws: JSONFault.self) { _ = try ManagedSchema(parsing: text.utf8) }
  }
}
