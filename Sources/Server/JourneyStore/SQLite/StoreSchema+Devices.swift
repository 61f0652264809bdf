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

  /// The table of WebAuthn credentials.
  static let webAuthn = """
    CREATE TABLE webauthn_devices (
      realm_key TEXT NOT NULL,
      name_key TEXT NOT NULL,
      uuid TEXT NOT NULL,
      realm TEXT NOT NULL,
      username TEXT NOT NULL,
      device_name TEXT NOT NULL,
      credential_id BLOB NOT NULL,
      public_key BLOB NOT NULL, -- COSE_Key
      sign_count INTEGER NOT NULL,
      user_handle BLOB NOT NULL,
      relying_party_id TEXT NOT NULL,
      aaguid TEXT NOT NULL,
      attestation_format TEXT NOT NULL,
      attestation_type TEXT NOT NULL,
      attachment TEXT,
      transports TEXT NOT NULL,
      is_backup_eligible INTEGER NOT NULL,
      is_backed_up INTEGER NOT NULL,
      is_uv_initialized INTEGER NOT NULL,
      created_date REAL NOT NULL,
      last_access_date REAL NOT NULL,
      PRIMARY KEY (realm_key, name_key, uuid),
      UNIQUE (realm_key, credential_id),
      FOREIGN KEY (realm_key, name_key) REFERENCES users (realm_key, name_key) ON DELETE CASCADE
    ) STRICT;
    """

  /// The tables of push. Challenges, answers and shared secrets are encrypted under the server key.
  static let push = """
    CREATE TABLE push_devices (
      realm_key TEXT NOT NULL,
      name_key TEXT NOT NULL,
      uuid TEXT NOT NULL,
      realm TEXT NOT NULL,
      username TEXT NOT NULL,
      device_name TEXT NOT NULL,
      mechanism_uid TEXT NOT NULL,
      issuer TEXT NOT NULL,
      sealed BLOB NOT NULL,
      communication_type TEXT NOT NULL,
      communication_id TEXT NOT NULL,
      device_type TEXT NOT NULL,
      device_token TEXT NOT NULL,
      created_date REAL NOT NULL,
      last_access_date REAL NOT NULL,
      refreshed_at REAL, -- when the device signed what was stored last
      PRIMARY KEY (realm_key, name_key, uuid),
      UNIQUE (realm_key, mechanism_uid),
      FOREIGN KEY (realm_key, name_key) REFERENCES users (realm_key, name_key) ON DELETE CASCADE
    ) STRICT;

    CREATE TABLE push_messages (
      realm_key TEXT NOT NULL,
      name_key TEXT NOT NULL,
      id TEXT NOT NULL,
      realm TEXT NOT NULL,
      username TEXT NOT NULL,
      kind TEXT NOT NULL,
      type TEXT NOT NULL,
      sealed BLOB NOT NULL,
      sent_at REAL NOT NULL,
      expires_at REAL NOT NULL,
      state TEXT NOT NULL,
      wrong_answers INTEGER NOT NULL,
      decided_by TEXT,
      reason TEXT,
      PRIMARY KEY (realm_key, id),
      FOREIGN KEY (realm_key, name_key) REFERENCES users (realm_key, name_key) ON DELETE CASCADE
    ) STRICT;
    CREATE INDEX push_messages_by_user ON push_messages (realm_key, name_key);
    CREATE INDEX push_messages_by_expiry ON push_messages (expires_at);

    CREATE TABLE push_inboxes (
      realm_key TEXT NOT NULL,
      mechanism_uid TEXT NOT NULL,
      message_id TEXT NOT NULL,
      message TEXT NOT NULL,
      was_fetched INTEGER NOT NULL,
      PRIMARY KEY (realm_key, mechanism_uid, message_id),
      FOREIGN KEY (realm_key, message_id) REFERENCES push_messages (realm_key, id) ON DELETE CASCADE
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX push_inboxes_by_message ON push_inboxes (realm_key, message_id);
    CREATE INDEX push_inboxes_new ON push_inboxes (realm_key, message_id, mechanism_uid) WHERE was_fetched = 0;

    -- Belongs to nobody: it stays when messages, devices and users go.
    CREATE TABLE push_decisions (
      number INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
      realm_key TEXT NOT NULL,
      name_key TEXT NOT NULL,
      realm TEXT NOT NULL,
      username TEXT NOT NULL,
      message_id TEXT NOT NULL,
      type TEXT NOT NULL,
      state TEXT NOT NULL,
      device TEXT NOT NULL,
      device_name TEXT NOT NULL,
      reason TEXT,
      sent_at REAL NOT NULL,
      decided_at REAL NOT NULL,
      UNIQUE (realm_key, message_id)
    ) STRICT;
    CREATE INDEX push_decisions_by_account ON push_decisions (realm_key, name_key, number);
    CREATE INDEX push_decisions_by_date ON push_decisions (decided_at);

    CREATE TABLE push_accounts (
      realm_key TEXT NOT NULL,
      name_key TEXT NOT NULL,
      messages INTEGER NOT NULL DEFAULT 0, -- since the last success
      wrong_answers INTEGER NOT NULL DEFAULT 0, -- since the last success
      latest REAL NOT NULL DEFAULT 0,
      skip INTEGER NOT NULL DEFAULT 0,
      PRIMARY KEY (realm_key, name_key),
      FOREIGN KEY (realm_key, name_key) REFERENCES users (realm_key, name_key) ON DELETE CASCADE
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE recovery_codes (
      realm_key TEXT NOT NULL,
      name_key TEXT NOT NULL,
      kind TEXT NOT NULL,
      hash BLOB NOT NULL,
      PRIMARY KEY (realm_key, name_key, kind, hash),
      FOREIGN KEY (realm_key, name_key) REFERENCES users (realm_key, name_key) ON DELETE CASCADE
    ) STRICT, WITHOUT ROWID;
    """
}
