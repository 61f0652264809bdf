internal import Foundation
internal import JourneyStore

/// Statements that take effect together or not at all. What they read may be changed by others until a row is locked (read committed), so a
/// decision is one conditional statement, or is made under the lock of a row.
///
/// Statements are sent as late as possible, and several at once: `BEGIN` with the first, and those whose answers nobody
/// needs with the next, or with `COMMIT`.
final class PostgresTransaction {
  let connection: PostgresConnection
  private let prepares: Bool

  /// How long an answer may take. Seconds.
  private let patience: TimeInterval
  private var waiting: [Statement] = []
  private(set) var hasBegun = false

  /// Whether the end has been sent: from then on only the database knows whether it was reached.
  private(set) var isEnding = false

  // MARK: How it begins, which says how much time it has

  /// The isolation level is explicit, because the database's default may be another.
  private static let begin = Statement("BEGIN ISOLATION LEVEL READ COMMITTED")

  /// For requests, which wait for each other's locks. A server that is frozen in the middle, or cut off by the network, would hold its
  /// locks for good, and all others would wait for the ledger's.
  static let requests = [begin, Statement("SET LOCAL idle_in_transaction_session_timeout = 5000")]

  /// For reading or filling a whole database, at the pace of what takes or gives the rows: a pipe may stand still for minutes.
  static let wholeDatabase =
    [begin]
    + ["idle_in_transaction_session", "statement", "lock"].map { Statement("SET LOCAL \($0)_timeout = 0") }

  private let beginning: [Statement]
  private static let commit = Statement("COMMIT")
  private static let rollback = Statement("ROLLBACK")

  init(
    _ connection: PostgresConnection, prepares: Bool, patience: TimeInterval,
    beginning: [Statement] = requests
  ) {
    self.connection = connection
    self.beginning = beginning
    self.prepares = prepares
    self.patience = patience
  }

  /// Carries out the statements in order, in one round trip.
  func run(_ statements: [Statement]) async throws -> [SQLAnswer] {
    let all = (hasBegun ? [] : beginning) + waiting + statements
    waiting = []
    hasBegun = true
    return try await connection.run(all, prepares: prepares, patience: patience).suffix(statements.count)
  }

  @discardableResult
  func run(_ sql: String, _ values: StatementValues = []) async throws -> SQLAnswer {
    try await run([Statement(sql, values)]).first ?? SQLAnswer()
  }

  /// Carries out the statement with the next one, or at the end, which then throws its error.
  func later(_ statement: Statement) { waiting.append(statement) }

  func later(_ sql: String, _ values: StatementValues = []) { later(Statement(sql, values)) }

  /// Asks the question in one round trip.
  func ask<Value>(_ question: SQLQuestion<Value>) async throws -> Value {
    try await question.read(run(question.statements.map { Statement($0) })[...])
  }

  /// Carries out an operation without ending the transaction.
  func carryOut<Value>(_ operation: SQLOperation<Value>) async throws -> Value {
    var operation = operation
    while true {
      switch try await operation.decide(run(operation.statements.map { Statement($0) })[...]) {
      case .next(let next): operation = next
      case .done(let value, let changes):
        waiting += changes.map { Statement($0) }
        return value
      }
    }
  }

  /// Makes all changes durable in one round trip; in none when there are no changes.
  func end() async throws {
    guard hasBegun || !waiting.isEmpty else { return }
    isEnding = true
    // A batch by itself is a transaction.
    let answers = try await connection.run(
      waiting + (hasBegun ? [Self.commit] : []), prepares: prepares, patience: patience)
    guard !hasBegun || answers.last?.command == "COMMIT" else {
      throw PostgresError("the transaction was rolled back")
    }
  }

  /// Undoes everything. A connection that fails to do so is ended.
  func undo() async {
    guard hasBegun else { return }
    do { _ = try await connection.run([Self.rollback], prepares: prepares, patience: patience) } catch {
      connection.end()
    }
  }
}
