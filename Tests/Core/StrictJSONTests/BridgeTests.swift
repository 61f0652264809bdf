import Foundation
import StrictJSON
import Testing

@Suite("JSON and what is not typed") struct BridgeTests {
  @Test func `what is decoded is what is encoded again, numbers and nulls too`() throws {
    let text = #"{"a":[1,-2,2.5,true,false,null,"x",[],{}],"b":{"c":{"d":null}},"e":9223372036854775807}"#
    let json = try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8))
    #expect(try json == JSONValue(parsing: text))
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    #expect(String(decoding: try encoder.encode(json), as: UTF8.self) == text)
  }

  @Test(arguments: ["", "{", "[1,", "nul"])
  func `text that is not JSON is refused`(text: String) {
    #expect(throws: (any Error).self) { try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8)) }
  }

  @Test func `an untyped value and its JSON form are the same in both directions`() throws {
    let json: JSONValue = ["a": [1, 2.5, true, .null, "x", [], [:]], "b": ["c": -1]]
    #expect(JSONValue(any: json.anyValue) == json)
    let parsed = try JSONSerialization.jsonObject(with: Data(json.serialized))
    #expect(JSONValue(any: parsed) == json)
    #expect(JSONValue(any: ["json": json, "list": [json]]) == ["json": json, "list": [json]])
  }

  @Test func `what is nothing is only what the caller says`() {
    let nothing: Int? = nil
    #expect(JSONValue(any: nothing as Any) == nil)
    #expect(JSONValue(any: ["a": [nothing as Any]], nothing: .null) == ["a": [.null]])
    #expect(JSONValue(any: NSNull()) == .null)
  }

  @Test func `booleans are booleans, and 0 and 1 are not`() throws {
    for value in [true, NSNumber(value: true), true as Bool? as Any] as [Any] {
      #expect(JSONValue.boolean(value) == true)
    }
    for value in [1, 0, Int8(1), UInt8(0), 1.0, NSNumber(value: 1), NSNumber(value: Int8(0)), "true"] as [Any]
    {
      #expect(JSONValue.boolean(value) == nil)
    }
    let parsed = try #require(JSONSerialization.jsonObject(with: Data("[true,1]".utf8)) as? [Any])
    #expect(parsed.map { JSONValue.boolean($0) } == [true, nil])
  }
}
