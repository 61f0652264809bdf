internal import Foundation
package import StrictJSON

extension JSONValue {
  /// The JSON form of a loosely typed value: `nil`, text, booleans, numbers, arrays and dictionaries with text keys.
  ///
  /// Members are in alphabetical order. `nil` when something has no JSON form: a date, data, an infinite number, or
  /// nesting deeper than 64.
  package init?(any value: Any, depth: Int = 0) {
    guard depth <= 64 else { return nil }
    switch value {
    case let value as JSONValue: self = value
    case let value as AnyValue: self.init(any: value.value, depth: depth)
    case let value as String: self = .string(value)
    case let value as [String: Any]:
      var object = JSONObject()
      for (name, member) in value.sorted(by: { $0.key < $1.key }) {
        guard let member = JSONValue(any: member, depth: depth + 1) else { return nil }
        object[name] = member
      }
      self = .object(object)
    case let value as [Any]:
      var array: [JSONValue] = []
      for element in value {
        guard let element = JSONValue(any: element, depth: depth + 1) else { return nil }
        array.append(element)
      }
      self = .array(array)
    case is NSNull: self = .null
    case Optional<Any>.none: self = .null
    default:
      guard let number = JSONValue(number: value) else { return nil }
      self = number
    }
  }

  /// Swift's booleans and numbers arrive here as `NSNumber`, too. Booleans come first: either casts to the other without
  /// complaint.
  private init?(number value: Any) {
    guard let number = value as? NSNumber else { return nil }
    if number.isBoolean {
      self = .bool(number.boolValue)
      return
    }
    switch UInt8(bitPattern: number.objCType.pointee) {
    case UInt8(ascii: "d"), UInt8(ascii: "f"):
      guard number.doubleValue.isFinite else { return nil }
      self = .number(number.doubleValue)
    case UInt8(ascii: "Q") where number.uint64Value > Int64.max:
      self = .number(number.doubleValue)
    default:
      self = .integer(number.int64Value)
    }
  }

  /// This value as Foundation's JSON functions return it; `null` is `NSNull`, whole numbers are `Int`.
  package var anyValue: Any {
    switch self {
    case .null: NSNull()
    case .bool(let value): value
    case .integer(let value): Int(exactly: value) ?? Double(value)
    case .number(let value): value
    case .string(let value): value
    case .array(let elements): elements.map(\.anyValue)
    case .object(let object): object.dictionary
    }
  }
}

extension JSONObject {
  /// The members as Foundation's JSON functions return them.
  package var dictionary: [String: Any] {
    Dictionary(map { ($0.name, $0.value.anyValue) }) { $1 }
  }
}

extension NSNumber {
  /// Whether this was made from a boolean, and not from a number: there are exactly two such objects.
  fileprivate var isBoolean: Bool { self === NSNumber(value: true) || self === NSNumber(value: false) }
}
