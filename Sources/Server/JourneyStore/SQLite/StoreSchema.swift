internal import GRDB

/// The tables, as a list of migrations that only ever grows.
///
/// Moments are seconds since 1970 as REAL, so that `datetime(created_at, 'unixepoch')` reads them. JSON is TEXT.
/// `realm_key` and `name_key` are the folded names of ``AccountKey``; `realm` and `username` keep the given spelling.
enum StoreSchema {
  static var migrator: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    for (name, sql) in migrations {
      migrator.registerMigration(name, foreignKeyChecks: .immediate) { try $0.execute(sql: sql) }
    }
    return migrator
  }

  /// A table that the migrations made and that is not there any more.
  static func missingTable(in db: Database) throws -> String? {
    let there = try tables(of: db)
    return try allTables.get().first { !there.contains($0) }
  }

  private static let allTables = Result {
    let database = try DatabaseQueue()
    try StoreSchema.migrator.migrate(database)
    return try database.read { try StoreSchema.tables(of: $0) }
  }

  private static func tables(of db: Database) throws -> [String] {
    try String.fetchAll(db, sql: "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
  }

  private static let migrations: KeyValuePairs = [
    "1 accounts, devices, sessions": first,
    "2 attestation of devices": "ALTER TABLE bound_devices ADD COLUMN attestation TEXT",
    "3 evidence": evidence,
    "4 applications, transactions": transactions,
    "5 push": push,
    "6 retired push tokens": "ALTER TABLE push_devices ADD COLUMN token_retired_at REAL",
    "7 oath": oath,
    "8 webauthn": webAuthn,
    "9 lockouts by kind and device": lockouts,
    "10 state of accounts": accountState,
    "11 quotas": quotas,
    "12 plain proofs": "ALTER TABLE applications ADD COLUMN plain_proofs INTEGER NOT NULL DEFAULT 0",
    "13 authentication levels": """
    ALTER TABLE sessions ADD COLUMN auth_level INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE sessions ADD COLUMN service TEXT;
    ALTER TABLE sessions ADD COLUMN authenticated_at REAL NOT NULL DEFAULT 0;
    UPDATE sessions SET authenticated_at = created_at;
    """,
    "14 roles": roles,
    "15 realms": realms,
    "16 retention of evidence": retention,
    "17 server keys": serverKeys,
    "18 identities": identities,
    "19 suspended journeys": suspendedJourneys,
    "20 grants": grants,
    // So that the oldest sessions of an account are found without reading all of them.
    "21 sessions by age": """
    DROP INDEX sessions_by_user;
    CREATE INDEX sessions_by_user ON sessions (realm_key, name_key, created_at);
    """,
    "22 activity": activity,
    "23 places of sign-ins": "ALTER TABLE journey_attempts ADD COLUMN client_address TEXT",
    "24 no seals of retired keys": retiredKeys,
    "25 ids of accounts": accountIDs,
  ]

  /// How many migrations there are up to the one that makes the ledger.
  static let countBeforeLedger = 3

  /// `evidence` belongs to nobody: it stays when users and devices go. The triggers refuse every statement but the
  /// insertion of the next entry; `INSERT OR REPLACE`, which deletes without asking the second one, fails at the third.
  private static let evidence = """
    CREATE TABLE evidence_ledger (
      id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
      header TEXT NOT NULL,
      seal BLOB NOT NULL -- over number and hash of the last entry
    ) STRICT;
    CREATE TRIGGER evidence_ledger_keeps_header BEFORE UPDATE OF id, header ON evidence_ledger
      BEGIN SELECT RAISE(ABORT, 'the ledger of evidence keeps its header'); END;
    CREATE TRIGGER evidence_ledger_is_kept BEFORE DELETE ON evidence_ledger
      BEGIN SELECT RAISE(ABORT, 'the ledger of evidence cannot be deleted'); END;

    CREATE TABLE evidence (
      number INTEGER NOT NULL PRIMARY KEY,
      realm_key TEXT NOT NULL,
      name_key TEXT NOT NULL,
      line TEXT NOT NULL, -- the entry, exactly as it is exported
      hash BLOB NOT NULL UNIQUE
    ) STRICT;
    CREATE INDEX evidence_by_account ON evidence (realm_key, name_key, number);
    CREATE TRIGGER evidence_is_not_changed BEFORE UPDATE ON evidence
      BEGIN SELECT RAISE(ABORT, 'evidence cannot be changed'); END;
    CREATE TRIGGER evidence_is_not_deleted BEFORE DELETE ON evidence
      BEGIN SELECT RAISE(ABORT, 'evidence cannot be deleted'); END;
    CREATE TRIGGER evidence_is_appended BEFORE INSERT ON evidence
      WHEN NEW.number IS NOT (SELECT coalesce(max(number), 0) + 1 FROM evidence)
      BEGIN SELECT RAISE(ABORT, 'evidence is appended only'); END;
    """

  /// The content of old entries may go, and nothing else: what is left is number and hash. How many have gone is sealed.
  private static let retention = """
    DROP TRIGGER evidence_is_not_changed;
    CREATE TRIGGER evidence_is_not_changed BEFORE UPDATE ON evidence
      WHEN NEW.number IS NOT OLD.number OR NEW.hash IS NOT OLD.hash OR NEW.line <> '' OR NEW.realm_key <> '' OR NEW.name_key <> ''
      BEGIN SELECT RAISE(ABORT, 'evidence cannot be changed'); END;
    CREATE TABLE evidence_retention (
      id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
      removed INTEGER NOT NULL,
      seal BLOB NOT NULL
    ) STRICT;
    """

  private static let first = """
    CREATE TABLE users (
      realm_key TEXT NOT NULL,
      name_key TEXT NOT NULL,
      realm TEXT NOT NULL,
      username TEXT NOT NULL,
      password_hash TEXT,
      is_active INTEGER NOT NULL,
      is_administrator INTEGER NOT NULL,
      mail TEXT NOT NULL,
      attributes TEXT NOT NULL,
      created_at REAL NOT NULL,
      PRIMARY KEY (realm_key, name_key)
    ) STRICT;

    CREATE TABLE bound_devices (
      realm_key TEXT NOT NULL,
      name_key TEXT NOT NULL,
      uuid TEXT NOT NULL,
      realm TEXT NOT NULL,
      username TEXT NOT NULL,
      device_id TEXT NOT NULL,
      device_name TEXT NOT NULL,
      key TEXT NOT NULL,
      thumbprint TEXT NOT NULL,
      created_date REAL NOT NULL,
      last_access_date REAL NOT NULL,
      PRIMARY KEY (realm_key, name_key, uuid),
      UNIQUE (realm_key, name_key, thumbprint),
      FOREIGN KEY (realm_key, name_key) REFERENCES users (realm_key, name_key) ON DELETE CASCADE
    ) STRICT;

    CREATE TABLE sessions (
      token_hash BLOB NOT NULL PRIMARY KEY,
      handle TEXT NOT NULL UNIQUE,
      realm_key TEXT NOT NULL,
      name_key TEXT NOT NULL,
      realm TEXT NOT NULL,
      username TEXT NOT NULL,
      created_at REAL NOT NULL,
      latest_access REAL NOT NULL,
      maximum_idle REAL NOT NULL,
      expires_at REAL NOT NULL,
      ends_at REAL NOT NULL, -- the earlier of expires_at and latest_access + maximum_idle
      properties TEXT NOT NULL,
      FOREIGN KEY (realm_key, name_key) REFERENCES users (realm_key, name_key) ON DELETE CASCADE
    ) STRICT;
    CREATE INDEX sessions_by_user ON sessions (realm_key, name_key);
    CREATE INDEX sessions_by_end ON sessions (ends_at);

    CREATE TABLE consumed (
      key BLOB NOT NULL PRIMARY KEY,
      expires_at REAL NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX consumed_by_expiry ON consumed (expires_at);

    CREATE TABLE lockouts (
      realm_key TEXT NOT NULL,
      name_key TEXT NOT NULL,
      consecutive_failures INTEGER NOT NULL,
      lock_count INTEGER NOT NULL,
      locked_until REAL,
      latest_failure REAL NOT NULL,
      PRIMARY KEY (realm_key, name_key)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE server_secrets (
      name TEXT NOT NULL PRIMARY KEY,
      sealed BLOB NOT NULL
    ) STRICT, WITHOUT ROWID;
    """

  /// Which keys encrypt, and which servers have them; the keys themselves are elsewhere.
  private static let serverKeys = """
    CREATE TABLE server_keys (
      id TEXT NOT NULL PRIMARY KEY,
      generation INTEGER NOT NULL UNIQUE,
      announced_at REAL NOT NULL,
      activated_at REAL,
      retired_at REAL,
      revoked_at REAL
    ) STRICT;

    CREATE TABLE server_key_holders (
      server TEXT NOT NULL PRIMARY KEY,
      keys TEXT NOT NULL,
      uses TEXT,
      seen_at REAL NOT NULL
    ) STRICT;
    """

  /// What is stored sealed is sealed under a key that is not retired, whoever stores it: a server may not know of it yet. The id of the
  /// key stands before what is sealed (`LoadedServerKey.prefix`); that of the first key does not. While no key is noted, nothing
  /// can be retired.
  private static let retiredKeys = [
    "server_secrets", "oath_devices", "push_devices", "push_messages", "suspended_journeys",
  ].flatMap { table in
    ["INSERT", "UPDATE OF sealed"].map { event in
      """
      CREATE TRIGGER \(table)_sealed_on_\(event.prefix(6).lowercased()) BEFORE \(event) ON \(table)
        WHEN EXISTS (SELECT 1 FROM server_keys) AND NOT EXISTS (
          SELECT 1 FROM server_keys WHERE retired_at IS NULL
            AND CASE WHEN substr(NEW.sealed, 1, 8) = X'5345414C524E4731'
              THEN id = lower(hex(substr(NEW.sealed, 9, 8))) ELSE generation = 0 END)
        BEGIN SELECT RAISE(ABORT, 'the row is sealed under a server key that is retired or unknown'); END;
      """
    }
  }.joined(separator: "\n")

  /// Journeys that wait for their link.
  private static let suspendedJourneys = """
    CREATE TABLE suspended_journeys (
      realm_key TEXT NOT NULL,
      id_hash TEXT NOT NULL, -- SHA-256 of the link's id
      sealed BLOB NOT NULL,
      created_at REAL NOT NULL,
      expires_at REAL NOT NULL,
      PRIMARY KEY (realm_key, id_hash)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX suspended_journeys_by_expiry ON suspended_journeys (expires_at);
    """

  private static let transactions = """
    CREATE TABLE applications (
      id TEXT NOT NULL PRIMARY KEY,
      realm_key TEXT NOT NULL,
      name_key TEXT NOT NULL,
      realm TEXT NOT NULL,
      name TEXT NOT NULL,
      secret_hash BLOB NOT NULL, -- SHA-256
      created_at REAL NOT NULL,
      UNIQUE (realm_key, name_key)
    ) STRICT;

    CREATE TABLE transactions (
      id TEXT NOT NULL PRIMARY KEY,
      realm_key TEXT NOT NULL,
      realm TEXT NOT NULL,
      application_id TEXT NOT NULL REFERENCES applications (id) ON DELETE CASCADE,
      username TEXT, -- who alone may approve
      journey TEXT NOT NULL,
      fields TEXT NOT NULL,
      created_at REAL NOT NULL,
      expires_at REAL NOT NULL,
      decided_at REAL,
      state TEXT NOT NULL CHECK (state IN ('pending', 'approved', 'refused')),
      reason TEXT,
      signer TEXT,
      key_id TEXT,
      jws TEXT,
      nonce BLOB
    ) STRICT;
    CREATE INDEX transactions_by_application ON transactions (application_id);
    CREATE INDEX transactions_by_expiry ON transactions (expires_at);
    """
}
