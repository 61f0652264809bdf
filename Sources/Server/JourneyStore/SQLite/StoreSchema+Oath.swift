extension StoreSchema {
  /// The tables of one-time codes. Secrets are encrypted under the server key.
  ///
  /// `oath_lockouts` counts wrong codes as `lockouts` counts all failures, but a right password does not reset it.
  static let oath = """
    CREATE TABLE oath_devices (
      realm_key TEXT NOT NULL,
      name_key TEXT NOT NULL,
      uuid TEXT NOT NULL,
      realm TEXT NOT NULL,
      username TEXT NOT NULL,
      device_name TEXT NOT NULL,
      sealed BLOB NOT NULL,
      period INTEGER, -- seconds of a time step; nothing for counters
      hash TEXT NOT NULL,
      digits INTEGER NOT NULL,
      truncation_offset INTEGER,
      adds_checksum INTEGER NOT NULL,
      next_factor INTEGER NOT NULL, -- codes of lower counters or time steps are used or too old
      drift INTEGER NOT NULL, -- time steps by which the device's clock is ahead
      created_date REAL NOT NULL,
      last_access_date REAL NOT NULL,
      PRIMARY KEY (realm_key, name_key, uuid),
      FOREIGN KEY (realm_key, name_key) REFERENCES users (realm_key, name_key) ON DELETE CASCADE
    ) STRICT;

    CREATE TABLE oath_accounts (
      realm_key TEXT NOT NULL,
      name_key TEXT NOT NULL,
      skip INTEGER NOT NULL,
      PRIMARY KEY (realm_key, name_key),
      FOREIGN KEY (realm_key, name_key) REFERENCES users (realm_key, name_key) ON DELETE CASCADE
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE oath_lockouts (
      realm_key TEXT NOT NULL,
      name_key TEXT NOT NULL,
      consecutive_failures INTEGER NOT NULL,
      lock_count INTEGER NOT NULL,
      locked_until REAL,
      latest_failure REAL NOT NULL,
      PRIMARY KEY (realm_key, name_key),
      FOREIGN KEY (realm_key, name_key) REFERENCES users (realm_key, name_key) ON DELETE CASCADE
    ) STRICT, WITHOUT ROWID;
    """
}
