internal import Foundation
internal import GRDB
internal import StrictJSON

/// Reads a row's columns by their names, trusting none to have the type that the schema says.
///
/// The name can be left out for a row of one column, such as a count's.
struct StoredRow {
  private let row: Row
  private let table: String

  /// Stored JSON was bounded when it came in; here the bound only keeps a damaged row from exhausting memory.
  private static let limits = JSONLimits(maximumBytes: 16 << 20, maximumDepth: 128)

  init(_ row: Row, of table: String) {
    self.row = row
    self.table = table
  }

  func text(_ column: String? = nil) throws -> String {
    guard case .string(let value) = try value(column) else { throw damaged(column, "text") }
    return value
  }

  func optionalText(_ column: String) throws -> String? { try unlessNull(column, text) }

  func integer(_ column: String? = nil) throws -> Int {
    guard case .int64(let value) = try value(column), let value = Int(exactly: value) else {
      throw damaged(column, "an integer")
    }
    return value
  }

  func optionalInteger(_ column: String) throws -> Int? { try unlessNull(column, integer) }

  /// An unsigned number of 32 bits.
  func counter(_ column: String) throws -> UInt32 {
    guard let value = UInt32(exactly: try integer(column)) else {
      throw damaged(column, "a number of 32 bits")
    }
    return value
  }

  func flag(_ column: String? = nil) throws -> Bool {
    switch try value(column) {
    case .int64(0): return false
    case .int64(1): return true
    default: throw damaged(column, "0 or 1")
    }
  }

  /// One of the values of an enumeration.
  func known<Value: RawRepresentable>(_ column: String) throws -> Value where Value.RawValue == String {
    guard let value = Value(rawValue: try text(column)) else { throw damaged(column, "a known value") }
    return value
  }

  func known<Value: RawRepresentable>(_ column: String) throws -> Value where Value.RawValue == Int {
    guard let value = Value(rawValue: try integer(column)) else { throw damaged(column, "a known value") }
    return value
  }

  /// The columns `is_administrator`, `is_help_desk` and `is_auditor`.
  func roles() throws -> Set<AccountRole> {
    let columns: [(AccountRole, String)] = [
      (.administrator, "is_administrator"), (.helpDesk, "is_help_desk"), (.auditor, "is_auditor"),
    ]
    return Set(try columns.filter { try flag($0.1) }.map(\.0))
  }

  /// A REAL column. SQLite keeps whole numbers as integers, and `RETURNING` shows them so.
  func seconds(_ column: String) throws -> TimeInterval {
    switch try value(column) {
    case .double(let value): return value
    case .int64(let value): return Double(value)
    default: throw damaged(column, "a number of seconds")
    }
  }

  func date(_ column: String) throws -> Date { Date(timeIntervalSince1970: try seconds(column)) }

  func optionalDate(_ column: String) throws -> Date? { try unlessNull(column, date) }

  func bytes(_ column: String? = nil) throws -> [UInt8] {
    guard case .blob(let value) = try value(column) else { throw damaged(column, "bytes") }
    return [UInt8](value)
  }

  func object(_ column: String) throws -> JSONObject {
    guard case .object(let value) = try json(column) else { throw damaged(column, "a JSON object") }
    return value
  }

  func optionalObject(_ column: String) throws -> JSONObject? { try unlessNull(column, object) }

  func strings(_ column: String) throws -> [String] {
    guard case .array(let values) = try json(column) else { throw damaged(column, "a JSON array") }
    return try values.map { value in
      guard let string = value.stringValue else { throw damaged(column, "a JSON array of strings") }
      return string
    }
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

  private func value(_ column: String?) throws -> DatabaseValue.Storage {
    guard let column else {
      guard row.count == 1 else { throw damaged(nil, "the row's only column") }
      return (row[0] as DatabaseValue).storage
    }
    guard row.hasColumn(column) else { throw damaged(column, "a column of the row") }
    return (row[column] as DatabaseValue).storage
  }

  /// Names the column and the row, by the columns that say whose it is; never a value that could be secret.
  func damaged(_ column: String?, _ expected: String) -> StoreError {
    let identity = ["realm", "username", "uuid", "handle", "name", "number"].compactMap { name -> String? in
      guard row.hasColumn(name) else { return nil }
      return switch (row[name] as DatabaseValue).storage {
      case .string(let value): "\(name) \(value)"
      case .int64(let value): "\(name) \(value)"
      default: nil
      }
    }
    return .corrupt(
      "table \(table), \(identity.isEmpty ? "a row" : identity.joined(separator: ", ")): "
        + "\(column ?? row.columnNames.first ?? "") is not \(expected)")
  }
}
