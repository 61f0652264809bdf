internal import EvidenceLedger

/// The tables, as a list of migrations that only ever grows.
///
/// Moments are seconds since 1970, JSON is text, and keys compare by bytes, as in SQLite. Every key begins with realm and
/// account, by which tables can be spread over machines, where its rows have them; `docs/scale.md` lists the others.
///
/// A migration first expands: it adds tables, and columns with defaults, so that servers of the version before go on
/// beside it. What nobody reads any more is removed by a later version's migration, which then raises `oldest`.
enum PostgresSchema {
  struct Migration: Sendable {
    let name: String

    /// The oldest version of the schema whose servers can go on with the tables after this migration.
    let oldest: Int
    let statements: [String]
  }

  static let migrations = [
    Migration(name: "tables", oldest: 1, statements: tables + indices),
    Migration(name: "lanes and retention of the ledger", oldest: 1, statements: lanes),
    Migration(name: "server keys", oldest: 1, statements: serverKeys),
    Migration(name: "identities", oldest: 1, statements: identities),
    Migration(name: "suspended journeys", oldest: 1, statements: suspendedJourneys),
    Migration(name: "grants", oldest: 1, statements: grants),
    Migration(name: "activity", oldest: 1, statements: activity),
    Migration(
      name: "places of sign-ins", oldest: 1,
      statements: ["ALTER TABLE journey_attempts ADD COLUMN client_address text"]),
    Migration(name: "no seals of retired keys, kept evidence", oldest: 1, statements: guards),
    Migration(name: "ids of accounts", oldest: 1, statements: accountIDs),
  ]

  /// The version that this program has: the number of its migrations.
  static var version: Int { migrations.count }

  /// Tables that must be there.
  static let tableNames = [
    "users", "sessions", "bound_devices", "webauthn_devices", "oath_devices", "oath_accounts", "push_devices",
    "push_accounts", "push_messages", "push_inboxes", "push_decisions", "recovery_codes", "consumed",
    "lockouts",
    "locked_names", "applications", "transactions", "evidence", "evidence_ledger", "evidence_lanes",
    "evidence_epochs", "evidence_retention", "evidence_use", "realms",
    "realm_version", "server_secrets", "server_keys", "server_key_holders",
    "identity_values", "identity_index", "suspended_journeys",
    "grants", "consents", "logout_notices", "journey_attempts", "activity_counts",
  ]

  /// Which version the tables have. The row is locked while they are changed.
  static let versionTable = [
    """
    CREATE TABLE IF NOT EXISTS sealring_schema (
      id bigint NOT NULL PRIMARY KEY CHECK (id = 1),
      version bigint NOT NULL,
      oldest bigint NOT NULL -- of servers that can use the tables
    )
    """,
    // A row that is there is looked at, not inserted again: that would wait, and say nothing, for a server that is changing it.
    "INSERT INTO sealring_schema (id, version, oldest) SELECT 1, 0, 1 WHERE NOT EXISTS (SELECT 1 FROM sealring_schema) ON CONFLICT DO NOTHING",
  ]

  static let key = """
    realm_key text COLLATE "C" NOT NULL, name_key text COLLATE "C" NOT NULL
    """
  static let account = "\(key), realm text NOT NULL, username text NOT NULL"
  static let ofUser =
    "FOREIGN KEY (realm_key, name_key) REFERENCES users (realm_key, name_key) ON DELETE CASCADE"

  /// When a row was added: what has one date is in this order. No sequence, which all servers would wait for.
  private static let added =
    "added_at double precision NOT NULL DEFAULT extract(epoch FROM clock_timestamp())"

  private static func devices(_ name: String, _ columns: String, _ constraints: String = "") -> String {
    """
    CREATE TABLE \(name) (\(account), uuid text COLLATE "C" NOT NULL, device_name text NOT NULL,
      created_date double precision NOT NULL, last_access_date double precision NOT NULL, \(added),
      \(columns), PRIMARY KEY (realm_key, name_key, uuid), \(constraints) \(ofUser))
    """
  }

