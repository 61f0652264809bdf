internal import Foundation
internal import GRDB
internal import StrictJSON

/// Reads the columns of a row from left to right, trusting none to have the type that the schema says.
struct StoredRow {
  private let row: Row
  private let table: String
  private var next = 0

  /// Stored JSON was bounded when it came in; here the bound only keeps a damaged row from exhausting memory.
  private static let limits = JSONLimits(maximumBytes: 16 << 20, maximumDepth: 128)

  init(_ row: Row, of table: String) {
    self.row = row
    self.table = table
  }

  mutating func text() throws -> String {
    guard case .string(let value) = advance() else { throw damaged("text") }
    return value
  }

  mutating func optionalText() throws -> String? {
    switch advance() {
    case .null: return nil
    case .string(let value): return value
    default: throw damaged("text or nothing")
    }
  }

  mutating func integer() throws -> Int {
    guard case .int64(let value) = advance(), let value = Int(exactly: value) else {
      throw damaged("an integer")
    }
    return value
  }

  mutating func optionalInteger() throws -> Int? {
    if case .null = (row[next] as DatabaseValue).storage {
      next += 1
      return nil
    }
    return try integer()
  }

  /// An unsigned number of 32 bits.
  mutating func counter() throws -> UInt32 {
    guard let value = UInt32(exactly: try integer()) else { throw damaged("a number of 32 bits") }
    return value
  }

  mutating func flag() throws -> Bool {
    switch advance() {
    case .int64(0): return false
    case .int64(1): return true
    default: throw damaged("0 or 1")
    }
  }

  /// The columns `is_administrator`, `is_help_desk` and `is_auditor`.
  mutating func roles() throws -> Set<AccountRole> {
    var roles: Set<AccountRole> = []
    for role in [AccountRole.administrator, .helpDesk, .auditor] where try flag() { roles.insert(role) }
    return roles
  }

  mutating func seconds() throws -> TimeInterval {
    guard let value = Self.number(advance()) else { throw damaged("a number of seconds") }
    return value
  }

  mutating func date() throws -> Date { Date(timeIntervalSince1970: try seconds()) }

  mutating func optionalDate() throws -> Date? {
    let value = advance()
    if case .null = value { return nil }
    guard let seconds = Self.number(value) else { throw damaged("a date or nothing") }
    return Date(timeIntervalSince1970: seconds)
  }

  /// A REAL column. SQLite keeps whole numbers as integers, and `RETURNING` shows them so.
  private static func number(_ value: DatabaseValue.Storage) -> Double? {
    switch value {
    case .double(let value): value
    case .int64(let value): Double(value)
    default: nil
    }
  }

  mutating func bytes() throws -> [UInt8] {
    guard case .blob(let value) = advance() else { throw damaged("bytes") }
    return [UInt8](value)
  }

  mutating func object() throws -> JSONObject {
    guard case .object(let value) = try json() else { throw damaged("a JSON object") }
    return value
  }

  mutating func optionalObject() throws -> JSONObject? {
    if case .null = (row[next] as DatabaseValue).storage {
      next += 1
      return nil
    }
    return try object()
  }

  mutating func strings() throws -> [String] {
    guard case .array(let values) = try json() else { throw damaged("a JSON array") }
    return try values.map { value in
      guard let string = value.stringValue else { throw damaged("a JSON array of strings") }
      return string
    }
  }

  private mutating func json() throws -> JSONValue {
    let text = try text()
    do {
      return try JSONValue(parsing: text, limits: Self.limits)
    } catch {
      throw damaged("JSON (\(error))")
    }
  }

  private mutating func advance() -> DatabaseValue.Storage {
    defer { next += 1 }
    return (row[next] as DatabaseValue).storage
  }

  /// Names the column and the row, by the columns that say whose it is; never a value that could be secret.
  private func damaged(_ expected: String) -> StoreError {
    let column = Array(row.columnNames)[next - 1]
    let identity = ["realm", "username", "uuid", "handle", "name"].compactMap { name -> String? in
      guard row.hasColumn(name), case .string(let value) = (row[name] as DatabaseValue).storage else {
        return nil
      }
      return "\(name) \(value)"
    }
    return .corrupt(
      "table \(table), \(identity.isEmpty ? "a row" : identity.joined(separator: ", ")): \(column) is not \(expected)"
    )
  }
}
