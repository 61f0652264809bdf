package import Foundation
package import StrictJSON

/// A value of a column, in the types that every database has.
package enum StoredValue: Sendable, Hashable {
  case null(Kind)
  case flag(Bool)
  case integer(Int64)
  case real(Double)
  case text(String)
  case bytes([UInt8])

  /// The type of a column. A database may need the type of a null, too, and a backup has its name.
  package enum Kind: String, Sendable, Hashable { case flag, integer, real, text, bytes }
}

/// A type whose values are stored in a column.
package protocol StoredValueConvertible: Sendable {
  static var storedKind: StoredValue.Kind { get }
  var storedValue: StoredValue { get }
}

extension StoredValueConvertible where Self: FixedWidthInteger {
  package static var storedKind: StoredValue.Kind { .integer }

  /// The number as an `Int64`; the largest one stands for all larger numbers.
  package var storedValue: StoredValue { .integer(Int64(clamping: self)) }
}

extension Int: StoredValueConvertible {}
extension Int64: StoredValueConvertible {}
extension UInt32: StoredValueConvertible {}
extension UInt64: StoredValueConvertible {}

extension Bool: StoredValueConvertible {
  package static var storedKind: StoredValue.Kind { .flag }
  package var storedValue: StoredValue { .flag(self) }
}

extension Double: StoredValueConvertible {
  package static var storedKind: StoredValue.Kind { .real }
  package var storedValue: StoredValue { .real(self) }
}

extension String: StoredValueConvertible {
  package static var storedKind: StoredValue.Kind { .text }
  package var storedValue: StoredValue { .text(self) }
}

/// Seconds since 1970.
extension Date: StoredValueConvertible {
  package static var storedKind: StoredValue.Kind { .real }
  package var storedValue: StoredValue { .real(timeIntervalSince1970) }
}

extension [UInt8]: StoredValueConvertible {
  package static var storedKind: StoredValue.Kind { .bytes }
  package var storedValue: StoredValue { .bytes(self) }
}

/// Stored as text.
extension JSONValue: StoredValueConvertible {
  package static var storedKind: StoredValue.Kind { .text }
  package var storedValue: StoredValue { .text(text) }

  /// An array of strings.
  package static func strings(_ strings: some Sequence<String>) -> JSONValue {
    .array(strings.map(JSONValue.string))
  }
}

extension JSONObject: StoredValueConvertible {
  package static var storedKind: StoredValue.Kind { .text }
  package var storedValue: StoredValue { JSONValue.object(self).storedValue }
}

extension Optional: StoredValueConvertible where Wrapped: StoredValueConvertible {
  package static var storedKind: StoredValue.Kind { Wrapped.storedKind }
  package var storedValue: StoredValue { self?.storedValue ?? .null(Wrapped.storedKind) }
}

/// The values of a statement, in the order of its placeholders (`?`, `?1`) or by name (`:name`). Also a row to insert: every column's name
/// with its value.
package struct StatementValues: Sendable, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral {
  /// The names, one for each of ``values``; empty when the values are in order.
  package private(set) var names: [String] = []
  package private(set) var values: [StoredValue]

  package init(_ values: [StoredValue]) { self.values = values }

  package init(arrayLiteral elements: any StoredValueConvertible...) {
    values = elements.map(\.storedValue)
  }

  package init(dictionaryLiteral elements: (String, any StoredValueConvertible)...) {
    names = elements.map(\.0)
    values = elements.map { $0.1.storedValue }
  }

  package static func + (one: Self, other: Self) -> Self {
    var sum = one
    sum.names += other.names
    sum.values += other.values
    return sum
  }

  // MARK: As a row

  /// The names as a statement lists them.
  package var columns: String { names.joined(separator: ", ") }

  /// A placeholder for each value, in order.
  package var places: String { names.map { _ in "?" }.joined(separator: ", ") }

  /// The value of a column; null for a column that the row does not set.
  package subscript(column: String) -> StoredValue {
    names.firstIndex(of: column).map { values[$0] } ?? .null(.text)
  }
}
