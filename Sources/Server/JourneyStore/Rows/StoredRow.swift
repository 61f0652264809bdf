package import Foundation
package import StrictJSON

/// Reads a row's columns by their names, without trusting that they have the types of the schema.
///
/// The name can be left out for a row of one column, such as a count's.
package final class StoredRow {
  private let columns: [String]
  private let values: [StoredValue]
  private let table: String

  /// The column after the one that was read last.
  private var next = 0

  /// Stored JSON was bounded when it came in; here the bound only keeps a damaged row from exhausting memory.
  private static let limits = JSONLimits(maximumBytes: 16 << 20, maximumDepth: 128)

  init(_ columns: [String], _ values: [StoredValue], of table: String) {
    (self.columns, self.values, self.table) = (columns, values, table)
  }

  package func text(_ column: String? = nil) throws -> String {
    guard case .text(let value) = try value(column) else { throw damaged(column, "text") }
    return value
  }

  package func optionalText(_ column: String) throws -> String? { try unlessNull(column, text) }

  package func integer(_ column: String? = nil) throws -> Int {
    guard case .integer(let value) = try value(column), let value = Int(exactly: value) else {
      throw damaged(column, "an integer")
    }
    return value
  }

  package func optionalInteger(_ column: String) throws -> Int? { try unlessNull(column, integer) }

  /// An unsigned number of 32 bits.
  package func counter(_ column: String) throws -> UInt32 {
    guard let value = UInt32(exactly: try integer(column)) else {
      throw damaged(column, "a number of 32 bits")
    }
    return value
  }

  package func flag(_ column: String? = nil) throws -> Bool {
    switch try value(column) {
    case .flag(let value): return value
    case .integer(0): return false
    case .integer(1): return true
    default: throw damaged(column, "true or false")
    }
  }

  /// One of the values of an enumeration.
  package func known<Value: RawRepresentable>(_ column: String) throws -> Value
  where Value.RawValue == String {
    guard let value = Value(rawValue: try text(column)) else { throw damaged(column, "a known value") }
    return value
  }

  package func known<Value: RawRepresentable>(_ column: String) throws -> Value where Value.RawValue == Int {
    guard let value = Value(rawValue: try integer(column)) else { throw damaged(column, "a known value") }
    return value
  }

  /// Times are within 30,000 years of 1970, so that whoever makes whole numbers of them meets no overflow.
  private static let times = -1e12...1e12

  /// A column of real numbers. SQLite keeps whole numbers as integers, and `RETURNING` shows them so.
  package func seconds(_ column: String) throws -> TimeInterval {
    let seconds: TimeInterval? =
      switch try value(column) {
      case .real(let value): value
      case .integer(let value): Double(value)
      default: nil
      }
    guard let seconds, Self.times.contains(seconds) else { throw damaged(column, "a number of seconds") }
    return seconds
  }

  package func date(_ column: String) throws -> Date { Date(timeIntervalSince1970: try seconds(column)) }

  package func optionalDate(_ column: String) throws -> Date? { try unlessNull(column, date) }

  package func bytes(_ column: String? = nil) throws -> [UInt8] {
    guard case .bytes(let value) = try value(column) else { throw damaged(column, "bytes") }
    return value
  }

  package func optionalBytes(_ column: String) throws -> [UInt8]? { try unlessNull(column, bytes) }

  package func object(_ column: String) throws -> JSONObject {
    guard case .object(let value) = try json(column) else { throw damaged(column, "a JSON object") }
    return value
  }

  package func optionalObject(_ column: String) throws -> JSONObject? { try unlessNull(column, object) }

  package func strings(_ column: String) throws -> [String] {
    guard case .array(let values) = try json(column) else { throw damaged(column, "a JSON array") }
    return try values.map { value in
      guard let string = value.stringValue else { throw damaged(column, "a JSON array of strings") }
      return string
    }
  }

  /// A value that ``StoredJSON`` has written.
  package func value<Value: Decodable>(_ column: String) throws -> Value {
    guard let value: Value = StoredJSON.value(from: Array(try text(column).utf8)) else {
      throw damaged(column, "what was stored")
    }
    return value
  }

  private func json(_ column: String) throws -> JSONValue {
    let text = try text(column)
    do {
      return try JSONValue(parsing: text, limits: Self.limits)
    } catch {
      throw damaged(column, "JSON (\(error))")
    }
  }

  private func unlessNull<Value>(_ column: String, _ read: (String) throws -> Value) throws -> Value? {
    if case .null = try value(column) { return nil }
    return try read(column)
  }

  private func value(_ column: String?) throws -> StoredValue {
    guard let name = column ?? (columns.count == 1 ? columns[0] : nil) else {
      throw damaged(nil, "the row's only column")
    }
    guard let index = index(of: name) else { throw damaged(name, "a column of the row") }
    next = index + 1
    return values[index]
  }

  /// Records are read in the order of their columns.
  private func index(of column: String) -> Int? {
    if next < columns.count, columns[next] == column { return next }
    // The column is read twice, as one is that may be null.
    if next > 0, columns[next - 1] == column { return next - 1 }
    return columns.firstIndex(of: column)
  }

  /// An error that names the column and, by the columns that tell whose it is, the row; never a value that could be secret.
  package func damaged(_ column: String?, _ expected: String) -> StoreError {
    let identity = ["realm", "username", "uuid", "handle", "name", "number"].compactMap { name -> String? in
      switch columns.firstIndex(of: name).map({ values[$0] }) {
      case .text(let value): "\(name) \(value)"
      case .integer(let value): "\(name) \(value)"
      default: nil
      }
    }
    return .corrupt(
      "table \(table), \(identity.isEmpty ? "a row" : identity.joined(separator: ", ")): "
        + "\(column ?? columns.first ?? "") is not \(expected)")
  }
}