  private static let tables = [
    """
    CREATE TABLE users (\(account), account_id text NOT NULL, password_hash text, password_version bigint NOT NULL,
      must_change_password boolean NOT NULL, password_expires_at double precision, is_active boolean NOT NULL,
      is_administrator boolean NOT NULL, is_help_desk boolean NOT NULL, is_auditor boolean NOT NULL,
      mail text NOT NULL, attributes text NOT NULL, created_at double precision NOT NULL,
      PRIMARY KEY (realm_key, name_key))
    """,
    """
    CREATE TABLE sessions (\(account), token_hash bytea NOT NULL PRIMARY KEY, handle text NOT NULL UNIQUE,
      created_at double precision NOT NULL, latest_access double precision NOT NULL,
      maximum_idle double precision NOT NULL, expires_at double precision NOT NULL,
      ends_at double precision NOT NULL, -- the earlier of expires_at and latest_access + maximum_idle
      properties text NOT NULL, auth_level bigint NOT NULL, service text,
      authenticated_at double precision NOT NULL, \(added), \(ofUser))
    """,
    devices(
      "bound_devices",
      "device_id text NOT NULL, key text NOT NULL, thumbprint text NOT NULL, attestation text",
      "UNIQUE (realm_key, name_key, thumbprint),"),
    devices(
      "webauthn_devices",
      """
      credential_id bytea NOT NULL, public_key bytea NOT NULL, sign_count bigint NOT NULL, user_handle bytea NOT NULL,
      relying_party_id text NOT NULL, aaguid text NOT NULL, attestation_format text NOT NULL,
      attestation_type text NOT NULL, attachment text, transports text NOT NULL, is_backup_eligible boolean NOT NULL,
      is_backed_up boolean NOT NULL, is_uv_initialized boolean NOT NULL
      """, "UNIQUE (realm_key, credential_id),"),
    devices(
      "oath_devices",
      """
      sealed bytea NOT NULL, period bigint, hash text NOT NULL, digits bigint NOT NULL, truncation_offset bigint,
      adds_checksum boolean NOT NULL, next_factor bigint NOT NULL, drift bigint NOT NULL
      """),
    "CREATE TABLE oath_accounts (\(key), skip bigint NOT NULL, PRIMARY KEY (realm_key, name_key), \(ofUser))",
    devices(
      "push_devices",
      """
      mechanism_uid text COLLATE "C" NOT NULL, issuer text NOT NULL, sealed bytea NOT NULL,
      communication_type text NOT NULL, communication_id text NOT NULL, device_type text NOT NULL,
      device_token text NOT NULL, refreshed_at double precision, token_retired_at double precision
      """, "UNIQUE (realm_key, mechanism_uid),"),
    """
    CREATE TABLE push_accounts (\(key), messages bigint NOT NULL DEFAULT 0, wrong_answers bigint NOT NULL DEFAULT 0,
      latest double precision NOT NULL DEFAULT 0, skip bigint NOT NULL DEFAULT 0,
      PRIMARY KEY (realm_key, name_key), \(ofUser))
    """,
    """
    CREATE TABLE push_messages (\(account), id text COLLATE "C" NOT NULL, kind text NOT NULL, type text NOT NULL,
      sealed bytea NOT NULL, sent_at double precision NOT NULL, expires_at double precision NOT NULL,
      state text NOT NULL, wrong_answers bigint NOT NULL, decided_by text, reason text,
      PRIMARY KEY (realm_key, id), \(ofUser))
    """,
    """
    CREATE TABLE push_inboxes (realm_key text COLLATE "C" NOT NULL, mechanism_uid text COLLATE "C" NOT NULL,
      message_id text COLLATE "C" NOT NULL, message text NOT NULL, was_fetched boolean NOT NULL,
      PRIMARY KEY (realm_key, mechanism_uid, message_id),
      FOREIGN KEY (realm_key, message_id) REFERENCES push_messages (realm_key, id) ON DELETE CASCADE)
    """,
    // Belongs to nobody: it stays when messages, devices and users go.
    """
    CREATE TABLE push_decisions (\(account), number bigint NOT NULL, message_id text COLLATE "C" NOT NULL,
      type text NOT NULL, state text NOT NULL, device text NOT NULL, device_name text NOT NULL, reason text,
      sent_at double precision NOT NULL, decided_at double precision NOT NULL, PRIMARY KEY (realm_key, message_id))
    """,
    """
    CREATE TABLE recovery_codes (\(key), kind text NOT NULL, hash bytea NOT NULL,
      PRIMARY KEY (realm_key, name_key, kind, hash), \(ofUser))
    """,
    "CREATE TABLE consumed (key bytea NOT NULL PRIMARY KEY, expires_at double precision NOT NULL)",
    """
    CREATE TABLE lockouts (\(key), kind text NOT NULL, -- guesses, codes, signatures
      device text COLLATE "C" NOT NULL, -- the known device that failed; empty in common
      consecutive_failures bigint NOT NULL, lock_count bigint NOT NULL, locked_until double precision,
      latest_failure double precision NOT NULL, PRIMARY KEY (realm_key, name_key, kind, device))
    """,
    """
    CREATE TABLE locked_names (\(key), latest double precision NOT NULL, PRIMARY KEY (realm_key, name_key))
    """,
    """
    CREATE TABLE applications (\(key), id text COLLATE "C" NOT NULL, realm text NOT NULL, name text NOT NULL,
      secret_hash bytea NOT NULL, created_at double precision NOT NULL, plain_proofs boolean NOT NULL,
      PRIMARY KEY (realm_key, id), UNIQUE (realm_key, name_key))
    """,
    """
    CREATE TABLE transactions (realm_key text COLLATE "C" NOT NULL, id text COLLATE "C" NOT NULL, realm text NOT NULL,
      application_id text COLLATE "C" NOT NULL, username text, journey text NOT NULL, fields text NOT NULL,
      created_at double precision NOT NULL, expires_at double precision NOT NULL, decided_at double precision,
      state text NOT NULL CHECK (state IN ('pending', 'approved', 'refused')), reason text, signer text, key_id text,
      jws text, nonce bytea, PRIMARY KEY (realm_key, id),
      FOREIGN KEY (realm_key, application_id) REFERENCES applications (realm_key, id) ON DELETE CASCADE)
    """,
    """
    CREATE TABLE evidence_ledger (id bigint NOT NULL PRIMARY KEY CHECK (id = 1), header text NOT NULL,
      seal bytea NOT NULL) -- over number and hash of the last entry
    """,
    // Belongs to nobody: it stays when users and devices go. What others change is found by the seal.
    """
    CREATE TABLE evidence (number bigint NOT NULL PRIMARY KEY, \(key), line text NOT NULL, hash bytea NOT NULL UNIQUE)
    """,
    """
    CREATE TABLE evidence_use (\(key), day bigint NOT NULL, bytes bigint NOT NULL, PRIMARY KEY (realm_key, name_key))
    """,
    """
    CREATE TABLE realms (realm_key text COLLATE "C" NOT NULL PRIMARY KEY, name text NOT NULL,
      created_at double precision NOT NULL, deleted_at double precision)
    """,
    "CREATE TABLE realm_version (id bigint NOT NULL PRIMARY KEY CHECK (id = 1), version bigint NOT NULL)",
    "INSERT INTO realm_version (id, version) VALUES (1, 0)",
    "CREATE TABLE server_secrets (name text COLLATE \"C\" NOT NULL PRIMARY KEY, sealed bytea NOT NULL)",
  ]

