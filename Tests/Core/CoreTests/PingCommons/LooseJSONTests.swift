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
  @Test func `arrays kept nulls and empty objects were written, which apps of the published SDK do not know`()
    throws
  {
    let text =
      #"{"array":[1,2.5,true,null,"x",[0,null],{"a":null,"n":1}],"object":{"a":{"b":1},"b":[],"n":1,"z":null}}"#
    var model = try JSONDecoder().decode(Model.self, from: Data(text.utf8))
    #expect(model.optionalObject == nil && model.optionalArray == nil)
    #expect(model.array.count == 6)
    #expect(model.array[0] as? Double == 1 && model.array[2] as? Bool == true)
    #expect((model.array[4] as? [any Sendable])?.count == 1)
    #expect((model.array[5] as? [String: any Sendable])?["n"] as? Int == 1)
    #expect(model.object["n"] as? Int == 1 && model.object.count == 3)
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    model.object = [:]
    #expect(
      String(decoding: try encoder.encode(model), as: UTF8.self)
        == #"{"array":[1,2.5,true,"x",[0],{"n":1}]}"#)
  }

  @Test func `an object that is decoded without a key has all of its members`() throws {
    struct Open: Decodable {
      let members: [String: any Sendable]
      init(from decoder: any Decoder) throws {
        members = try decoder.container(keyedBy: JSONCodingKeys.self).decode([String: any Sendable].self)
      }
    }
    let read = try JSONDecoder().decode(Open.self, from: Data(#"{"a":1,"b":{"c":[true]}}"#.utf8))
    #expect(read.members["a"] as? Int == 1)
    #expect(((read.members["b"] as? [String: any Sendable])?["c"] as? [any Sendable])?.first as? Bool == true)
    let key = try #require(JSONCodingKeys(stringValue: "any"))
    #expect(key.stringValue == "any" && JSONCodingKeys(intValue: 3)?.intValue == 3)
  }

  // Weak point elsewhere: an element that could not be decoded made the loop run for ever.
  @Test(arguments: [
    #"{"object":[],"array":[]}"#, #"{"object":{},"array":{}}"#, #"{"object":{},"array":[1e999]}"#,
  ])
  func whatCannotBeDecodedThrows(text: String) {
    #expect(throws: (any Error).self) { try JSONDecoder().decode(Model.self, from: Data(text.utf8)) }
  }

  @Test func numbersAndBooleansAreToldApart() throws {
    let parsed = try JSONSerialization.jsonObject(
      with: Data(#"{"b":true,"c":false,"d":1.5,"i":1,"z":0}"#.utf8))
    #expect(JSONUtils.jsonStringify(value: parsed) == #"{"b":true,"c":false,"d":1.5,"i":1,"z":0}"#)
    let swift: [String: Any] = ["b": true, "i": 1, "z": 0, "u": UInt8(1), "f": Float(0.5), "m": Int64.max]
    #expect(
      JSONUtils.jsonStringify(value: swift)
        == #"{"b":true,"f":0.5,"i":1,"m":9223372036854775807,"u":1,"z":0}"#)
    #expect(JSONUtils.jsonStringify(value: [NSNumber(value: true), NSNumber(value: 1)]) == "[true,1]")
  }

  @Test func whatHasNoJSONFormIsRefused() {
    let values: [Any] = [
      Date(), ["a": Data()], [Double.nan], [[Double.infinity]], ["a": ["b": URL(fileURLWithPath: "/")]],
    ]
    for value in values {
      #expect(JSONUtils.jsonStringify(value: value) == "")
      #expect(throws: EncodingError.self) { try JSONEncoder().encode(AnyValue(value)) }
    }
    var deep: Any = 1
    for _ in 0..<100 { deep = [deep] }
    #expect(JSONUtils.jsonStringify(value: deep) == "")
  }

  @Test func nothingIsNull() {
    let nothing: Int? = nil
    #expect(JSONUtils.jsonStringify(value: ["a": nothing as Any, "b": NSNull()]) == #"{"a":null,"b":null}"#)
    #expect(AnyValue(1).value as? Int == 1)
  }

  @Test func modelsConvertToDictionariesAndBack() throws {
    let named = Named(name: "x", count: 2)
    let dictionary = try #require(named.dictionary)
    #expect(dictionary["name"] as? String == "x")
    #expect(dictionary["count"] as? Int == 2)
    #expect(Named(dictionary: dictionary) == named)
    #expect(Named(dictionary: ["name": 1]) == nil && Named(dictionary: ["name": Date()]) == nil)
    #expect(Utility.decode(Named.self, from: Data(#"{"name":"x","count":2}"#.utf8)) == named)
    #expect(Utility.decode(Named.self, from: Data("{}".utf8)) == nil)
  }

  @Test func prettyTextIsForPeople() {
    #expect(["b": 1, "a": "x/y"].prettyJSON.contains("\n"))
    #expect(["b": 1, "a": "x/y"].prettyJSON.contains(#""x/y""#))
    #expect(["a": Date()].prettyJSON == "{}")
    #expect(Named(name: "x", count: 1).prettyJSON.contains(#""name" : "x""#))
    #expect(Int8.convertInt8ArrToStr([-1, 0, 127], separator: ",") == "-1,0,127")
  }
}
