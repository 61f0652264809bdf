import Testing
@testable import StrictJSON

@Suite("Member names: unique, and found by their exact characters")
struct NameTests {
  @Test(
    arguments: [
      #"{"a":1,"a":1}"#, #"{"a":1,"b":2,"a":3}"#, #"{"a":1,"\u0061":2}"#, #"{"\u0061":1,"a":2}"#,
      #"{"a/b":1,"a\/b":2}"#, #"{"":1,"":2}"#, #"{"x":{"a":1,"a":2}}"#, #"[{"a":1,"a":2}]"#,
      #"{"\ud83d\ude00":1,"😀":2}"#, #"{"a":{},"a":{}}"#,
    ])
  func `duplicates are refused`(text: String) {
    #expect(refusal(text) == .duplicateMember)
  }

  @Test(arguments: [3, 40]) func `a member is found where it usually stands, and anywhere else`(count: Int)
    throws
  {
    var object = JSONObject()
    for number in 0..<count { object.addNew("n\(number)", .integer(Int64(number))) }
    for place in [0, 1, count - 1, count, 1000] {
      for number in [0, 1, count - 1] {
        #expect(object["n\(number)", usuallyAt: place] == .integer(Int64(number)))
      }
      #expect(object["n\(count)", usuallyAt: place] == nil)
    }
    #expect(object.count == count && object["n1"] == 1)
    object["n1"] = nil
    #expect(object["n1", usuallyAt: 1] == nil && object["n2", usuallyAt: 2] == 2)
  }

  @Test(arguments: [1, 15, 16, 17, 18, 40, 300])
  func `a duplicate is found at any place among many members`(count: Int) throws {
    let names = (0..<count).map { "n\($0)" }
    let members = names.map { "\"\($0)\":0" }
    #expect(try JSONValue(parsing: "{\(members.joined(separator: ","))}").objectValue?.names == names)
    for name in [names[0], names[count / 2], names[count - 1]] {
      #expect(refusal("{\((members + ["\"\(name)\":1"]).joined(separator: ","))}") == .duplicateMember)
    }
  }

  @Test(
    arguments: [
      ("é", "e\u{301}"), ("K", "\u{212A}"), ("Å", "\u{212B}"), (";", "\u{37E}"), ("가", "\u{1100}\u{1161}"),
    ])
  func `names that only Unicode normalisation makes equal cannot stand together`(one: String, other: String)
    throws
  {
    #expect(one == other, "Swift calls them equal")
    #expect(refusal("{\"\(one)\":1,\"\(other)\":2}") == .duplicateMember)

    // And neither is found by the other's spelling.
    let object = try #require(try JSONValue(parsing: "{\"\(other)\":1}").objectValue)
    #expect(object[other] == 1)
    #expect(object[one] == nil)
    #expect(object != [one: 1])

    // Setting one replaces the other, name and all, so that an object always converts to a dictionary.
    var changed = object
    changed[one] = 2
    #expect(changed.count == 1 && changed[one] == 2 && changed[other] == nil)
    changed[other] = nil
    #expect(changed[one] == 2)
    var merged = JSONObject((0..<40).map { ("n\($0)", JSONValue.null) })
    merged.merge([one: 1])
    merged.merge([other: 2])
    #expect(merged.count == 41 && merged[other] == 2 && merged[one] == nil)
  }

  @Test func `strings are compared exactly too`() {
    #expect(JSONValue.string("é") != JSONValue.string("e\u{301}"))
    #expect(JSONValue.string("\u{212B}") != JSONValue.string("A\u{30A}"))
    #expect(JSONValue.string("é") == JSONValue.string("é"))
    #expect(Set([JSONValue.string("é"), .string("e\u{301}")]).count == 2)
  }