  /// Which keys encrypt, and which servers have them; the keys themselves are elsewhere.
  private static let serverKeys = [
    """
    CREATE TABLE server_keys (id text COLLATE "C" NOT NULL PRIMARY KEY, generation bigint NOT NULL UNIQUE,
      announced_at double precision NOT NULL, activated_at double precision, retired_at double precision,
      revoked_at double precision)
    """,
    """
    CREATE TABLE server_key_holders (server text COLLATE "C" NOT NULL PRIMARY KEY, keys text NOT NULL, uses text,
      seen_at double precision NOT NULL)
    """,
  ]

  /// Accounts by the values of their attributes, and which change of an account is the latest. `unique_value` is the value of an attribute that
  /// only one account of the realm may have.
  private static let identities = [
    "ALTER TABLE users ADD COLUMN revision bigint NOT NULL DEFAULT 0",
    "CREATE INDEX users_by_id ON users (realm_key, account_id)",
    """
    CREATE TABLE identity_values (\(key), attribute text COLLATE "C" NOT NULL, value text COLLATE "C" NOT NULL,
      unique_value text COLLATE "C", PRIMARY KEY (realm_key, name_key, attribute, value),
      UNIQUE (realm_key, attribute, unique_value), \(ofUser))
    """,
    "CREATE INDEX identities_by_value ON identity_values (realm_key, attribute, value, name_key)",
    "CREATE TABLE identity_index (id bigint NOT NULL PRIMARY KEY CHECK (id = 1), definition text NOT NULL)",
  ]

