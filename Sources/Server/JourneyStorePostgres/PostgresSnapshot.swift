internal import Concurrency
internal import Foundation
internal import JourneyStore

/// One moment of a database, read in one transaction that changes nothing; a replica will do.
struct PostgresSnapshot: WholeDatabase {
  let kind = StoreKind.postgres
  let transaction: PostgresTransaction

  /// Waits for an answer this long: the first rows of a large table may have to be sorted. Seconds.
  static let patience: TimeInterval = 600

  /// Rows that are in memory at once. One may have megabytes.
  static let rowsAtOnce = 100

  /// A connection of its own. Not prepared by name: a pooler may hand out a connection on which somebody else has done that.
  static func connect(_ address: String) async throws -> (PostgresConnection, PostgresTransaction) {
    let connection = try await PostgresConnection.open(
      PostgresAddress(address), patience: PostgresLimits().patience, try LibPQ(), roundTrips: Locked(0))
    return (
      connection,
      PostgresTransaction(connection, prepares: false, patience: patience, pace: .wholeDatabase)
    )
  }

  /// Runs `body` on a connection of its own. Nothing is repeated: what has been read was used already.
  static func read<Value>(
    _ address: String, _ body: (PostgresSnapshot) async throws -> Value
  ) async throws -> Value {
    do {
      return try await readPlainly(address) { snapshot, _ in try await body(snapshot) }
    } catch {
      throw StoreError.translating(error, place: PostgresLink.place(address), subject: "the backup")
    }
  }

  /// The same, with errors as they come.
  static func readPlainly<Value>(
    _ address: String, _ body: (PostgresSnapshot, PostgresConnection) async throws -> Value
  ) async throws -> Value {
    let (connection, transaction) = try await connect(address)
    defer { connection.end() }
    transaction.later(Statement(literal: "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY"))
    return try await body(PostgresSnapshot(transaction: transaction), connection)
  }

  func ask<Value>(_ question: SQLQuestion<Value>) async throws -> Value {
    try await transaction.ask(question)
  }

  /// Hands out the rows of a query, a few at a time.
  func rows(_ sql: String, _ visit: ([StoredValue]) throws -> Void) async throws {
    transaction.later(Statement(literal: "DECLARE sealring_rows NO SCROLL CURSOR FOR \(sql)"))
    while true {
      let answer = try await transaction.run(
        [Statement(literal: "FETCH \(Self.rowsAtOnce) FROM sealring_rows")])[0]
      guard !answer.rows.isEmpty else { break }
      for row in answer.rows { try visit(row) }
    }
    transaction.later(Statement(literal: "CLOSE sealring_rows"))
  }

  /// Whether the server's tables are there.
  ///
  /// - Throws: ``StoreError/unavailable(_:)`` when they are not, or a newer version has made them.
  func schemaVersion() async throws -> Int {
    guard let known = try await transaction.schema() else {
      throw StoreError.unavailable(
        "the database has no tables of Sealring; name the one that the server has as --database")
    }
    return known.version
  }
}