  @Test func `lookups are case sensitive and by the unescaped name`() throws {
    let value = try JSONValue(parsing: #"{"\u0061lg":1,"ALG":2}"#)
    #expect(value["alg"] == 1 && value["ALG"] == 2 && value["Alg"] == nil)
    #expect(value["alg\0"] == nil && value[""] == nil)
    #expect(JSONValue.array([1])["alg"] == nil)
    #expect(JSONValue.array([1, 2])[1] == 2)
    #expect(JSONValue.array([1, 2])[2] == nil && JSONValue.array([1])[-1] == nil && value[0] == nil)
  }
}

@Suite("Objects")
struct ObjectTests {
  @Test func `members keep their order; comparison and hash do not see it`() throws {
    let text = #"{"z":1,"a":2,"m":{"y":1,"x":2}}"#
    let value = try JSONValue(parsing: text)
    #expect(value.text == text)
    let other = try JSONValue(parsing: #"{"m":{"x":2,"y":1},"a":2,"z":1}"#)
    #expect(value == other && value.hashValue == other.hashValue)
    #expect(value != ["z": 1, "a": 2])
    #expect(value != ["z": 1, "a": 2, "n": ["y": 1, "x": 2]])
  }

  @Test func `setting keeps the place, removing closes the gap, adding appends`() {
    var object: JSONObject = ["a": 1, "b": 2, "c": 3]
    object["b"] = 20
    object["d"] = 4
    object["a"] = nil
    object["nothing"] = nil
    #expect(JSONValue.object(object).text == #"{"b":20,"c":3,"d":4}"#)
    #expect(object.count == 3 && !object.isEmpty && object.names == ["b", "c", "d"])
  }

  @Test(arguments: [0, 10, 16, 17, 50])
  func `merging: the other wins, at the place of the first`(count: Int) {
    var object = JSONObject((0..<count).map { ("n\($0)", JSONValue.integer(Int64($0))) })
    object.merge(["n0": "x", "new": 1, "n9": "y"])
    object.merge(["new": 2])
    var expected = JSONObject()
    for index in 0..<count { expected["n\(index)"] = .integer(Int64(index)) }
    expected["n0"] = "x"
    expected["new"] = 2
    expected["n9"] = "y"
    #expect(object.names == expected.names && object == expected)
  }

  @Test func `many members from outside are merged and compared without quadratic work`() {
    let forward = JSONObject((0..<20_000).map { ("name-\($0)", JSONValue.null) })
    let backward = JSONObject((0..<20_000).reversed().map { ("name-\($0)", JSONValue.null) })
    var merged = forward
    merged.merge(backward)
    #expect(merged == backward && merged.names == forward.names)
  }
}

/// Objects come from outside, with as many members as a body has room for.
@Suite("Large objects") struct LargeObjectTests {
  /// As many as fit one mebibyte of `"aaaa":0,`.
  private static let count = 116_000
  private static let names = (0..<count).map { "n\($0)" }

  /// Each of these took a comparison with every other member, which made 6,700,000,000 of them.
  @Test(.timeLimit(.minutes(1)))
  func `however an object was made, no name is searched among many members`() throws {
    var bySubscript = JSONObject()
    for name in Self.names {
      bySubscript[name] = 0
      guard bySubscript.isFast else { return #expect(bySubscript.isFast) }
    }
    let parsed = try #require(
      JSONValue(parsing: bySubscript.serialized, limits: JSONLimits(maximumBytes: 4 << 20)).objectValue)
    let byInitializer = JSONObject(Self.names.map { ($0, 0) })
    var merged = JSONObject()
    merged.merge(byInitializer)
    for var object in [bySubscript, parsed, byInitializer, merged] {
      #expect(object.isFast)
      #expect(object.count == Self.count)
      #expect(object == parsed)
      for name in Self.names { object[name] = 1 }
      #expect(Self.names.allSatisfy { object[$0] == 1 })
      for name in Self.names.dropLast() {
        object[name] = nil
        guard object.isFast else { return #expect(object.isFast) }
      }
      #expect(object == [Self.names[Self.count - 1]: 1])
    }
  }

  @Test(arguments: [3, 16, 17, 40])
  func `members keep their order and their number while others go and come`(count: Int) {
    var object = JSONObject((0..<count).map { ("n\($0)", .integer(Int64($0))) })
    let copy = object
    object["n1"] = nil
    object["n0"] = "new"
    object["n1"] = "again"
    object["absent"] = nil
    let expected = ["n0"] + (2..<count).map { "n\($0)" } + ["n1"]
    #expect(object.names == expected)
    #expect(object.map(\.name) == expected)
    #expect(object.count == count && !object.isEmpty)
    #expect(copy.names == (0..<count).map { "n\($0)" } && copy["n1"] == 1)
    for name in expected { object[name] = nil }
    #expect(
      object.isEmpty && object.names.isEmpty && object == [:] && object.hashValue == JSONObject().hashValue)
    object["n0"] = 1
    #expect(object == ["n0": 1])
  }
}
