internal import Foundation
internal import StrictJSON

/// A JSON value of any kind, for models that cannot say which.
// What is decoded holds value types and NSNull only; whoever wraps something else must not change it afterwards.
public struct AnyValue: Codable, @unchecked Sendable {
  /// `NSNull`, `Bool`, `Int`, `Double`, `String`, `[Any]` or `[String: Any]` when decoded.
  public let value: Any

  /// Wraps `value`.
  public init(_ value: Any) { self.value = value }

  public init(from decoder: any Decoder) throws {
    if let members = try? decoder.container(keyedBy: JSONCodingKeys.self) {
      var object: [String: Any] = [:]
      for key in members.allKeys {
        object[key.stringValue] = try members.decode(AnyValue.self, forKey: key).value
      }
      value = object
    } else if var elements = try? decoder.unkeyedContainer() {
      var array: [Any] = []
      // An element that cannot be decoded throws, and does not leave the loop where it was.
      while !elements.isAtEnd { array.append(try elements.decode(AnyValue.self).value) }
      value = array
    } else {
      let single = try decoder.singleValueContainer()
      if single.decodeNil() {
        value = NSNull()
      } else if let bool = try? single.decode(Bool.self) {
        value = bool
      } else if let int = try? single.decode(Int.self) {
        value = int
      } else if let double = try? single.decode(Double.self) {
        value = double
      } else {
        value = try single.decode(String.self)
      }
    }
  }

  /// - Throws: `EncodingError.invalidValue` when the value has no JSON form.
  public func encode(to encoder: any Encoder) throws {
    guard let json = JSONValue(any: value) else {
      throw EncodingError.invalidValue(
        value, .init(codingPath: encoder.codingPath, debugDescription: "\(type(of: value)) has no JSON form"))
    }
    try encode(json, to: encoder)
  }

  private func encode(_ json: JSONValue, to encoder: any Encoder) throws {
    switch json {
    case .object(let object):
      var members = encoder.container(keyedBy: JSONCodingKeys.self)
      for (name, member) in object {
        try members.encode(AnyValue(member), forKey: JSONCodingKeys(name))
      }
    case .array(let array):
      var elements = encoder.unkeyedContainer()
      for element in array { try elements.encode(AnyValue(element)) }
    default:
      var single = encoder.singleValueContainer()
      switch json {
      case .bool(let value): try single.encode(value)
      case .integer(let value): try single.encode(value)
      case .number(let value): try single.encode(value)
      case .string(let value): try single.encode(value)
      case .null, .object, .array: try single.encodeNil()
      }
    }
  }
}

/// The name of any JSON member.
public struct JSONCodingKeys: CodingKey {
  public var stringValue: String
  public var intValue: Int?

  public init?(stringValue: String) { self.init(stringValue) }

  public init?(intValue: Int) {
    self.init("\(intValue)")
    self.intValue = intValue
  }

  init(_ name: String) { stringValue = name }
}
