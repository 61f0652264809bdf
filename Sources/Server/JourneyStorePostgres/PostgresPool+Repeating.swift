internal import Concurrency
internal import Foundation
internal import JourneyStore

/// Operations on connections of the pool, which are repeated after failures.
extension PostgresPool {
  func write<Value: Sendable>(
    _ subject: @autoclosure () -> String, patience: TimeInterval? = nil,
    _ body: @Sendable (PostgresTransaction) async throws -> Value
  ) async throws -> Value {
    try await repeating(subject()) { isUncertain in
      try await withConnection { connection in
        let transaction = PostgresTransaction(
          connection, prepares: prepares.withLock { $0 }, patience: patience ?? limits.statement)
        do {
          let value = try await body(transaction)
          try await transaction.end()
          return value
        } catch {
          isUncertain = transaction.isEnding
          await transaction.undo()
          throw error
        }
      }
    }
  }

  func run(
    _ subject: @autoclosure () -> String, _ statements: [Statement], isRead: Bool
  ) async throws -> [SQLAnswer] {
    try await repeating(subject()) { isUncertain in
      isUncertain = !isRead
      return try await withConnection {
        try await $0.run(statements, prepares: prepares.withLock { $0 }, patience: limits.statement)
      }
    }
  }

  func ask<Value>(_ question: SQLQuestion<Value>) async throws -> Value {
    try await question.read(run("", question.statements.map { Statement($0) }, isRead: true)[...])
  }

  /// Repeats attempts that lost a conflict with others, after a short random pause, and attempts that a lost connection has certainly not
  /// carried out.
  ///
  /// - Parameter body: an attempt. It sets its argument when the attempt may be durable although it failed: then it is not repeated when the
  ///   connection was lost.
  private func repeating<Value: Sendable>(
    _ subject: @autoclosure () -> String, _ body: (_ isUncertain: inout Bool) async throws -> Value
  ) async throws -> Value {
    var number = 1
    while true {
      var isUncertain = false
      do {
        return try await body(&isUncertain)
      } catch let error as PostgresError {
        // A pooler may report by itself, with a state of class 08, that it has lost PostgreSQL.
        let isCertain =
          !isUncertain
          || !error.isUncertain && !error.state.hasPrefix("57P") && !error.state.hasPrefix("08")
        let isWorthwhile =
          error.isConflict || error.isAboutPreparedStatements || error.isOfOldForm && prepares.withLock { $0 }
          || error.endsConnection && isCertain && error.state != "08P01"
            // A second attempt finds another host, if there is one.
            && (!error.isUnanswered || number < 2)
        // A new connection has nothing prepared. If it meets the error again, a pooler has given it an old connection.
        let isPoolers = error.isOfOldForm && number > 2
        if error.isAboutPreparedStatements || isPoolers { prepares.withLock { $0 = false } }
        guard isWorthwhile, number < limits.attempts else {
          throw StoreError.translating(error, place: place, subject: subject())
        }
        let longest = min(0.2, 0.002 * Double(1 << number))
        try await Task.sleep(for: .seconds(.random(in: 0...longest)))
        number += 1
      } catch {
        throw StoreError.translating(error, place: place, subject: subject())
      }
    }
  }
}
