extension StoreSchema {
  /// Roles beside the administrator's. The index lists the few accounts that have one.
  static let roles = """
    ALTER TABLE users ADD COLUMN is_help_desk INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE users ADD COLUMN is_auditor INTEGER NOT NULL DEFAULT 0;
    CREATE INDEX users_with_roles ON users (realm_key, name_key)
      WHERE is_administrator OR is_help_desk OR is_auditor;
    """

  /// Accounts by the values of their attributes, and which change of an account is the latest. `unique_value` is the value of an attribute that
  /// only one account of the realm may have.
  static let identities = """
    ALTER TABLE users ADD COLUMN revision INTEGER NOT NULL DEFAULT 0;
    CREATE INDEX users_by_id ON users (realm_key, account_id);
    CREATE TABLE identity_values (
      realm_key TEXT NOT NULL,
      name_key TEXT NOT NULL,
      attribute TEXT NOT NULL,
      value TEXT NOT NULL,
      unique_value TEXT,
      PRIMARY KEY (realm_key, name_key, attribute, value),
      UNIQUE (realm_key, attribute, unique_value),
      FOREIGN KEY (realm_key, name_key) REFERENCES users (realm_key, name_key) ON DELETE CASCADE
    ) STRICT;
    CREATE INDEX identities_by_value ON identity_values (realm_key, attribute, value, name_key);
    CREATE TABLE identity_index (
      id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
      definition TEXT NOT NULL -- of the attributes that identity_values has
    ) STRICT;
    """

  /// An account's id, and the state of its password, which had been ordinary attributes that their owner could set.
  ///
  /// An expiry that was not a valid time, and never had an effect, is dropped.
  static let accountState = """
    ALTER TABLE users ADD COLUMN account_id TEXT NOT NULL DEFAULT '';
    ALTER TABLE users ADD COLUMN password_version INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE users ADD COLUMN must_change_password INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE users ADD COLUMN password_expires_at REAL;
    -- What password hashes cost, counted without reading the accounts.
    CREATE INDEX users_by_hash_kind ON users (substr(password_hash, 1, 15 + instr(substr(password_hash, 16), '$')));
    UPDATE users SET
      account_id = lower(hex(randomblob(16))),
      must_change_password = lower(CAST(json_extract(attributes, '$.pwdReset') AS TEXT)) IN ('true', '1') IS TRUE,
      password_expires_at = (
        SELECT CAST(strftime('%s', substr(t, 1, 4) || '-' || substr(t, 5, 2) || '-' || substr(t, 7, 2) || ' '
          || substr(t, 9, 2) || ':' || substr(t, 11, 2) || ':' || substr(t, 13, 2)) AS REAL)
        FROM (SELECT json_extract(attributes, '$."ds-pwp-password-expiration-time"') AS t)
        WHERE t GLOB '[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]*Z'),
      attributes = json_remove(attributes, '$.pwdReset', '$."ds-pwp-password-expiration-time"');
    """

  /// Failures by kind and known device, in place of one count for everything and one for codes.
  static let lockouts = """
    CREATE TABLE scoped_lockouts (
      realm_key TEXT NOT NULL,
      name_key TEXT NOT NULL,
      kind TEXT NOT NULL, -- guesses, codes, signatures
      device TEXT NOT NULL, -- the known device that failed; empty in common
      consecutive_failures INTEGER NOT NULL,
      lock_count INTEGER NOT NULL,
      locked_until REAL,
      latest_failure REAL NOT NULL,
      PRIMARY KEY (realm_key, name_key, kind, device)
    ) STRICT, WITHOUT ROWID;
    INSERT INTO scoped_lockouts
      SELECT realm_key, name_key, 'guesses', '', consecutive_failures, lock_count, locked_until, latest_failure
      FROM lockouts;
    INSERT INTO scoped_lockouts
      SELECT realm_key, name_key, 'codes', '', consecutive_failures, lock_count, locked_until, latest_failure
      FROM oath_lockouts;
    DROP TABLE lockouts;
    DROP TABLE oath_lockouts;
    ALTER TABLE scoped_lockouts RENAME TO lockouts;
    """

  /// `evidence_use` counts what each account, and each application, added to the ledger on its latest day; days are counted since 1970. The index
  /// makes counting an application's open transactions independent of how many it had.
  static let quotas = """
    CREATE TABLE evidence_use (
      realm_key TEXT NOT NULL,
      name_key TEXT NOT NULL,
      day INTEGER NOT NULL,
      bytes INTEGER NOT NULL,
      PRIMARY KEY (realm_key, name_key)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX open_transactions ON transactions (application_id, expires_at) WHERE state = 'pending';
    """

  /// Whose a record is that outlives its account: the id does not come back, a name may. Records from before have none; where they are read,
  /// they are taken for those of the account that has the name, unless they are older than it.
  static let accountIDs = """
    ALTER TABLE evidence ADD COLUMN account_id TEXT;
    ALTER TABLE push_decisions ADD COLUMN account_id TEXT;
    ALTER TABLE transactions ADD COLUMN account_id TEXT;
    CREATE INDEX evidence_use_by_day ON evidence_use (day);
    """

  /// Realms beside the configured ones. A deleted realm keeps its row, so that requests that were under way add nothing to it.
  static let realms = """
    CREATE TABLE realms (
      realm_key TEXT NOT NULL PRIMARY KEY,
      name TEXT NOT NULL,
      created_at REAL NOT NULL,
      deleted_at REAL
    ) STRICT;
    CREATE TABLE realm_version (
      id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
      version INTEGER NOT NULL -- grows with every change of realms
    ) STRICT;
    INSERT INTO realm_version (id, version) VALUES (1, 0);
    """
}
