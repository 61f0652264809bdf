import StrictJSON
import Testing

@Suite struct JSONReaderTests {
  private static let document = """
    {"clients": [{"id": "a"}, {"id": "b", "uris": ["x", 1], "on": "yes", "age": 5, "kind": "c"}], "none": null, "empty": ""}
    """

  private enum Kind: String, CaseIterable { case a, b }

  private func reader(skipsBlanks: Bool = false) throws -> JSONReader {
    try JSONReader(
      parsing: Self.document.utf8,
      rules: JSONReader.Rules(skipsBlanks: skipsBlanks, longestText: 4, mostElements: 2))
  }

  private func fault(_ read: (JSONReader) throws -> Void) throws -> String {
    let client = try reader().member("clients").elements()[1]
    return try #require(throws: JSONFault.self) { try read(client) }.description
  }

  @Test func `a fault says where it is, and what has to be there`() throws {
    #expect(
      try fault { _ = try $0.member("uris").texts() }
        == "clients[1].uris[1]: must be a text of at most 4 bytes")
    #expect(try fault { _ = try $0.member("name").text() } == "clients[1].name: is missing")
    #expect(try fault { _ = try $0["on"]?.flag() } == "clients[1].on: must be true or false")
    #expect(
      try fault { _ = try $0["age"]?.number(in: 6...9) } == "clients[1].age: must be a number from 6 to 9")
    #expect(try fault { _ = try $0["kind"]?.choice(Kind.self) } == "clients[1].kind: must be one of a, b")
    #expect(try fault { _ = try $0["uris"]?.object() } == "clients[1].uris: must be an object")
    #expect(
      try fault { _ = try $0["id"]?.elements("keys") } == "clients[1].id: must be a list of at most 2 keys")
    #expect(try fault { _ = try $0.members() } == "clients[1]: must have at most 2 members")
    #expect(
      try fault { try $0.requireOnly(["id", "uris"]) }
        == "clients[1].on: is not a known member; the members are id, uris")
    #expect(throws: JSONFault.self) { try JSONReader(parsing: "[]".utf8) }
  }

  @Test func `what is right is read, and what is absent is nil`() throws {
    let clients = try reader().member("clients").elements()
    #expect(try clients.map { try $0.member("id").text() } == ["a", "b"])
    #expect(try clients[0]["name"]?.text() == nil)
    #expect(try clients[0].members().map(\.name) == ["id"])
    #expect(try clients[1].member("age").number(in: 5...5) == 5)
  }

  @Test func `null and empty texts are faults, unless other programs write them for what is absent`() throws {
    let strict = try reader()
    #expect(throws: JSONFault.self) { try strict["none"]?.text() }
    #expect(throws: JSONFault.self) { try strict["empty"]?.text() }
    #expect(throws: JSONFault.self) { try strict.member("none").texts() }
    let lenient = try reader(skipsBlanks: true)
    #expect(lenient["none"]?.path == nil && lenient["empty"]?.path == nil)
    #expect(try lenient.member("none").texts().isEmpty)
  }
}
