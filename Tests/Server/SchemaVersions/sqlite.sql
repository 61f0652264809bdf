-- The migrations of SQLite's tables as servers were given them, one after the other.

-- Migration 1 accounts, devices, sessions
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

-- Migration 2 attestation of devices
ALTER TABLE bound_devices ADD COLUMN attestation TEXT;

-- Migration 3 evidence
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

-- Migration 4 applications, transactions
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

-- Migration 5 push
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

-- Migration 6 retired push tokens
ALTER TABLE push_devices ADD COLUMN token_retired_at REAL;

-- Migration 7 oath
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

-- Migration 8 webauthn
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

-- Migration 9 lockouts by kind and device
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

-- Migration 10 state of accounts
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

-- Migration 11 quotas
CREATE TABLE evidence_use (
  realm_key TEXT NOT NULL,
  name_key TEXT NOT NULL,
  day INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  PRIMARY KEY (realm_key, name_key)
) STRICT, WITHOUT ROWID;
CREATE INDEX open_transactions ON transactions (application_id, expires_at) WHERE state = 'pending';

-- Migration 12 plain proofs
ALTER TABLE applications ADD COLUMN plain_proofs INTEGER NOT NULL DEFAULT 0;

-- Migration 13 authentication levels
ALTER TABLE sessions ADD COLUMN auth_level INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN service TEXT;
ALTER TABLE sessions ADD COLUMN authenticated_at REAL NOT NULL DEFAULT 0;
UPDATE sessions SET authenticated_at = created_at;

-- Migration 14 roles
ALTER TABLE users ADD COLUMN is_help_desk INTEGER NOT NULL DEFAULT 0;
ALTER TABLE users ADD COLUMN is_auditor INTEGER NOT NULL DEFAULT 0;
CREATE INDEX users_with_roles ON users (realm_key, name_key)
  WHERE is_administrator OR is_help_desk OR is_auditor;

-- Migration 15 realms
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

-- Migration 16 retention of evidence
DROP TRIGGER evidence_is_not_changed;
CREATE TRIGGER evidence_is_not_changed BEFORE UPDATE ON evidence
  WHEN NEW.number IS NOT OLD.number OR NEW.hash IS NOT OLD.hash OR NEW.line <> '' OR NEW.realm_key <> '' OR NEW.name_key <> ''
  BEGIN SELECT RAISE(ABORT, 'evidence cannot be changed'); END;
CREATE TABLE evidence_retention (
  id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
  removed INTEGER NOT NULL,
  seal BLOB NOT NULL
) STRICT;

-- Migration 17 server keys
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

-- Migration 18 identities
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

-- Migration 19 suspended journeys
CREATE TABLE suspended_journeys (
  realm_key TEXT NOT NULL,
  id_hash TEXT NOT NULL, -- SHA-256 of the link's id
  sealed BLOB NOT NULL,
  created_at REAL NOT NULL,
  expires_at REAL NOT NULL,
  PRIMARY KEY (realm_key, id_hash)
) STRICT, WITHOUT ROWID;
CREATE INDEX suspended_journeys_by_expiry ON suspended_journeys (expires_at);

-- Migration 20 grants
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

-- Migration 21 sessions by age
DROP INDEX sessions_by_user;
CREATE INDEX sessions_by_user ON sessions (realm_key, name_key, created_at);

-- Migration 22 activity
CREATE TABLE journey_attempts (
  realm_key TEXT NOT NULL,
  run_id TEXT NOT NULL,
  part TEXT NOT NULL,
  name_key TEXT,
  journey TEXT NOT NULL,
  state TEXT NOT NULL,
  steps TEXT NOT NULL,
  reason TEXT,
  started_at REAL NOT NULL,
  latest_at REAL NOT NULL,
  expires_at REAL NOT NULL,
  PRIMARY KEY (realm_key, run_id, part)
) STRICT;
CREATE INDEX journey_attempts_by_account ON journey_attempts (realm_key, name_key, latest_at);
CREATE INDEX journey_attempts_by_time ON journey_attempts (realm_key, latest_at);
CREATE INDEX journey_attempts_by_expiry ON journey_attempts (expires_at);

CREATE TABLE activity_counts (
  realm_key TEXT NOT NULL,
  series TEXT NOT NULL,
  grain INTEGER NOT NULL, -- of the period, in seconds
  period INTEGER NOT NULL, -- its beginning
  label TEXT NOT NULL,
  amount INTEGER NOT NULL,
  expires_at REAL NOT NULL,
  PRIMARY KEY (realm_key, series, grain, period, label)
) STRICT, WITHOUT ROWID;
CREATE INDEX activity_counts_by_expiry ON activity_counts (expires_at);

-- Migration 23 places of sign-ins
ALTER TABLE journey_attempts ADD COLUMN client_address TEXT;

-- Migration 24 no seals of retired keys
CREATE TRIGGER server_secrets_sealed_on_insert BEFORE INSERT ON server_secrets
  WHEN EXISTS (SELECT 1 FROM server_keys) AND NOT EXISTS (
    SELECT 1 FROM server_keys WHERE retired_at IS NULL
      AND CASE WHEN substr(NEW.sealed, 1, 8) = X'5345414C524E4731'
        THEN id = lower(hex(substr(NEW.sealed, 9, 8))) ELSE generation = 0 END)
  BEGIN SELECT RAISE(ABORT, 'the row is sealed under a server key that is retired or unknown'); END;
