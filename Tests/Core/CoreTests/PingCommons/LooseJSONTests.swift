import Foundation
import PingCommons
import StrictJSON
import Testing

private struct Model: Codable {
  var object: [String: any Sendable]
  var optionalObject: [String: any Sendable]?
  var array: [any Sendable]
  var optionalArray: [any Sendable]?

  enum CodingKeys: String, CodingKey { case object, optionalObject, array, optionalArray }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    object = try container.decode([String: any Sendable].self, forKey: .object)
    optionalObject = try container.decodeIfPresent([String: any Sendable].self, forKey: .optionalObject)
    array = try container.decode([any Sendable].self, forKey: .array)
    optionalArray = try container.decodeIfPresent([any Sendable].self, forKey: .optionalArray)
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encodeIfPresent(object, forKey: .object)
    try container.encodeIfPresent(optionalObject, forKey: .optionalObject)
    try container.encodeIfPresent(array, forKey: .array)
    try container.encodeIfPresent(optionalArray, forKey: .optionalArray)
  }
}

private struct Named: Codable, Equatable {
  var name: String
  var count: Int
}

@Suite("Loosely typed JSON")
struct LooseJSONTests {
  // Weak point elsewhere: whole numbers in arrays turned into doubles.
  @Test func `what is decoded is encoded again`() throws {
    let text =
      #"{"array":[1,2.5,true,false,"x",[0],{"a":null}],"object":{"a":{},"b":[],"n":1,"t":true}}"#
    let model = try JSONDecoder().decode(Model.self, from: Data(text.utf8))
    #expect(model.optionalObject == nil)
    #expect(model.optionalArray == nil)
    #expect(model.array[0] as? Int == 1)
    #expect(model.array[2] as? Bool == true)
    #expect(model.array[4] as? String == "x")
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    #expect(String(decoding: try encoder.encode(model), as: UTF8.self) == text)
  }

  // Weak point elsewhere: an element that could not be decoded made the loop run for ever.
  @Test(arguments: [
    #"{"object":[],"array":[]}"#, #"{"object":{},"array":{}}"#, #"{"object":{},"array":[1e999]}"#,
  ])
  func `what cannot be decoded throws`(text: String) {
    #expect(throws: (any Error).self) { try JSONDecoder().decode(Model.self, from: Data(text.utf8)) }
  }

  @Test func `numbers and booleans are told apart`() throws {
    let parsed = try JSONSerialization.jsonObject(
      with: Data(#"{"b":true,"c":false,"d":1.5,"i":1,"z":0}"#.utf8))
    #expect(JSONUtils.jsonStringify(value: parsed) == #"{"b":true,"c":false,"d":1.5,"i":1,"z":0}"#)
    let swift: [String: Any] = ["b": true, "i": 1, "z": 0, "u": UInt8(1), "f": Float(0.5), "m": Int64.max]
    #expect(
      JSONUtils.jsonStringify(value: swift)
        == #"{"b":true,"f":0.5,"i":1,"m":9223372036854775807,"u":1,"z":0}"#)
    #expect(JSONUtils.jsonStringify(value: [NSNumber(value: true), NSNumber(value: 1)]) == "[true,1]")
  }

  @Test func `what has no JSON form is refused`() {
    let values: [Any] = [
      Date(), ["a": Data()], [Double.nan], [[Double.infinity]], ["a": ["b": URL(fileURLWithPath: "/")]],
    ]
    for value in values {
      #expect(JSONUtils.jsonStringify(value: value) == "")
      #expect(throws: EncodingError.self) { try JSONEncoder().encode(AnyValue(value)) }
    }
    func nested(_ depth: Int) -> Any { (0..<depth).reduce(1 as Any) { inner, _ in [inner] } }
    #expect(JSONUtils.jsonStringify(value: nested(32)).hasPrefix("[[["))
    #expect(JSONUtils.jsonStringify(value: nested(33)) == "")
  }

  @Test func `a whole number beyond 64 bits was written as another one`() {
    #expect(JSONUtils.jsonStringify(value: [UInt64.max]) == "")
    #expect(JSONUtils.jsonStringify(value: [NSNumber(value: UInt64.max)]) == "")
    #expect(JSONUtils.jsonStringify(value: [UInt64(Int64.max)]) == "[9223372036854775807]")
  }

  @Test func `a small number of one byte was taken for a boolean`() {
    #expect(
      JSONUtils.jsonStringify(value: [Int8(1), Int8(0), NSNumber(value: Int8(1))] as [Any]) == "[1,0,1]")
    #expect(JSONUtils.jsonStringify(value: [true, NSNumber(value: false)] as [Any]) == "[true,false]")
  }

  @Test func `nothing is null`() {
    let nothing: Int? = nil
    #expect(JSONUtils.jsonStringify(value: ["a": nothing as Any, "b": NSNull()]) == #"{"a":null,"b":null}"#)
    #expect(AnyValue(1).value as? Int == 1)
  }

  @Test func `models convert to dictionaries and back`() throws {
    let named = Named(name: "x", count: 2)
    let dictionary = try #require(named.dictionary)
    #expect(dictionary["name"] as? String == "x")
    #expect(dictionary["count"] as? Int == 2)
    #expect(Named(dictionary: dictionary) == named)
    #expect(Utility.decode(Named.self, from: Data(#"{"name":"x","count":2}"#.utf8)) == named)
    #expect(Utility.decode(Named.self, from: Data("{}".utf8)) == nil)
  }

  @Test func `initialisers from members threw, where apps unwrap an optional`() {
    #expect(Named(dictionary: ["name": 1]) == nil)
    #expect(Named(dictionary: ["name": "x", "count": Date()]) == nil)
    let key: JSONCodingKeys? = JSONCodingKeys(stringValue: "a")
    #expect(key?.stringValue == "a" && key?.intValue == nil)
  }

  @Test func `arrays kept nulls that apps of the published library never see`() throws {
    let text = #"{"array":[null,1,[null,2],{"a":null}],"object":{"b":[null,3]},"optionalArray":[null]}"#
    let model = try JSONDecoder().decode(Model.self, from: Data(text.utf8))
    #expect(model.array.count == 3 && model.array[0] as? Int == 1)
    #expect((model.array[1] as? [any Sendable])?.count == 1)
    #expect((model.array[2] as? [String: any Sendable])?["a"] is NSNull)
    #expect((model.object["b"] as? [any Sendable])?.count == 1)
    #expect(model.optionalArray?.isEmpty == true)
  }

  @Test func `an empty object was written where the published library leaves the member out`() throws {
    let text = #"{"array":[],"object":{},"optionalObject":{}}"#
    let model = try JSONDecoder().decode(Model.self, from: Data(text.utf8))
    #expect(String(decoding: try JSONEncoder().encode(model), as: UTF8.self) == #"{"array":[]}"#)
  }

  @Test func `pretty text is for people`() {
    #expect(["b": 1, "a": "x/y"].prettyJSON.contains("\n"))
    #expect(["b": 1, "a": "x/y"].prettyJSON.contains(#""x/y""#))
    #expect(["a": Date()].prettyJSON == "{}")
    #expect(Named(name: "x", count: 1).prettyJSON.contains(#""name" : "x""#))
    #expect(Int8.convertInt8ArrToStr([-1, 0, 127], separator: ",") == "-1,0,127")
  }
}
