internal import Foundation

extension JSONValue {
  /// The JSON form of a loosely typed value: text, booleans, numbers, `NSNull`, arrays, dictionaries with text keys, and
  /// ``JSONValue`` itself.
  ///
  /// Members of dictionaries are in alphabetical order. `nil` when something has no exact JSON form: a date,
  /// data, an infinite number, a whole number beyond 64 bits, nesting deeper than 32.
  ///
  /// - Parameter nothing: The form of an optional that is `nil`; by default it has no JSON form.
  package init?(any value: Any, nothing: JSONValue? = nil) {
    self.init(any: value, nothing: nothing, depth: 0)
  }

  private static let maximumDepth = 32

  private init?(any value: Any, nothing: JSONValue?, depth: Int) {
    guard depth <= Self.maximumDepth else { return nil }
    switch value {
    case let value as JSONValue: self = value
    case let value as any AnyWrapper: self.init(any: value.wrapped, nothing: nothing, depth: depth)
    case let value as String: self = .string(value)
    case let value as [String: Any]:
      var object = JSONObject()
      for (name, member) in value.sorted(by: { $0.key < $1.key }) {
        guard let member = JSONValue(any: member, nothing: nothing, depth: depth + 1) else { return nil }
        object[name] = member
      }
      self = .object(object)
    case let value as [Any]:
      let array = value.compactMap { JSONValue(any: $0, nothing: nothing, depth: depth + 1) }
      guard array.count == value.count else { return nil }
      self = .array(array)
    case is NSNull: self = .null
    case Optional<Any>.none:
      guard let nothing else { return nil }
      self = nothing
    default:
      guard let scalar = JSONValue(scalar: value) else { return nil }
      self = scalar
    }
  }

  /// The boolean in a loosely typed value; `nil` for everything else, including the numbers 0 and 1.
  package static func boolean(_ value: Any) -> Bool? { JSONValue(scalar: value)?.boolValue }

  /// A boolean or a number. Swift's own types are distinguished first, because `NSNumber` makes them alike.
  private init?(scalar value: Any) {
    if Swift.type(of: value) == Bool.self, let flag = value as? Bool {
      self = .bool(flag)
    } else if Swift.type(of: value) is AnyClass, let number = value as? NSNumber {
      self.init(number)
    } else if let integer = value as? any BinaryInteger {
      guard let exact = Int64(exactly: integer) else { return nil }
      self = .integer(exact)
    } else if let number = value as? any BinaryFloatingPoint {
      let double = Double(number)
      guard double.isFinite else { return nil }
      self = .number(double)
    } else if let optional = value as? any OptionalValue, let wrapped = optional.wrapped {
      self.init(scalar: wrapped)
    } else {
      return nil
    }
  }

  private init?(_ number: NSNumber) {
    // There are exactly two objects that were made from booleans.
    if number === NSNumber(value: true) || number === NSNumber(value: false) {
      self = .bool(number.boolValue)
      return
    }
    switch UInt8(bitPattern: number.objCType.pointee) {
    case UInt8(ascii: "d"), UInt8(ascii: "f"):
      guard number.doubleValue.isFinite else { return nil }
      self = .number(number.doubleValue)
    case UInt8(ascii: "Q"):
      guard let exact = Int64(exactly: number.uint64Value) else { return nil }
      self = .integer(exact)
    default: self = .integer(number.int64Value)
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
  package var dictionary: [String: Any] { Dictionary(map { ($0.name, $0.value.anyValue) }) { $1 } }
}

/// A type that wraps a loosely typed value and stands for it.
package protocol AnyWrapper { var wrapped: Any { get } }

/// A number that was put into an `Any` while it was optional.
private protocol OptionalValue { var wrapped: Any? { get } }

extension Optional: OptionalValue {
  fileprivate var wrapped: Any? { self }
}