CREATE TRIGGER server_secrets_sealed_on_update BEFORE UPDATE OF sealed ON server_secrets
  WHEN EXISTS (SELECT 1 FROM server_keys) AND NOT EXISTS (
    SELECT 1 FROM server_keys WHERE retired_at IS NULL
      AND CASE WHEN substr(NEW.sealed, 1, 8) = X'5345414C524E4731'
        THEN id = lower(hex(substr(NEW.sealed, 9, 8))) ELSE generation = 0 END)
  BEGIN SELECT RAISE(ABORT, 'the row is sealed under a server key that is retired or unknown'); END;
CREATE TRIGGER oath_devices_sealed_on_insert BEFORE INSERT ON oath_devices
  WHEN EXISTS (SELECT 1 FROM server_keys) AND NOT EXISTS (
    SELECT 1 FROM server_keys WHERE retired_at IS NULL
      AND CASE WHEN substr(NEW.sealed, 1, 8) = X'5345414C524E4731'
        THEN id = lower(hex(substr(NEW.sealed, 9, 8))) ELSE generation = 0 END)
  BEGIN SELECT RAISE(ABORT, 'the row is sealed under a server key that is retired or unknown'); END;
CREATE TRIGGER oath_devices_sealed_on_update BEFORE UPDATE OF sealed ON oath_devices
  WHEN EXISTS (SELECT 1 FROM server_keys) AND NOT EXISTS (
    SELECT 1 FROM server_keys WHERE retired_at IS NULL
      AND CASE WHEN substr(NEW.sealed, 1, 8) = X'5345414C524E4731'
        THEN id = lower(hex(substr(NEW.sealed, 9, 8))) ELSE generation = 0 END)
  BEGIN SELECT RAISE(ABORT, 'the row is sealed under a server key that is retired or unknown'); END;
CREATE TRIGGER push_devices_sealed_on_insert BEFORE INSERT ON push_devices
  WHEN EXISTS (SELECT 1 FROM server_keys) AND NOT EXISTS (
    SELECT 1 FROM server_keys WHERE retired_at IS NULL
      AND CASE WHEN substr(NEW.sealed, 1, 8) = X'5345414C524E4731'
        THEN id = lower(hex(substr(NEW.sealed, 9, 8))) ELSE generation = 0 END)
  BEGIN SELECT RAISE(ABORT, 'the row is sealed under a server key that is retired or unknown'); END;
CREATE TRIGGER push_devices_sealed_on_update BEFORE UPDATE OF sealed ON push_devices
  WHEN EXISTS (SELECT 1 FROM server_keys) AND NOT EXISTS (
    SELECT 1 FROM server_keys WHERE retired_at IS NULL
      AND CASE WHEN substr(NEW.sealed, 1, 8) = X'5345414C524E4731'
        THEN id = lower(hex(substr(NEW.sealed, 9, 8))) ELSE generation = 0 END)
  BEGIN SELECT RAISE(ABORT, 'the row is sealed under a server key that is retired or unknown'); END;
CREATE TRIGGER push_messages_sealed_on_insert BEFORE INSERT ON push_messages
  WHEN EXISTS (SELECT 1 FROM server_keys) AND NOT EXISTS (
    SELECT 1 FROM server_keys WHERE retired_at IS NULL
      AND CASE WHEN substr(NEW.sealed, 1, 8) = X'5345414C524E4731'
        THEN id = lower(hex(substr(NEW.sealed, 9, 8))) ELSE generation = 0 END)
  BEGIN SELECT RAISE(ABORT, 'the row is sealed under a server key that is retired or unknown'); END;
CREATE TRIGGER push_messages_sealed_on_update BEFORE UPDATE OF sealed ON push_messages
  WHEN EXISTS (SELECT 1 FROM server_keys) AND NOT EXISTS (
    SELECT 1 FROM server_keys WHERE retired_at IS NULL
      AND CASE WHEN substr(NEW.sealed, 1, 8) = X'5345414C524E4731'
        THEN id = lower(hex(substr(NEW.sealed, 9, 8))) ELSE generation = 0 END)
  BEGIN SELECT RAISE(ABORT, 'the row is sealed under a server key that is retired or unknown'); END;
CREATE TRIGGER suspended_journeys_sealed_on_insert BEFORE INSERT ON suspended_journeys
  WHEN EXISTS (SELECT 1 FROM server_keys) AND NOT EXISTS (
    SELECT 1 FROM server_keys WHERE retired_at IS NULL
      AND CASE WHEN substr(NEW.sealed, 1, 8) = X'5345414C524E4731'
        THEN id = lower(hex(substr(NEW.sealed, 9, 8))) ELSE generation = 0 END)
  BEGIN SELECT RAISE(ABORT, 'the row is sealed under a server key that is retired or unknown'); END;
CREATE TRIGGER suspended_journeys_sealed_on_update BEFORE UPDATE OF sealed ON suspended_journeys
  WHEN EXISTS (SELECT 1 FROM server_keys) AND NOT EXISTS (
    SELECT 1 FROM server_keys WHERE retired_at IS NULL
      AND CASE WHEN substr(NEW.sealed, 1, 8) = X'5345414C524E4731'
        THEN id = lower(hex(substr(NEW.sealed, 9, 8))) ELSE generation = 0 END)
  BEGIN SELECT RAISE(ABORT, 'the row is sealed under a server key that is retired or unknown'); END;

-- Migration 25 ids of accounts
ALTER TABLE evidence ADD COLUMN account_id TEXT;
ALTER TABLE push_decisions ADD COLUMN account_id TEXT;
ALTER TABLE transactions ADD COLUMN account_id TEXT;
CREATE INDEX evidence_use_by_day ON evidence_use (day);
