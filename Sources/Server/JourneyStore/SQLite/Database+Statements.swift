internal import GRDB

extension Database {
  /// The answers to statements, in order. A statement that SQLite does not need, or that is skipped after a decisive answer, has an empty
  /// answer.
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

  /// Carries out an operation in the caller's transaction.
  ///
  /// - Parameter serverKey: the server key, which may be outdated; `nil` while the database is being opened.
  /// - Returns: a failure when a decision threw before anything was changed: then there is nothing to undo.
  func carryOut<Value>(
    _ operation: SQLOperation<Value>, _ serverKey: ServerKey?
  ) throws -> Result<Value, any Error> {
    let before = totalChangesCount
    var operation = operation
    do {
      while true {
        let answers = try answers(to: operation.statements)
        let decision: SQLOperation<Value>.Decision
        do { decision = try operation.decide(answers[...]) } catch { throw serverKey?.judged(error) ?? error }
        switch decision {
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
