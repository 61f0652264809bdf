/// For `Codable` models that keep unknown members. Coders have their own number types: a whole number is
/// ``integer(_:)`` where it fits, however it was written.
extension JSONValue: Codable {
  public init(from decoder: any Decoder) throws {
    if let members = try? decoder.container(keyedBy: MemberName.self) {
      var object = JSONObject()
      for name in members.allKeys {
        object[name.stringValue] = try members.decode(JSONValue.self, forKey: name)
      }
      self = .object(object)
    } else if var elements = try? decoder.unkeyedContainer() {
      var array: [JSONValue] = []
      // An element that cannot be decoded throws, so the loop always advances or ends.
      while !elements.isAtEnd { array.append(try elements.decode(JSONValue.self)) }
      self = .array(array)
    } else {
      let scalar = try decoder.singleValueContainer()
      if scalar.decodeNil() {
        self = .null
      } else if let bool = try? scalar.decode(Bool.self) {
        self = .bool(bool)
      } else if let integer = try? scalar.decode(Int64.self) {
        self = .integer(integer)
      } else if let number = try? scalar.decode(Double.self) {
        self = .number(number)
      } else {
        self = .string(try scalar.decode(String.self))
      }
    }
  }

  public func encode(to encoder: any Encoder) throws {
    switch self {
    case .object(let object):
      var members = encoder.container(keyedBy: MemberName.self)
      for (name, member) in object { try members.encode(member, forKey: MemberName(stringValue: name)) }
    case .array(let array):
      var elements = encoder.unkeyedContainer()
      for element in array { try elements.encode(element) }
    case .null:
      var scalar = encoder.singleValueContainer()
      try scalar.encodeNil()
    case .bool(let value): try value.encode(to: encoder)
    case .integer(let value): try value.encode(to: encoder)
    case .number(let value): try value.encode(to: encoder)
    case .string(let value): try value.encode(to: encoder)
    }
  }

  private struct MemberName: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }
}
