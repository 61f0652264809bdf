internal import Foundation
internal import GRDB
internal import GRDBSQLite

/// A statement that stays prepared on its connection, with values bound and columns read by SQLite's own functions.
///
/// GRDB prepares and caches it. GRDB's own binding and reading use boxed values, a dictionary of columns and a copy of each row, which cost
/// more than most of the statements here.
struct PreparedStatement {
  private let database: Database
  private let statement: GRDB.Statement

  init(_ sql: String, in database: Database) throws {
    self.database = database
    statement = try database.cachedStatement(sql: sql)
  }

  /// Carries the statement out, and calls `visit` with each row.
  ///
  /// - Throws: `DatabaseError`, as GRDB does, without the values, which may be secret.
  func run(_ values: StatementValues, _ visit: ([StoredValue]) throws -> Void) throws {
    let handle = statement.sqliteStatement
    defer {
      sqlite3_reset(handle)
      sqlite3_clear_bindings(handle)
    }
    sqlite3_reset(handle)
    try bind(values, to: handle)
    while true {
      switch sqlite3_step(handle) {
      case SQLITE_ROW:
        try visit((0..<sqlite3_column_count(handle)).map { StoredValue(column: $0, of: handle) })
      case SQLITE_DONE: return
      case let code: throw error(code)
      }
    }
  }

  /// Carries the statement out and collects its rows.
  func answer(to values: StatementValues) throws -> SQLAnswer {
    var answer = SQLAnswer()
    try run(values) { row in
      if answer.columns.isEmpty { answer.columns = columnNames }
      answer.rows.append(row)
    }
    answer.count = statement.isReadonly ? answer.rows.count : database.changesCount
    return answer
  }

  /// The names of the columns. GRDB caches them, but a statement that SQLite has prepared again, because the schema has changed, may have
  /// others.
  private var columnNames: [String] {
    let handle = statement.sqliteStatement
    guard sqlite3_stmt_status(handle, SQLITE_STMTSTATUS_REPREPARE, 0) > 0 else {
      return statement.columnNames
    }
    return (0..<sqlite3_column_count(handle)).map { index in
      sqlite3_column_name(handle, index).map { String(cString: $0) } ?? ""
    }
  }

  private func error(_ code: CInt, _ message: String? = nil) -> DatabaseError {
    let message = message ?? database.sqliteConnection.map { String(cString: sqlite3_errmsg($0)) }
    return DatabaseError(resultCode: ResultCode(rawValue: code), message: message, sql: statement.sql)
  }

  private func bind(_ values: StatementValues, to handle: SQLiteStatement) throws {
    let count = Int(sqlite3_bind_parameter_count(handle))
    guard values.names.isEmpty else {
      for place in 0..<count {
        let name = sqlite3_bind_parameter_name(handle, CInt(place + 1))
        // The first character is the colon.
        guard let name, let index = index(of: name + 1, at: place, in: values.names) else {
          throw error(SQLITE_MISUSE, "a value is missing for place \(place + 1)")
        }
        try bind(values.values[index], at: place, of: handle)
      }
      return
    }
    guard values.values.count == count else {
      throw error(SQLITE_MISUSE, "\(values.values.count) values for \(count) places")
    }
    for (place, value) in values.values.enumerated() { try bind(value, at: place, of: handle) }
  }

  /// The index of `name`. The names are nearly always in the order of the placeholders.
  private func index(of name: UnsafePointer<CChar>, at place: Int, in names: [String]) -> Int? {
    if names.indices.contains(place), names[place].isEqual(to: name) { return place }
    return names.firstIndex { $0.isEqual(to: name) }
  }

  private func bind(_ value: StoredValue, at place: Int, of handle: SQLiteStatement) throws {
    let place = CInt(place + 1)
    let code: CInt
    switch value {
    case .null: code = sqlite3_bind_null(handle, place)
    case .flag(let value): code = sqlite3_bind_int64(handle, place, value ? 1 : 0)
    case .integer(let value): code = sqlite3_bind_int64(handle, place, value)
    case .real(let value): code = sqlite3_bind_double(handle, place, value)
    case .text(var value):
      // An empty text may have no address, and would then be NULL.
      code =
        value.isEmpty
        ? sqlite3_bind_text(handle, place, "", 0, Self.copied)
        : value.withUTF8 { text in
          text.withMemoryRebound(to: CChar.self) {
            sqlite3_bind_text64(
              handle, place, $0.baseAddress, UInt64($0.count), Self.copied, UInt8(SQLITE_UTF8))
          }
        }
    case .bytes(let value):
      code =
        value.isEmpty
        ? sqlite3_bind_zeroblob(handle, place, 0)
        : value.withUnsafeBytes {
          sqlite3_bind_blob64(handle, place, $0.baseAddress, UInt64($0.count), Self.copied)
        }
    }
    guard code == SQLITE_OK else { throw error(code) }
  }

  /// SQLite's `SQLITE_TRANSIENT`, a macro that Swift does not see: SQLite copies the value before the function returns.
  private static let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
}

extension StoredValue {
  /// A column of the statement's current row.
  fileprivate init(column index: CInt, of handle: SQLiteStatement) {
    // Called after the pointer was read, which may change the form in which SQLite holds the value.
    func size() -> Int { Int(sqlite3_column_bytes(handle, index)) }
    switch sqlite3_column_type(handle, index) {
    case SQLITE_INTEGER: self = .integer(sqlite3_column_int64(handle, index))
    case SQLITE_FLOAT: self = .real(sqlite3_column_double(handle, index))
    case SQLITE_TEXT:
      let start = sqlite3_column_text(handle, index)
      self = .text(String(decoding: UnsafeBufferPointer(start: start, count: size()), as: UTF8.self))
    case SQLITE_BLOB:
      let start = sqlite3_column_blob(handle, index)
      self = .bytes([UInt8](UnsafeRawBufferPointer(start: start, count: size())))
    default: self = .null(.text)
    }
  }
}

extension String {
  /// Whether the C string has the same bytes.
  fileprivate func isEqual(to text: UnsafePointer<CChar>) -> Bool { withCString { strcmp($0, text) == 0 } }
}
