/// The text of a statement in each dialect. A literal is the same in both; where they differ, it interpolates a value that has both
/// spellings, such as ``greatest``.
///
/// Placeholders for values are `?`, `?1` or `:name`, as in ``StatementValues``.
package struct SQL: Sendable, ExpressibleByStringInterpolation {
  package let sqlite: String
  package let postgres: String

  package init(sqlite: String, postgres: String) {
    self.sqlite = sqlite
    self.postgres = postgres
  }

  package init(_ text: String) { self.init(sqlite: text, postgres: text) }

  package init(stringLiteral value: String) { self.init(value) }

  package init(stringInterpolation interpolation: StringInterpolation) {
    self.init(sqlite: interpolation.sqlite, postgres: interpolation.postgres)
  }

  package struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var sqlite = ""
    fileprivate var postgres = ""

    package init(literalCapacity: Int, interpolationCount: Int) {
      sqlite.reserveCapacity(literalCapacity)
      postgres.reserveCapacity(literalCapacity)
    }

    package mutating func appendLiteral(_ literal: String) {
      sqlite += literal
      postgres += literal
    }

    package mutating func appendInterpolation(_ text: String) { appendLiteral(text) }

    package mutating func appendInterpolation(_ number: some FixedWidthInteger) {
      appendLiteral(String(number))
    }

    package mutating func appendInterpolation(_ words: SQL) {
      sqlite += words.sqlite
      postgres += words.postgres
    }
  }
}

// MARK: - Where the dialects differ

extension SQL {
  /// The largest of several values; ``least`` is the smallest.
  package static let greatest = SQL(sqlite: "max", postgres: "greatest")
  package static let least = SQL(sqlite: "min", postgres: "least")

  /// The position of one text in another, from 1 on.
  static let position = SQL(sqlite: "instr", postgres: "strpos")

  /// The clause before an `OFFSET` without a limit.
  static let unlimited = SQL(sqlite: "LIMIT -1", postgres: "")

  /// The order in which rows were added.
  static let age = SQL(sqlite: "rowid", postgres: "added_at")

  /// The texts of a JSON array that is given as text.
  static func elements(of place: String) -> SQL {
    SQL(
      sqlite: "SELECT value FROM json_each(\(place))",
      postgres: "SELECT json_array_elements_text(\(place)::json)")
  }

  /// The time of the database's machine, in seconds since 1970: the one clock that all servers share.
  static let databaseTime = SQL(
    sqlite: "CAST(strftime('%s', 'now') AS REAL)", postgres: "extract(epoch FROM now())::float8")

  // MARK: Locks

  // In SQLite a transaction that writes has the lock of the whole database from its beginning.

  /// Locks the rows that were read until the end of the transaction: no other transaction can change or lock them.
  package static let held = SQL(sqlite: "", postgres: "FOR NO KEY UPDATE")

  /// Locks the rows against changes; several transactions may hold this lock at once.
  static let heldByMany = SQL(sqlite: "", postgres: "FOR SHARE")

  /// Like ``held``, and also keeps other transactions from referring to the row.
  static let heldAlone = SQL(sqlite: "", postgres: "FOR UPDATE")

  /// Like ``heldAlone``, and skips rows that another transaction has locked.
  static let passingOverHeld = SQL(sqlite: "", postgres: "FOR UPDATE SKIP LOCKED")
}
