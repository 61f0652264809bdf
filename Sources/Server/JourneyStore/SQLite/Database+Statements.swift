internal import GRDB

extension Database {
  /// All rows of a query, or of a change that ends in `RETURNING`; the statement stays prepared.
  func all<Record>(
    _ table: String, _ sql: String, _ values: StatementValues, _ decode: (StoredRow) throws -> Record
  ) throws -> [Record] {
    var records: [Record] = []
    try each(table, sql, values) { records.append(try decode($0)) }
    return records
  }

  /// Looks at one row after the other, and holds one at a time.
  func each(
    _ table: String, _ sql: String, _ values: StatementValues, _ visit: (StoredRow) throws -> Void
  ) throws {
    try PreparedStatement(sql, in: self).run(values) { row in try visit(StoredRow(row, of: table)) }
  }

  /// How many rows the statement inserted, updated or deleted; it stays prepared.
  @discardableResult
  func change(_ sql: String, _ values: StatementValues) throws -> Int {
    try PreparedStatement(sql, in: self).run(values) { _ in }
    return changesCount
  }

  func insert(_ row: NewRow, into table: String) throws {
    try change("INSERT INTO \(table) (\(row.columns)) VALUES (\(row.places))", StatementValues(row.values))
  }
}

// MARK: - Operations

extension Database {
  /// The answers to statements, in order. What is not to be carried out, here or after a decisive answer, has an empty one.
  func answers(to statements: [SQLStatement]) throws -> [SQLAnswer] {
    var isDecided = false
    return try statements.map { statement in
      guard !isDecided, !statement.sql.sqlite.isEmpty else { return SQLAnswer() }
      let answer = try PreparedStatement(statement.sql.sqlite, in: self).answer(to: statement.values)
      isDecided = statement.isDecisive && answer.count != 1
      return answer
    }
  }

  func ask<Value>(_ question: SQLQuestion<Value>) throws -> Value {
    try question.read(answers(to: question.statements)[...])
  }

  /// Carries out an operation in the transaction of whoever calls.
  ///
  /// - Returns: a failure when a decision threw before anything was changed: then there is nothing to undo.
  func carryOut<Value>(
    _ operation: SQLOperation<Value>, _ serverKey: ServerKey
  ) throws -> Result<Value, any Error> {
    let before = totalChangesCount
    var operation = operation
    do {
      while true {
        let answers = try answers(to: operation.statements)
        switch try serverKey.judging({ try operation.decide(answers) }) {
        case .next(let next): operation = next
        case .done(let value, let changes):
          _ = try self.answers(to: changes)
          return .success(value)
        }
      }
    } catch  where !(error is DatabaseError) && totalChangesCount == before {
      return .failure(error)
    }
  }
}
