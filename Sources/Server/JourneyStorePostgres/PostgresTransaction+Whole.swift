internal import Foundation
internal import JourneyStore

extension PostgresTransaction: WholeDatabase {
  var kind: StoreKind { .postgres }

  /// Opens a connection for one transaction. Statements are not prepared by name, because a pooler may hand out a connection on which
  /// another client has prepared them.
  static func connect(_ address: String) async throws -> PostgresTransaction {
    let connection = try await PostgresConnection.open(
      PostgresAddress(address), patience: PostgresLimits().patience, try LibPQ())
    // A large table may have to be sorted before its first rows arrive.
    return PostgresTransaction(connection, prepares: false, patience: 600, beginning: wholeDatabase)
  }

  /// Runs `body` on a connection of its own, in a transaction that sees one moment and changes nothing; a replica will do. Nothing is
  /// repeated, because what has been read was used already.
  static func read<Value>(
    _ address: String, _ body: (PostgresTransaction) async throws -> Value
  ) async throws -> Value {
    do {
      let transaction = try await connect(address)
      defer { transaction.connection.end() }
      transaction.later(Statement(literal: "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY"))
      return try await body(transaction)
    } catch {
      throw StoreError.translating(error, place: PostgresPool.place(address), subject: "the backup")
    }
  }

  /// Hands out the rows of a query, a few at a time, because a row may have megabytes.
  func rows(_ sql: String, _ visit: ([StoredValue]) throws -> Void) async throws {
    later(Statement(literal: "DECLARE sealring_rows NO SCROLL CURSOR FOR \(sql)"))
    while true {
      let answer = try await run([Statement(literal: "FETCH 100 FROM sealring_rows")])[0]
      guard !answer.rows.isEmpty else { break }
      for row in answer.rows { try visit(row) }
    }
    later(Statement(literal: "CLOSE sealring_rows"))
  }

  /// The version of the server's tables.
  ///
  /// - Throws: ``StoreError/unavailable(_:)`` when there are none.
  func schemaVersion() async throws -> Int {
    guard let known = try await schema() else {
      throw StoreError.unavailable(
        "the database has no tables of Sealring; name the one that the server has as --database")
    }
    return known.version
  }
}

extension SQLQuestion where Value == [String: String] {
  /// PostgreSQL's settings by name, without those that it does not know.
  static func settings(_ names: [String]) -> SQLQuestion {
    let values = names.map { name in
      SQLStatement("SELECT current_setting(?::text, true) AS value", [name])
        .row(of: "pg_settings") { try $0.optionalText("value") }
    }
    return SQLQuestion<[String??]>.each(values).map {
      zip(names, $0).reduce(into: [:]) { $0[$1.0] = $1.1 ?? nil }
    }
  }
}
