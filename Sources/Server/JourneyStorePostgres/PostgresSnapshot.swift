internal import Concurrency
internal import Foundation
internal import JourneyStore

/// One moment of a database, read in one transaction that changes nothing; a replica will do.
struct PostgresSnapshot {
  let transaction: PostgresTransaction

  /// Waits for an answer this long: the first rows of a large table may have to be sorted. Seconds.
  static let patience: TimeInterval = 600

  /// Rows that are in memory at once. One may have megabytes.
  static let rowsAtOnce = 100

  /// Runs `body` on a connection of its own. Nothing is repeated: what has been read was used already.
  static func read<Value>(
    _ address: String, _ body: (PostgresSnapshot) async throws -> Value
  ) async throws -> Value {
    let place = PostgresLink.place(address)
    do {
      let connection = try await PostgresConnection.open(
        PostgresAddress(address), patience: PostgresLimits().patience, try LibPQ(), roundTrips: Locked(0))
      defer { connection.end() }
      // Not prepared by name: a pooler may hand out a connection on which somebody else has done that.
      let transaction = PostgresTransaction(
        connection, prepares: false, patience: PostgresSnapshot.patience, pace: .wholeDatabase)
      transaction.later(Statement(literal: "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY"))
      return try await body(PostgresSnapshot(transaction: transaction))
    } catch {
      throw StoreError.translating(error, place: place, subject: "the backup")
    }
  }

  /// Hands out the rows of a query, a few at a time.
  func rows(_ sql: String, _ visit: (SQLAnswer) throws -> Void) async throws {
    transaction.later(Statement(literal: "DECLARE sealring_rows NO SCROLL CURSOR FOR \(sql)"))
    while true {
      let answer = try await transaction.run(
        [Statement(literal: "FETCH \(Self.rowsAtOnce) FROM sealring_rows")])[0]
      guard !answer.rows.isEmpty else { break }
      try visit(answer)
    }
    transaction.later(Statement(literal: "CLOSE sealring_rows"))
  }

  /// Whether the server's tables are there.
  ///
  /// - Throws: ``StoreError/unavailable(_:)`` when they are not, or a newer version has made them.
  func schemaVersion() async throws -> Int {
    let isThere = try await transaction.run("SELECT to_regclass('sealring_schema') IS NOT NULL").flag()
    guard isThere,
      let version = try await transaction.all(
        "sealring_schema", "SELECT version FROM sealring_schema WHERE id = 1", [], { try $0.integer() }
      ).first, version > 0
    else {
      throw StoreError.unavailable(
        "the database has no tables of Sealring; name the one that the server has as --database")
    }
    return version
  }

  /// The server key of the folder, if the database is its own.
  func key(in directory: URL) async throws -> ServerKey {
    guard let key = try ServerKey(existingIn: StoreDirectory(directory)) else {
      throw StoreError.unavailable(
        "\(directory.path) has no server.key; name the folder that the server has as --data")
    }
    let instant = ContinuousClock.now
    let sealed = try await transaction.ask(ServerKeySQL.sealedSecret(SealedLedger.keyName))
    if try await transaction.run("SELECT to_regclass('server_keys') IS NOT NULL").flag() {
      try key.take(await transaction.ask(ServerKeySQL.entries), askedAt: instant)
    }
    // Only the right key opens it.
    if sealed != nil { _ = try SealedLedger.signer(sealed, serverKey: key) }
    return key
  }
}

extension StoredTable {
  /// The tables of a database; those that others refer to come first.
  static func all(in transaction: PostgresTransaction) async throws -> [StoredTable] {
    let references = try await transaction.all(
      "pg_constraint",
      """
      SELECT child.relname::text AS child, parent.relname::text AS parent
        FROM pg_constraint JOIN pg_class AS child ON child.oid = conrelid
          JOIN pg_class AS parent ON parent.oid = confrelid
        WHERE contype = 'f'
          AND child.relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = to_regclass('sealring_schema'))
      """, []
    ) { (child: try $0.text("child"), parent: try $0.text("parent")) }
    var parents: [String: Set<String>] = [:]
    for (child, parent) in references { parents[child, default: []].insert(parent) }
    var tables: [StoredTable] = []
    for name in parentsFirst(PostgresSchema.tableNames, parents: parents) {
      let columns = try await transaction.all(
        "information_schema.columns",
        """
        SELECT column_name::text AS name, data_type::text AS type FROM information_schema.columns
          WHERE table_schema = current_schema() AND table_name = ? ORDER BY ordinal_position
        """, [name]
      ) { Column(try $0.text("name"), Self.kind(try $0.text("type"))) }
      guard !columns.isEmpty else {
        throw StoreError.unavailable("the database has no table \(name); restore it from a backup")
      }
      tables.append(StoredTable(name, columns))
    }
    return tables
  }

  private static func kind(_ type: String) -> StoredValue.Kind {
    switch type {
    case "boolean": .flag
    case "bigint", "integer", "smallint": .integer
    case "double precision", "real", "numeric": .real
    case "bytea": .bytes
    default: .text
    }
  }
}
