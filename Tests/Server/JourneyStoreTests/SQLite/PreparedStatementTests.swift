import GRDB
import Testing

@testable import JourneyStore

@Suite("Statements on SQLite") struct PreparedStatementTests {
  private func values(_ db: Database, _ sql: String, _ values: StatementValues) throws -> [StoredValue?] {
    try PreparedStatement(sql, in: db).answer(to: values).rows.flatMap(\.self)
  }

  @Test(
    arguments: [
      .text(""), .text("ä\u{0}\u{1F511} '?:name"), .text(String(repeating: "x", count: 100_000)), .bytes([]),
      .bytes([0, 255, 0]), .integer(.min), .integer(.max), .real(-0.5), .null(.text),
    ] as [StoredValue])
  func `a value comes back as it was given`(value: StoredValue) throws {
    try DatabaseQueue().write { db in
      let found = try values(db, "SELECT ? AS first, ?1 AS again", StatementValues([value]))
      #expect(found == [value, value])
    }
  }

  @Test func `flags are numbers, and columns are found by their names in any order`() throws {
    try DatabaseQueue().write { db in
      let flag = try values(db, "SELECT ?", StatementValues([.flag(true)]))
      #expect(flag == [.integer(1)])
      let found = try PreparedStatement("SELECT 1 AS a, 2 AS b, 3 AS c", in: db).answer(to: []).first("") {
        row in ["c", "a", "b", "a", "A", "", "ab"].map { try? row.integer($0) }
      }
      #expect(found == [3, 1, 2, 1, nil, nil, nil])
    }
  }

  /// Another process may change the schema, and SQLite then prepares the statement again.
  @Test(
    arguments: [
      "ALTER TABLE t ADD COLUMN d TEXT", "ALTER TABLE t DROP COLUMN a", "ALTER TABLE t RENAME COLUMN a TO z",
      "DROP TABLE t; CREATE TABLE t (b TEXT, a INTEGER)",
    ])
  func `columns have the names that the table has now`(change: String) throws {
    try DatabaseQueue().write { db in
      try db.execute(sql: "CREATE TABLE t (a INTEGER, b TEXT)")
      func read() throws -> String? {
        try db.execute(sql: "DELETE FROM t; INSERT INTO t (b) VALUES ('kept')")
        return try PreparedStatement("SELECT * FROM t", in: db).answer(to: []).first("t") {
          try $0.text("b")
        }
      }
      let before = try read()
      try db.execute(sql: change)
      let after = try read()
      #expect(before == "kept")
      #expect(after == "kept")
    }
  }

  @Test func `names stand for their values wherever they are`() throws {
    try DatabaseQueue().write { db in
      let given: StatementValues = ["low": 1, "high": 2, "unused": 3]
      let found = try values(db, "SELECT :high, :low, :high", given)
      #expect(found == [.integer(2), .integer(1), .integer(2)])
    }
  }

  @Test(
    arguments: [([], "SELECT ?"), ([1, 2], "SELECT ?"), (["low": 1], "SELECT :low, :high")]
      as [(StatementValues, String)])
  func `a value that is missing, or one too many, is refused`(given: StatementValues, sql: String) throws {
    try DatabaseQueue().write { db in
      _ = #expect(throws: DatabaseError.self) { try values(db, sql, given) }
    }
  }

  @Test func `a statement can be used again after an error, and keeps no value of before`() throws {
    try DatabaseQueue().write { db in
      try db.execute(sql: "CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT)")
      func insert(_ values: StatementValues) throws -> Int {
        try PreparedStatement("INSERT INTO t VALUES (?, ?)", in: db).answer(to: values).count
      }
      _ = try insert([1, "one"])
      let error = #expect(throws: DatabaseError.self) { try insert([1, "two"]) }
      #expect(error?.extendedResultCode == .SQLITE_CONSTRAINT_PRIMARYKEY)
      let changed = try insert([2, "two"])
      #expect(changed == 1)
      let kept = try values(db, "SELECT b FROM t ORDER BY a", [])
      #expect(kept == [.text("one"), .text("two")])
    }
  }
}
