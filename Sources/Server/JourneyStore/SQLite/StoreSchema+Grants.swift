extension StoreSchema {
  /// What accounts have granted to OpenID Connect clients, and which clients are still to be told of a sign-out. A notice outlives
  /// its account.
  static let grants = """
    CREATE TABLE grants (
      realm_key TEXT NOT NULL,
      name_key TEXT NOT NULL,
      id TEXT NOT NULL,
      realm TEXT NOT NULL,
      username TEXT NOT NULL,
      account_id TEXT NOT NULL,
      password_version INTEGER NOT NULL,
      client_id TEXT NOT NULL,
      session_hash BLOB,
      details TEXT NOT NULL,
      created_at REAL NOT NULL,
      expires_at REAL NOT NULL,
      ticket_hash BLOB NOT NULL, -- of the code, or of the id of a decoupled sign-in
      ticket_expires_at REAL NOT NULL,
      ticket_used_at REAL,
      refresh_hash BLOB,
      polled_at REAL,
      ended_at REAL,
      PRIMARY KEY (realm_key, name_key, id),
      FOREIGN KEY (realm_key, name_key) REFERENCES users (realm_key, name_key) ON DELETE CASCADE
    ) STRICT;
    CREATE INDEX grants_by_expiry ON grants (expires_at);

    CREATE TABLE consents (
      realm_key TEXT NOT NULL,
      name_key TEXT NOT NULL,
      client_id TEXT NOT NULL,
      scopes TEXT NOT NULL,
      given_at REAL NOT NULL,
      PRIMARY KEY (realm_key, name_key, client_id),
      FOREIGN KEY (realm_key, name_key) REFERENCES users (realm_key, name_key) ON DELETE CASCADE
    ) STRICT;

    CREATE TABLE logout_notices (
      realm_key TEXT NOT NULL,
      name_key TEXT NOT NULL,
      id TEXT NOT NULL,
      realm TEXT NOT NULL,
      username TEXT NOT NULL,
      client_id TEXT NOT NULL,
      details TEXT NOT NULL,
      attempts INTEGER NOT NULL,
      next_at REAL NOT NULL,
      expires_at REAL NOT NULL,
      PRIMARY KEY (realm_key, name_key, id)
    ) STRICT;
    CREATE INDEX logout_notices_by_time ON logout_notices (next_at);
    """
}
