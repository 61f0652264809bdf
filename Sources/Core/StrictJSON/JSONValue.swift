/// A JSON value (RFC 8259) as plain, comparable Swift data.
///
/// Numbers without fraction and exponent that fit 64 bits are ``integer(_:)``; all others are
/// ``number(_:)``. The two never compare equal, so that what was read is what is written; for the same reason
/// strings compare by their exact characters, without the Unicode normalisation of Swift's `==`.
public enum JSONValue: Sendable {
  case null
  case bool(Bool)
  case integer(Int64)
  /// A finite IEEE 754 double. Not-a-number and infinities have no JSON form and are written as `null`.
  case number(Double)
  case string(String)
  case array([JSONValue])
  case object(JSONObject)
}

extension JSONValue: Hashable {
  public static func == (lhs: JSONValue, rhs: JSONValue) -> Bool {
    switch (lhs, rhs) {
    case (.null, .null): true
    case (.bool(let left), .bool(let right)): left == right
    case (.integer(let left), .integer(let right)): left == right
    case (.number(let left), .number(let right)): left == right
    case (.string(let left), .string(let right)): left.hasSameBytes(as: right)
    case (.array(let left), .array(let right)): left == right
    case (.object(let left), .object(let right)): left == right
    default: false
    }
  }
}

extension JSONValue {
  /// The text of a JSON string, else `nil`.
  public var stringValue: String? { if case .string(let value) = self { value } else { nil } }

  /// The value of a JSON boolean, else `nil`. Numbers are not booleans.
  public var boolValue: Bool? { if case .bool(let value) = self { value } else { nil } }

  /// A whole number: an ``integer(_:)``, or a ``number(_:)`` without a fraction that fits. Else `nil`.
  public var integerValue: Int64? {
    switch self {
    case .integer(let value): value
    case .number(let value): Int64(exactly: value)
    default: nil
    }
  }

  /// Any number as a double, else `nil`.
  public var doubleValue: Double? {
    switch self {
    case .integer(let value): Double(value)
    case .number(let value): value
    default: nil
    }
  }

  /// The elements of a JSON array, else `nil`.
  public var arrayValue: [JSONValue]? { if case .array(let value) = self { value } else { nil } }

  /// The members of a JSON object, else `nil`.
  public var objectValue: JSONObject? { if case .object(let value) = self { value } else { nil } }

  /// Whether this is JSON `null`.
  public var isNull: Bool { self == .null }

  /// The member `name` of a JSON object; `nil` when absent or when this is not an object.
  public subscript(name: String) -> JSONValue? {
    if case .object(let object) = self { object[name] } else { nil }
  }

  /// The element at `index` of a JSON array; `nil` when out of bounds or when this is not an array.
  public subscript(index: Int) -> JSONValue? {
    guard case .array(let array) = self, array.indices.contains(index) else { return nil }
    return array[index]
  }
}

extension JSONValue: ExpressibleByStringInterpolation, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
  ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  public init(stringLiteral value: String) { self = .string(value) }
  public init(integerLiteral value: Int64) { self = .integer(value) }
  public init(floatLiteral value: Double) { self = .number(value) }
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
  public init(dictionaryLiteral elements: (String, JSONValue)...) { self = .object(JSONObject(elements)) }
}

extension JSONValue: CustomStringConvertible {
  /// The compact JSON text.
  public var description: String { text }
}
