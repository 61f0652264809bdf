extension PostgresSchema {
  /// What accounts have granted to OpenID Connect clients, and which clients are still to be told of a sign-out. A notice outlives
  /// its account.
  static let grants = [
    """
    CREATE TABLE grants (\(account), id text COLLATE "C" NOT NULL, account_id text NOT NULL,
      password_version bigint NOT NULL, client_id text COLLATE "C" NOT NULL, session_hash bytea, details text NOT NULL,
      created_at double precision NOT NULL, expires_at double precision NOT NULL, ticket_hash bytea NOT NULL,
      ticket_expires_at double precision NOT NULL, ticket_used_at double precision, refresh_hash bytea,
      polled_at double precision, ended_at double precision, PRIMARY KEY (realm_key, name_key, id), \(ofUser))
    """,
    """
    CREATE TABLE consents (\(key), client_id text COLLATE "C" NOT NULL, scopes text NOT NULL,
      given_at double precision NOT NULL, PRIMARY KEY (realm_key, name_key, client_id), \(ofUser))
    """,
    """
    CREATE TABLE logout_notices (\(account), id text COLLATE "C" NOT NULL, client_id text COLLATE "C" NOT NULL,
      details text NOT NULL, attempts bigint NOT NULL, next_at double precision NOT NULL,
      expires_at double precision NOT NULL, PRIMARY KEY (realm_key, name_key, id))
    """,
    "CREATE INDEX grants_by_expiry ON grants (expires_at)",
    "CREATE INDEX logout_notices_by_time ON logout_notices (next_at)",
  ]
}
