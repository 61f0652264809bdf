internal import StrictJSON

/// A record in the form that `Codable` takes, so that what the server sent comes back whole.
struct CodableRecord: Codable {
  let value: JSONValue

  init(_ value: JSONValue) { self.value = value }

  init(from decoder: any Decoder) throws {
    if let members = try? decoder.container(keyedBy: Name.self) {
      var object = JSONObject()
      for name in members.allKeys {
        object[name.stringValue] = try members.decode(CodableRecord.self, forKey: name).value
      }
      value = .object(object)
    } else if var elements = try? decoder.unkeyedContainer() {
      var array: [JSONValue] = []
      while !elements.isAtEnd { array.append(try elements.decode(CodableRecord.self).value) }
      value = .array(array)
    } else {
      let scalar = try decoder.singleValueContainer()
      if scalar.decodeNil() {
        value = .null
      } else if let bool = try? scalar.decode(Bool.self) {
        value = .bool(bool)
      } else if let integer = try? scalar.decode(Int64.self) {
        value = .integer(integer)
      } else if let number = try? scalar.decode(Double.self) {
        value = .number(number)
      } else {
        value = .string(try scalar.decode(String.self))
      }
    }
  }

  func encode(to encoder: any Encoder) throws {
    if let object = value.objectValue {
      var members = encoder.container(keyedBy: Name.self)
      for name in object.names {
        try members.encode(CodableRecord(object[name] ?? .null), forKey: Name(stringValue: name))
      }
    } else if let array = value.arrayValue {
      var elements = encoder.unkeyedContainer()
      for element in array { try elements.encode(CodableRecord(element)) }
    } else {
      var scalar = encoder.singleValueContainer()
      if let bool = value.boolValue {
        try scalar.encode(bool)
      } else if let integer = value.integerValue {
        try scalar.encode(integer)
      } else if let number = value.doubleValue {
        try scalar.encode(number)
      } else if let text = value.stringValue {
        try scalar.encode(text)
      } else {
        try scalar.encodeNil()
      }
    }
  }

  private struct Name: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }
}
