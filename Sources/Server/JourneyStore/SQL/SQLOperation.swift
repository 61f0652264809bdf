/// One transaction as data: questions, a decision by their answers, and the statements that follow from it. A database can carry it out in
/// few round trips, share one commit among several operations, and repeat it after a conflict. Two operations combine into one transaction
/// (``then(_:)``).
///
/// Questions may change rows, too. An error that a decision throws undoes everything.
public struct SQLOperation<Value: Sendable>: Sendable {
  package enum Decision: Sendable {
    /// Ends with statements whose answers nobody needs.
    case done(Value, [SQLStatement] = [])

    case next(SQLOperation)
  }

  package let statements: [SQLStatement]

  /// The whole operation, when its changes stay whatever the answers say. It then takes one round trip.
  package private(set) var certain: SQLQuestion<Value>?

  /// Decides by the answers to ``statements``.
  package let decide: @Sendable (ArraySlice<SQLAnswer>) throws -> Decision

  /// Changes that stay whatever their answers say. An error in reading the answers reaches the caller and undoes nothing.
  package static func certain(_ changes: SQLQuestion<Value>) -> SQLOperation {
    SQLOperation(statements: changes.statements, certain: changes) { .done(try changes.read($0)) }
  }

  /// Asks the question, then decides by its answer.
  package static func ask<Answer>(
    _ question: SQLQuestion<Answer>, _ decide: @escaping @Sendable (Answer) throws -> Decision
  ) -> SQLOperation {
    SQLOperation(statements: question.statements) { try decide(question.read($0)) }
  }

  /// This operation followed by another one, in the same transaction.
  package func then<Other: Sendable>(
    _ next: @escaping @Sendable (Value) throws -> SQLOperation<Other>.Decision
  ) -> SQLOperation<Other> {
    SQLOperation<Other>(statements: statements) { [decide] answers in
      switch try decide(answers) {
      case .next(let operation): return .next(operation.then(next))
      case .done(let value, let changes):
        switch try next(value) {
        case .done(let other, let more): return .done(other, changes + more)
        case .next(let operation): return .next(operation.after(changes))
        }
      }
    }
  }

  /// This operation preceded by statements whose answers nobody needs.
  func after(_ changes: [SQLStatement]) -> SQLOperation {
    SQLOperation(statements: changes + statements) { [decide] in try decide($0.dropFirst(changes.count)) }
  }
}

/// An error by which a decision undoes the transaction and still gives an answer.
package struct Undone<Answer: Sendable>: Error {
  package let answer: Answer
}
