internal import EvidenceLedger
package import Foundation

/// One transaction on a whole database of either kind, which is read for a backup, inspected, or filled by a restore.
package protocol WholeDatabase: SQLReader {
  var kind: StoreKind { get }

  func ask<Value>(_ question: SQLQuestion<Value>) async throws -> Value

  /// Hands out the rows of a query, with few of them in memory.
  func rows(_ sql: String, _ visit: ([StoredValue]) throws -> Void) async throws
}

/// All columns, in the order of each table's.
private let columns = SQLStatement(
  SQL(
    sqlite: """
      SELECT s.name AS table_name, c.name AS column_name, c.type AS type
        FROM sqlite_schema AS s JOIN pragma_table_info(s.name) AS c WHERE s.type = 'table' ORDER BY s.name, c.cid
      """,
    postgres: """
      SELECT table_name::text, column_name::text, data_type::text AS type FROM information_schema.columns
        WHERE table_schema = current_schema() ORDER BY table_name, ordinal_position
      """)
).rows(of: "columns") { row in
  (
    table: try row.text("table_name"),
    column: StoredTable.Column(try row.text("column_name"), .init(sqlType: try row.text("type")))
  )
}

// MARK: - Reading

extension WholeDatabase {
  package func read<Value>(_ question: SQLQuestion<Value>) async throws -> Value { try await ask(question) }

  /// The tables of the store. A table comes before those that refer to it.
  package func tables() async throws -> [StoredTable] {
    let columns = try await ask(columns)
    // Only databases of early versions have the last one.
    return (StoreTable.all.map(\.name) + ["oath_lockouts"]).compactMap { name in
      let own = columns.filter { $0.table == name }.map(\.column)
      return own.isEmpty ? nil : StoredTable(name, own)
    }
  }

  /// The server key of the folder, if it is the database's.
  ///
  /// - Throws: ``StoreError`` when the folder has no key, or not the one that the database uses.
  package func key(in directory: URL) async throws -> ServerKey {
    guard let key = try ServerKey(existingIn: StoreDirectory(directory)) else {
      throw StoreError.unavailable(
        "\(directory.path) has no server.key; name the folder that the server has as --data")
    }
    let names = Set(try await tables().map(\.name))
    if names.contains("server_keys") {
      let instant = ContinuousClock.now
      try key.take(try await ask(ServerKeySQL.entries), askedAt: instant)
      try key.requireCurrent()
    }
    let count = SQLStatement("SELECT count(*) FROM evidence_ledger").integer
    if names.contains("evidence_ledger"), try await ask(count) > 0 {
      _ = try await ask(EvidenceSQL.signer(key))
    }
    return key
  }

  /// Hands out everything.
  ///
  /// - Parameters:
  ///   - version: how many of the kind's migrations the database has.
  ///   - directory: the folder of `server.key`. A backup with another database's key would be useless, and that would show only when it is
  ///     needed.
  package func backUp(version: Int, keyIn directory: URL, _ visit: (BackupItem) throws -> Void) async throws {
    try visit(.origin(kind, schema: version, key: try await key(in: directory).currentID))
    let tables = try await tables()
    for table in StoreTable.all where table.since[kind] ?? .max <= version {
      guard tables.contains(where: { $0.name == table.name }) else {
        throw StoreError.unavailable(
          "the database has no table \(table.name); restore it from a backup")
      }
    }
    for table in tables {
      try visit(.table(table))
      try await rows("SELECT \(table.columnList) FROM \(table.name)\(table.order)") { try visit(.row($0)) }
    }
  }
}

// MARK: - Filling

/// The number of rows that are sent at once.
private let rowsAtOnce = 200

extension WholeDatabase {
  /// Inserts the rows of a backup, and verifies it to its end. The tables must be as they were when the rows were read.
  ///
  /// - Parameter file: called with the name and the parts of each file in the backup.
  @available(macOS 14, iOS 17, *)
  package func fill(from backup: BackupReader, file: (String, [UInt8]) throws -> Void) async throws {
    let known = Dictionary(uniqueKeysWithValues: try await tables().map { ($0.name, $0) })
    var mapping: RowMapping?
    var current = StoredTable("", [])
    var decisions = Numbering()
    var waiting: [SQLStatement] = []
    // Inserted last, because from then on everything sealed under a retired key is refused.
    var keys: [SQLStatement] = []
    while let item = try backup.next() {
      switch item {
      case .origin: break
      case .table(let table):
        current = table
        mapping = try RowMapping.make(table, to: known[table.name])
        // Migrations add some rows, which the backup has, too.
        if mapping != nil { waiting.append(SQLStatement(SQL("DELETE FROM \(table.name)"))) }
      case .row(let row):
        guard let mapping else {
          try RowMapping.requireNoRow(of: current)
          continue
        }
        var values = try mapping.row(row)
        if kind == .sqlite, let index = mapping.index(of: "number") {
          try decisions.adapt(&values[index], of: current)
        }
        let insertion = SQLStatement(SQL(mapping.insertion), StatementValues(values))
        if current.name == "server_keys" { keys.append(insertion) } else { waiting.append(insertion) }
        guard waiting.count >= rowsAtOnce else { continue }
        try await ask(.silent(waiting))
        waiting = []
      }
    }
    try await ask(.silent(waiting + keys))
    _ = try backup.finish(file: file)
  }

  /// Verifies the whole chain of the ledger, and that the key opens it and all secrets of the servers. `nil` when there is no ledger.
  package func verifiedLedger(_ key: ServerKey) async throws -> RestoredLedger? {
    let secrets = try await ask(
      SQLStatement("SELECT name, sealed FROM server_secrets").rows(of: "server_secrets") {
        (name: try $0.text("name"), sealed: try $0.bytes("sealed"))
      })
    for (name, sealed) in secrets { _ = try key.open(sealed, named: name, in: "server_secrets") }
    guard let ledger = try await ask(EvidenceSQL.ledger(key)) else { return nil }
    let removed = try await ask(EvidenceSQL.removed(of: ledger)) ?? 0
    return RestoredLedger(ledger, try await walk(ledger, removed: removed))
  }
}

/// The conversion of PostgreSQL's numbers for SQLite.
private struct Numbering {
  private var latest = Int64.min

  /// - Throws: ``StoreError/unavailable(_:)`` for an entry of a further lane of the ledger, which SQLite does not have.
  mutating func adapt(_ value: inout StoredValue, of table: StoredTable) throws {
    guard case .integer(let given) = value else { return }
    if table.name == "evidence", EvidenceLane(of: given) != .first { throw RowMapping.hasLanes }
    // PostgreSQL's numbers of decisions are times, which several may share; here each has its own, in the same order.
    guard table.name == "push_decisions" else { return }
    latest = max(given, latest < .max ? latest + 1 : latest)
    value = .integer(latest)
  }
}

extension StoredValue.Kind {
  /// - Parameter name: the type of a column, as SQLite or PostgreSQL calls it.
  fileprivate init(sqlType name: String) {
    self =
      switch name.lowercased() {
      case "boolean": .flag
      case "bigint", "integer", "smallint": .integer
      case "double precision", "real", "numeric": .real
      case "bytea", "blob": .bytes
      default: .text
      }
  }
}
