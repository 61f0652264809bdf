internal import Foundation
internal import JourneyStore
internal import Logging

/// What happens before a database is used: its tables are brought up to date, and whatever speaks against using it ends the
/// start.
enum PostgresOpening {
  /// Checks the server, and creates or migrates the tables, under the lock of the version's row.
  ///
  /// - Throws: ``StoreError/unavailable(_:)``, saying what is wrong and what to do.
  static func prepare(_ transaction: PostgresTransaction, place: String, _ logger: Logger) async throws {
    try await checkServer(transaction, place: place, logger)
    transaction.later(
      "INSERT INTO sealring_schema (id, version, oldest) VALUES (1, 0, 1) ON CONFLICT DO NOTHING")
    let known =
      try await transaction.all(
        "sealring_schema", "SELECT version, oldest FROM sealring_schema WHERE id = 1 FOR UPDATE", []
      ) { (version: try $0.integer("version"), oldest: try $0.integer("oldest")) }.first ?? (0, 1)
    guard known.oldest <= PostgresSchema.version else {
      throw StoreError.unavailable(
        "\(place) was changed by a newer version of this server (its schema is \(known.version), and needs at least "
          + "\(known.oldest); this server has \(PostgresSchema.version)); run that version, or restore an older backup"
      )
    }
    let missing = PostgresSchema.migrations.dropFirst(known.version)
    for migration in missing {
      logger.info("bringing the tables up to date: \(migration.name)")
      // Their text is sent as it is: it holds no values.
      _ = try await transaction.run(migration.statements.map { Statement(literal: $0) })
    }
    if let last = missing.last {
      try await transaction.run(
        "UPDATE sealring_schema SET version = ?, oldest = ? WHERE id = 1",
        [PostgresSchema.version, last.oldest])
    }
    for table in PostgresSchema.tableNames where try await !hasTable(table, transaction) {
      throw StoreError.unavailable(
        "\(place) has no table \(table), although its schema has version \(max(known.version, PostgresSchema.version)); "
          + "restore the database from a backup")
    }
  }

  private static func hasTable(_ name: String, _ transaction: PostgresTransaction) async throws -> Bool {
    try await transaction.run("SELECT to_regclass(?::text) IS NOT NULL", [name]).flag()
  }

  static func checkServer(
    _ transaction: PostgresTransaction, place: String, _ logger: Logger
  ) async throws {
    let settings = ["synchronous_commit", "fsync", "server_encoding", "transaction_read_only"]
    let answers = try await transaction.run(
      [Statement("SELECT pg_is_in_recovery()")]
        + settings.map { Statement("SELECT current_setting(?::text, true) AS value", [$0]) })
    let values = try answers.dropFirst().map { answer in
      try answer.all("pg_settings") { try $0.optionalText("value") }.first ?? nil
    }
    let isReplica = try answers[0].flag()
    guard !isReplica, values[3] != "on" else {
      throw StoreError.unavailable(
        "\(place) is \(isReplica ? "a replica" : "read-only"); name the primary, or several hosts with "
          + "target_session_attrs=read-write")
    }
    if values[0] == "off" {
      throw StoreError.unavailable(
        "\(place) has synchronous_commit off, so what is stored would not be safe; set it to on for this user or database"
      )
    }
    if values[1] == "off" {
      logger.warning(
        "\(place) has fsync off: a crash of its machine may damage the database; use that for tests only")
    }
    if let encoding = values[2], encoding.uppercased() != "UTF8" {
      throw StoreError.unavailable(
        "\(place) has the encoding \(encoding); create the database with ENCODING 'UTF8'")
    }
  }

  /// The server key of `files` and the database's ledger, both made if the database is new. The version's row is locked, so
  /// that of servers that start together one makes them.
  ///
  /// - Throws: ``StoreError/corrupt(_:)`` when the key belongs to another database, ``StoreError/unavailable(_:)`` when it is
  ///   missing.
  static func secrets(
    _ transaction: PostgresTransaction, _ files: StoreDirectory, _ randomBytes: @Sendable (Int) -> [UInt8]
  ) async throws -> (ServerKey, SealedLedger) {
    let answers = try await transaction.run([
      Statement("SELECT id FROM sealring_schema WHERE id = 1 FOR UPDATE"),
      Statement("SELECT header FROM evidence_ledger WHERE id = 1"), SecretSQL.one(SealedLedger.keyName),
      Statement("SELECT EXISTS (SELECT 1 FROM server_secrets)"),
    ])
    let key = try ServerKey(in: files, mayCreate: try !answers[3].flag(), randomBytes: randomBytes)
    if let line = try answers[1].all("evidence_ledger", { try $0.text() }).first {
      // Only the right key opens it.
      _ = try SealedLedger.signer(answers[2].sealedSecret(), serverKey: key)
      return (key, try SealedLedger(line: line, serverKey: key))
    }
    let (ledger, sealedKey) = try SealedLedger.create(serverKey: key, randomBytes: randomBytes)
    _ = try await transaction.run([
      SecretSQL.add(SealedLedger.keyName, sealedKey),
      .insert(["id": 1, "header": ledger.line, "seal": ledger.seal()], into: "evidence_ledger"),
    ])
    return (key, ledger)
  }
}
