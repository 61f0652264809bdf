internal import Foundation
internal import StrictJSON

/// An app's own claims, checked: no reserved names, and only values that JSON can express.
struct CustomClaims {
  /// As they go into the token, sorted by name.
  let json: JSONObject

  /// - Throws: ``DeviceBindingError/invalidClaim``
  init(_ claims: [String: Any]) throws {
    guard ReservedClaims.names.isDisjoint(with: claims.keys), let json = JSONValue(any: claims)?.objectValue
    else {
      throw DeviceBindingError.invalidClaim
    }
    self.json = json
  }
}

extension JSONValue {
  /// The JSON form of an untyped value; `nil` when it has none, such as a date, a URL, infinity, or a nesting of more than
  /// 32 levels.
  fileprivate init?(any value: Any, depth: Int = 0) {
    guard depth <= 32 else { return nil }
    switch value {
    case is NSNull:
      self = .null
    case let text as String:
      self = .string(text)
    case let array as [Any]:
      var elements: [JSONValue] = []
      for element in array {
        guard let element = JSONValue(any: element, depth: depth + 1) else { return nil }
        elements.append(element)
      }
      self = .array(elements)
    case let dictionary as [String: Any]:
      var object = JSONObject()
      for (name, element) in dictionary.sorted(by: { $0.key < $1.key }) {
        guard let element = JSONValue(any: element, depth: depth + 1) else { return nil }
        object[name] = element
      }
      self = .object(object)
    default:
      guard let number = JSONValue(number: value) else { return nil }
      self = number
    }
  }

  /// A boolean or a number. Swift's own types are told apart by what they are, before `NSNumber` makes them alike.
  private init?(number value: Any) {
    if Swift.type(of: value) == Bool.self, let flag = value as? Bool {
      self = .bool(flag)
    } else if let number = value as? NSNumber, Swift.type(of: value) is AnyClass {
      self.init(number)
    } else if let integer = value as? any BinaryInteger {
      guard let exact = Int64(exactly: integer) else { return nil }
      self = .integer(exact)
    } else if let number = value as? any BinaryFloatingPoint {
      let double = Double(number)
      guard double.isFinite else { return nil }
      self = .number(double)
    } else if let optional = value as? any OptionalValue, let wrapped = optional.wrapped {
      self.init(number: wrapped)
    } else {
      return nil
    }
  }

  private init?(_ number: NSNumber) {
    switch number.objCType.pointee {
    case CChar(bitPattern: UInt8(ascii: "c")) where number == 0 || number == 1:
      self = .bool(number.boolValue)
    case CChar(bitPattern: UInt8(ascii: "f")), CChar(bitPattern: UInt8(ascii: "d")):
      guard number.doubleValue.isFinite else { return nil }
      self = .number(number.doubleValue)
    case CChar(bitPattern: UInt8(ascii: "Q")):
      guard let exact = Int64(exactly: number.uint64Value) else { return nil }
      self = .integer(exact)
    default:
      self = .integer(number.int64Value)
    }
  }
}

/// A number that was put into an `Any` while it was optional.
private protocol OptionalValue {
  var wrapped: Any? { get }
}

extension Optional: OptionalValue {
  fileprivate var wrapped: Any? { self }
}
