#if !canImport(Security)
  internal import Foundation
  internal import GRDB
  internal import PingLogger

  extension SealedDatabase: RecordEngine {
    package func records<Record>(_ kind: RecordKind<Record>, service: String) -> any RecordStore<Record> {
      SQLiteRecords(database: self, kind: kind, service: service)
    }
  }

  /// The records of one kind and service in a ``SealedDatabase``.
  private struct SQLiteRecords<Record: Codable & Sendable, Failure: Error>: RecordStore {
    let database: SealedDatabase<Failure>
    let kind: RecordKind<Record>
    let service: String

    func write<Value: Sendable>(
      _ what: String, _ body: @escaping @Sendable (any RecordTable<Record>) throws -> Value
    ) async throws -> Value {
      try await database.write(what) { try body(table($0, $1)) }
    }

    func read<Value: Sendable>(
      _ what: String, _ body: @escaping @Sendable (any RecordTable<Record>) throws -> Value
    ) async throws -> Value {
      try await database.read(what) { try body(table($0, $1)) }
    }

    private func table(_ db: Database, _ sealer: RecordSealer) -> SQLiteTable<Record> {
      SQLiteTable(db: db, sealer: sealer, kind: kind, service: service, logger: database.logger)
    }
  }

  /// The error of `change` in ``RecordTable/update(_:_:)``, which is not a failure of the database.
  struct RefusedChange: Error {
    let cause: any Error
  }

  /// The records of one kind and service, inside a transaction.
  private struct SQLiteTable<Record: Codable & Sendable>: RecordTable {
    let db: Database
    let sealer: RecordSealer
    let kind: RecordKind<Record>
    let service: String
    let logger: any Logger

    func read(_ id: String) throws -> Record? {
      let (clause, arguments) = clause(for: id)
      let box = try Data.fetchOne(
        db, sql: "SELECT box FROM \(kind.table) WHERE \(clause)", arguments: arguments)
      return try box.map { try open($0, id) }
    }

    func records(where conditions: [RecordCondition], limit: Int?) throws -> [Record] {
      let (clause, arguments) = clause(for: conditions)
      // For SQLite, a negative limit is no limit.
      let rows = try Row.fetchCursor(
        db, sql: "SELECT id, box FROM \(kind.table) WHERE \(clause) ORDER BY created, id LIMIT ?",
        arguments: arguments + [limit ?? -1])
      var records: [Record] = []
      while let row = try rows.next() {
        let id: String = row["id"]
        do { records.append(try open(row["box"], id)) } catch {
          logger.w("The stored \(kind.name) \(id) cannot be read and is left out", error: error.cause)
        }
      }
      return records
    }

    func count(where conditions: [RecordCondition]) throws -> Int {
      let (clause, arguments) = clause(for: conditions)
      return try Int.fetchOne(
        db, sql: "SELECT COUNT(*) FROM \(kind.table) WHERE \(clause)", arguments: arguments) ?? 0
    }

    func put(_ record: Record) throws {
      let id = kind.id(record)
      let box = try sealer.seal(try RecordCoder.encode(record), for: place(id))
      let columns = kind.columns(record).sorted { $0.key < $1.key }
      let names = keys + columns.map(\.key) + ["box"]
      let changes = names.dropFirst(keys.count).map { "\($0) = excluded.\($0)" }
      try db.execute(
        sql: """
          INSERT INTO \(kind.table) (\(names.joined(separator: ", ")))
          VALUES (\(names.map { _ in "?" }.joined(separator: ", ")))
          ON CONFLICT (\(keys.joined(separator: ", "))) DO UPDATE SET \(changes.joined(separator: ", "))
          """,
        arguments: clause(for: id).arguments + StatementArguments(columns.map { databaseValue($0.value) }) + [
          box
        ])
    }

    func update<Value>(_ id: String, _ change: (inout Record) throws -> Value) throws -> Value? {
      guard var record = try read(id) else { return nil }
      let value: Value
      do { value = try change(&record) } catch { throw RefusedChange(cause: error) }
      try put(record)
      return value
    }

    func remove(_ id: String) throws -> Bool { try delete(clause(for: id)) > 0 }

    func remove(where conditions: [RecordCondition], limit: Int?) throws -> Int {
      let (clause, arguments) = clause(for: conditions)
      guard let limit else { return try delete((clause, arguments)) }
      return try delete(
        (
          "service = ? AND id IN (SELECT id FROM \(kind.table) WHERE \(clause) ORDER BY created, id LIMIT ?)",
          [service] + arguments + [limit]
        ))
    }

    func removeAll() throws { _ = try delete(clause(for: [])) }

    private func delete(_ which: (clause: String, arguments: StatementArguments)) throws -> Int {
      try db.execute(sql: "DELETE FROM \(kind.table) WHERE \(which.clause)", arguments: which.arguments)
      return db.changesCount
    }

    private var keys: [String] { kind.isSingle ? ["service"] : ["service", "id"] }

    private func clause(for id: String) -> (clause: String, arguments: StatementArguments) {
      (keys.map { "\($0) = ?" }.joined(separator: " AND "), kind.isSingle ? [service] : [service, id])
    }

    private func clause(for conditions: [RecordCondition]) -> (clause: String, arguments: StatementArguments)
    {
      var (clause, arguments): (String, StatementArguments) = ("service = ?", [service])
      for condition in conditions {
        switch condition {
        // Not an argument: SQLite uses a partial index only for a literal value.
        case .equal(let column, .flag(let flag)): clause += " AND \(column) = \(flag ? 1 : 0)"
        case .equal(let column, let value):
          clause += " AND \(column) = ?"
          arguments += [databaseValue(value)]
        case .before(let column, let date):
          clause += " AND \(column) < ?"
          arguments += [date.microseconds]
        case .notBefore(let column, let date):
          clause += " AND \(column) >= ?"
          arguments += [date.microseconds]
        }
      }
      return (clause, arguments)
    }

    private func databaseValue(_ value: RecordValue) -> DatabaseValue {
      switch value {
      case .text(let text): text.databaseValue
      case .hashed(let texts): sealer.hash(texts).databaseValue
      case .time(let date): date.microseconds.databaseValue
      case .flag(let flag): flag.databaseValue
      case .none: .null
      }
    }

    private func place(_ id: String) -> String { RecordSealer.place(kind.name, service, id) }

    private func open(_ box: Data, _ id: String) throws(DamagedRecord) -> Record {
      do { return try RecordCoder.decode(Record.self, from: sealer.open(box, for: place(id))) } catch {
        throw DamagedRecord(kind: kind.name, id: id, cause: error)
      }
    }
  }
#endif
