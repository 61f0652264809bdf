internal import GRDB

/// SQLite's tables (``StoreTable``), and the migrations of databases that are in use.
enum StoreSchema {
  static var migrator: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    for migration in schema.migrations {
      migrator.registerMigration(migration.name, foreignKeyChecks: .immediate) { db in
        for statement in migration.statements { try db.execute(sql: statement) }
      }
    }
    return migrator
  }

  /// Brings the tables up to date; makes all of them at once in an empty database.
  static func migrate(_ database: some DatabaseWriter) throws {
    try database.write { db in
      guard try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_schema") == 0 else { return }
      for statement in schema.statements { try db.execute(sql: statement) }
      try db.execute(sql: "CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY)")
      for name in migrator.migrations {
        try db.execute(sql: "INSERT INTO grdb_migrations (identifier) VALUES (?)", arguments: [name])
      }
    }
    try migrator.migrate(database)
  }

  /// A table of the schema that the database no longer has.
  static func missingTable(in db: Database) throws -> String? {
    let there = try String.fetchSet(db, sql: "SELECT name FROM sqlite_schema WHERE type = 'table'")
    return schema.tableNames.first { !there.contains($0) }
  }

  /// How many migrations there are up to the one that makes the ledger.
  static let countBeforeLedger = 3

  static let schema = TableSchema(
    .sqlite,
    [
      .init("1 accounts, devices, sessions", after: [lockouts, sessionsByUser]),
      .init("2 attestation of devices"),
      .init("3 evidence", after: [evidenceIsNotChanged], always: evidenceIsAppended),
      .init("4 applications, transactions"), .init("5 push"), .init("6 retired push tokens"),
      .init("7 oath", after: [oathLockouts]), .init("8 webauthn"),
      .init(
        "9 lockouts by kind and device", before: ["ALTER TABLE lockouts RENAME TO earlier_lockouts"],
        after: lockoutsByKind),
      .init("10 state of accounts", after: [accountState]), .init("11 quotas"), .init("12 plain proofs"),
      .init("13 authentication levels", after: ["UPDATE sessions SET authenticated_at = created_at"]),
      .init("14 roles"),
      .init("15 realms", always: ["INSERT INTO realm_version (id, version) VALUES (1, 0)"]),
      .init(
        "16 retention of evidence", before: ["DROP TRIGGER evidence_is_not_changed"],
        always: [evidenceLosesContentOnly]),
      .init("17 server keys"), .init("18 identities"), .init("19 suspended journeys"), .init("20 grants"),
      .init("21 sessions by age", before: ["DROP INDEX sessions_by_user"]), .init("22 activity"),
      .init("23 places of sign-ins"), .init("24 no seals of retired keys", always: retiredKeys),
      .init("25 ids of accounts"), .init("26 SSH authorities"),
    ])

  // MARK: What tables refuse

  /// `evidence` has no owner: it stays when users and devices are deleted. The triggers refuse every statement but the insertion of the
  /// next entry. `INSERT OR REPLACE` deletes without `evidence_is_not_deleted`, and fails at `evidence_is_appended`.
  private static let evidenceIsAppended = [
    """
    CREATE TRIGGER evidence_ledger_keeps_header BEFORE UPDATE OF id, header ON evidence_ledger
      BEGIN SELECT RAISE(ABORT, 'the ledger of evidence keeps its header'); END
    """,
    """
    CREATE TRIGGER evidence_ledger_is_kept BEFORE DELETE ON evidence_ledger
      BEGIN SELECT RAISE(ABORT, 'the ledger of evidence cannot be deleted'); END
    """,
    """
    CREATE TRIGGER evidence_is_not_deleted BEFORE DELETE ON evidence
      BEGIN SELECT RAISE(ABORT, 'evidence cannot be deleted'); END
    """,
    """
    CREATE TRIGGER evidence_is_appended BEFORE INSERT ON evidence
      WHEN NEW.number IS NOT (SELECT coalesce(max(number), 0) + 1 FROM evidence)
      BEGIN SELECT RAISE(ABORT, 'evidence is appended only'); END
    """,
  ]

  /// Only the content of old entries may be removed: number and hash are left. How many have lost it is sealed.
  private static let evidenceLosesContentOnly = """
    CREATE TRIGGER evidence_is_not_changed BEFORE UPDATE ON evidence
      WHEN NEW.number IS NOT OLD.number OR NEW.hash IS NOT OLD.hash OR NEW.line <> '' OR NEW.realm_key <> '' OR NEW.name_key <> ''
      BEGIN SELECT RAISE(ABORT, 'evidence cannot be changed'); END
    """

  /// A sealed value must be sealed under a key that is not retired, because a server may not know yet that its key is. The key's id stands
  /// before the sealed bytes (`LoadedServerKey.prefix`), except for the first key. While no key is registered, none can be retired.
  private static let retiredKeys = StoreTable.sealed(upTo: 24, in: .sqlite).flatMap { table in
    ["INSERT", "UPDATE OF sealed"].map { event in
      """
      CREATE TRIGGER \(table)_sealed_on_\(event.prefix(6).lowercased()) BEFORE \(event) ON \(table)
        WHEN EXISTS (SELECT 1 FROM server_keys) AND NOT EXISTS (
          SELECT 1 FROM server_keys WHERE retired_at IS NULL
            AND CASE WHEN substr(NEW.sealed, 1, 8) = X'5345414C524E4731'
              THEN id = lower(hex(substr(NEW.sealed, 9, 8))) ELSE generation = 0 END)
        BEGIN SELECT RAISE(ABORT, '\(KeyFence.message)'); END
      """
    }
  }

  // MARK: What earlier versions had

  private static let lockouts = """
    CREATE TABLE lockouts (
      realm_key TEXT NOT NULL, name_key TEXT NOT NULL, consecutive_failures INTEGER NOT NULL,
      lock_count INTEGER NOT NULL, locked_until REAL, latest_failure REAL NOT NULL,
      PRIMARY KEY (realm_key, name_key)) STRICT, WITHOUT ROWID
    """
  private static let sessionsByUser = "CREATE INDEX sessions_by_user ON sessions (realm_key, name_key)"
  private static let evidenceIsNotChanged = """
    CREATE TRIGGER evidence_is_not_changed BEFORE UPDATE ON evidence
      BEGIN SELECT RAISE(ABORT, 'evidence cannot be changed'); END
    """

  /// Counted wrong codes as `lockouts` counted all failures, but a right password did not reset it.
  private static let oathLockouts = """
    CREATE TABLE oath_lockouts (
      realm_key TEXT NOT NULL, name_key TEXT NOT NULL, consecutive_failures INTEGER NOT NULL,
      lock_count INTEGER NOT NULL, locked_until REAL, latest_failure REAL NOT NULL,
      PRIMARY KEY (realm_key, name_key),
      FOREIGN KEY (realm_key, name_key) REFERENCES users (realm_key, name_key) ON DELETE CASCADE
    ) STRICT, WITHOUT ROWID
    """

  /// Failures by kind and known device, in place of one count for everything and one for codes.
  private static let lockoutsByKind =
    [("guesses", "earlier_lockouts"), ("codes", "oath_lockouts")].flatMap { kind, table in
      [
        """
        INSERT INTO lockouts SELECT realm_key, name_key, '\(kind)', '', consecutive_failures, lock_count, locked_until, latest_failure
          FROM \(table)
        """, "DROP TABLE \(table)",
      ]
    }

  /// An account's id, and the state of its password, which had been ordinary attributes that their owner could set.
  ///
  /// An expiry that was not a valid time, and never had an effect, is dropped.
  private static let accountState = """
    UPDATE users SET
      account_id = lower(hex(randomblob(16))),
      must_change_password = lower(CAST(json_extract(attributes, '$.pwdReset') AS TEXT)) IN ('true', '1') IS TRUE,
      password_expires_at = (
        SELECT CAST(strftime('%s', substr(t, 1, 4) || '-' || substr(t, 5, 2) || '-' || substr(t, 7, 2) || ' '
          || substr(t, 9, 2) || ':' || substr(t, 11, 2) || ':' || substr(t, 13, 2)) AS REAL)
        FROM (SELECT json_extract(attributes, '$."ds-pwp-password-expiration-time"') AS t)
        WHERE t GLOB '[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]*Z'),
      attributes = json_remove(attributes, '$.pwdReset', '$."ds-pwp-password-expiration-time"')
    """
}