  /// Whose a record is that outlives its account: the id does not come back, a name may. Records from before, and those that servers of
  /// earlier versions go on to write, have none; where they are read, they are taken for those of the account that has the name, unless they
  /// are older than it. So no row is written again. What takes time comes before the locks that keep everybody out.
  private static let accountIDs = [
    "CREATE INDEX evidence_use_by_day ON evidence_use (day)",
    "ALTER TABLE evidence ADD COLUMN account_id text",
    "ALTER TABLE push_decisions ADD COLUMN account_id text",
    "ALTER TABLE transactions ADD COLUMN account_id text",
  ]

  /// Journeys that wait for their link.
  private static let suspendedJourneys = [
    """
    CREATE TABLE suspended_journeys (realm_key text COLLATE "C" NOT NULL, id_hash text COLLATE "C" NOT NULL,
      sealed bytea NOT NULL, created_at double precision NOT NULL, expires_at double precision NOT NULL,
      PRIMARY KEY (realm_key, id_hash))
    """,
    "CREATE INDEX suspended_journeys_by_expiry ON suspended_journeys (expires_at)",
  ]

  /// Nobody writes to them before a server has `--ledger-lanes`; then ``PostgresOpening`` keeps older servers out, which would take
  /// the entries of other lanes for somebody's forgeries.
  private static let lanes = [
    // Over number and hash of the lane's last entry; a number below 64 says that there is none.
    """
    CREATE TABLE evidence_lanes (lane bigint NOT NULL PRIMARY KEY CHECK (lane BETWEEN 1 AND \(EvidenceLane.maximum)),
      last bigint NOT NULL, seal bytea NOT NULL)
    """,
    // The signed merges, with the roots of the tree's complete subtrees, which are checked against the signed root.
    "CREATE TABLE evidence_epochs (epoch bigint NOT NULL PRIMARY KEY, checkpoint text NOT NULL, peaks bytea NOT NULL)",
    "CREATE TABLE evidence_retention (id bigint NOT NULL PRIMARY KEY CHECK (id = 1), removed bigint NOT NULL, seal bytea NOT NULL)",
    """
    CREATE INDEX evidence_by_lane ON evidence ((number & \(EvidenceLane.maximum)), number)
      WHERE number >= \(EvidenceLane.lowest)
    """,
  ]

  private static let indices = [
    """
    CREATE INDEX users_with_roles ON users (realm_key, name_key)
      WHERE is_administrator OR is_help_desk OR is_auditor
    """,
    "CREATE INDEX sessions_by_user ON sessions (realm_key, name_key)",
    "CREATE INDEX sessions_by_end ON sessions (ends_at)",
    "CREATE INDEX push_messages_by_user ON push_messages (realm_key, name_key)",
    "CREATE INDEX push_messages_by_expiry ON push_messages (expires_at)",
    "CREATE INDEX push_inboxes_by_message ON push_inboxes (realm_key, message_id)",
    "CREATE INDEX push_inboxes_new ON push_inboxes (realm_key, message_id) WHERE NOT was_fetched",
    "CREATE INDEX push_decisions_by_number ON push_decisions (number)",
    "CREATE INDEX push_decisions_by_account ON push_decisions (realm_key, name_key, number)",
    "CREATE INDEX push_decisions_by_date ON push_decisions (decided_at)",
    "CREATE INDEX consumed_by_expiry ON consumed (expires_at)",
    "CREATE INDEX lockouts_by_failure ON lockouts (latest_failure)",
    "CREATE INDEX locked_names_by_time ON locked_names (latest)",
    "CREATE INDEX open_transactions ON transactions (realm_key, application_id, expires_at) WHERE state = 'pending'",
    "CREATE INDEX transactions_by_application ON transactions (realm_key, application_id)",
    "CREATE INDEX transactions_by_expiry ON transactions (expires_at)",
    "CREATE INDEX evidence_by_account ON evidence (realm_key, name_key, number)",
  ]
}
