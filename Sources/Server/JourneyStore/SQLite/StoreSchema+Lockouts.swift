extension StoreSchema {
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
}
