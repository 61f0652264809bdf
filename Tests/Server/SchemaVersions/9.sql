-- Version 9 of the schema: its tables, the statements that its servers send, and what becomes of each.
-- Recorded by SchemaVersionTests; see docs/scale.md.

-- Tables
CREATE TABLE IF NOT EXISTS sealring_schema (
  id bigint NOT NULL PRIMARY KEY CHECK (id = 1),
  version bigint NOT NULL,
  oldest bigint NOT NULL -- of servers that can use the tables
)
;
INSERT INTO sealring_schema (id, version, oldest) SELECT 1, 0, 1 WHERE NOT EXISTS (SELECT 1 FROM sealring_schema) ON CONFLICT DO NOTHING
;
CREATE TABLE users (realm_key text COLLATE "C" NOT NULL, name_key text COLLATE "C" NOT NULL, realm text NOT NULL, username text NOT NULL, account_id text NOT NULL, password_hash text, password_version bigint NOT NULL,
  must_change_password boolean NOT NULL, password_expires_at double precision, is_active boolean NOT NULL,
  is_administrator boolean NOT NULL, is_help_desk boolean NOT NULL, is_auditor boolean NOT NULL,
  mail text NOT NULL, attributes text NOT NULL, created_at double precision NOT NULL,
  PRIMARY KEY (realm_key, name_key))
;
CREATE TABLE sessions (realm_key text COLLATE "C" NOT NULL, name_key text COLLATE "C" NOT NULL, realm text NOT NULL, username text NOT NULL, token_hash bytea NOT NULL PRIMARY KEY, handle text NOT NULL UNIQUE,
  created_at double precision NOT NULL, latest_access double precision NOT NULL,
  maximum_idle double precision NOT NULL, expires_at double precision NOT NULL,
  ends_at double precision NOT NULL, -- the earlier of expires_at and latest_access + maximum_idle
  properties text NOT NULL, auth_level bigint NOT NULL, service text,
  authenticated_at double precision NOT NULL, added_at double precision NOT NULL DEFAULT extract(epoch FROM clock_timestamp()), FOREIGN KEY (realm_key, name_key) REFERENCES users (realm_key, name_key) ON DELETE CASCADE)
;
CREATE TABLE bound_devices (realm_key text COLLATE "C" NOT NULL, name_key text COLLATE "C" NOT NULL, realm text NOT NULL, username text NOT NULL, uuid text COLLATE "C" NOT NULL, device_name text NOT NULL,
  created_date double precision NOT NULL, last_access_date double precision NOT NULL, added_at double precision NOT NULL DEFAULT extract(epoch FROM clock_timestamp()),
  device_id text NOT NULL, key text NOT NULL, thumbprint text NOT NULL, attestation text, PRIMARY KEY (realm_key, name_key, uuid), UNIQUE (realm_key, name_key, thumbprint), FOREIGN KEY (realm_key, name_key) REFERENCES users (realm_key, name_key) ON DELETE CASCADE)
;
CREATE TABLE webauthn_devices (realm_key text COLLATE "C" NOT NULL, name_key text COLLATE "C" NOT NULL, realm text NOT NULL, username text NOT NULL, uuid text COLLATE "C" NOT NULL, device_name text NOT NULL,
  created_date double precision NOT NULL, last_access_date double precision NOT NULL, added_at double precision NOT NULL DEFAULT extract(epoch FROM clock_timestamp()),
  credential_id bytea NOT NULL, public_key bytea NOT NULL, sign_count bigint NOT NULL, user_handle bytea NOT NULL,
relying_party_id text NOT NULL, aaguid text NOT NULL, attestation_format text NOT NULL,
attestation_type text NOT NULL, attachment text, transports text NOT NULL, is_backup_eligible boolean NOT NULL,
is_backed_up boolean NOT NULL, is_uv_initialized boolean NOT NULL, PRIMARY KEY (realm_key, name_key, uuid), UNIQUE (realm_key, credential_id), FOREIGN KEY (realm_key, name_key) REFERENCES users (realm_key, name_key) ON DELETE CASCADE)
;
CREATE TABLE oath_devices (realm_key text COLLATE "C" NOT NULL, name_key text COLLATE "C" NOT NULL, realm text NOT NULL, username text NOT NULL, uuid text COLLATE "C" NOT NULL, device_name text NOT NULL,
  created_date double precision NOT NULL, last_access_date double precision NOT NULL, added_at double precision NOT NULL DEFAULT extract(epoch FROM clock_timestamp()),
  sealed bytea NOT NULL, period bigint, hash text NOT NULL, digits bigint NOT NULL, truncation_offset bigint,
adds_checksum boolean NOT NULL, next_factor bigint NOT NULL, drift bigint NOT NULL, PRIMARY KEY (realm_key, name_key, uuid),  FOREIGN KEY (realm_key, name_key) REFERENCES users (realm_key, name_key) ON DELETE CASCADE)
;
CREATE TABLE oath_accounts (realm_key text COLLATE "C" NOT NULL, name_key text COLLATE "C" NOT NULL, skip bigint NOT NULL, PRIMARY KEY (realm_key, name_key), FOREIGN KEY (realm_key, name_key) REFERENCES users (realm_key, name_key) ON DELETE CASCADE)
;
CREATE TABLE push_devices (realm_key text COLLATE "C" NOT NULL, name_key text COLLATE "C" NOT NULL, realm text NOT NULL, username text NOT NULL, uuid text COLLATE "C" NOT NULL, device_name text NOT NULL,
  created_date double precision NOT NULL, last_access_date double precision NOT NULL, added_at double precision NOT NULL DEFAULT extract(epoch FROM clock_timestamp()),
  mechanism_uid text COLLATE "C" NOT NULL, issuer text NOT NULL, sealed bytea NOT NULL,
communication_type text NOT NULL, communication_id text NOT NULL, device_type text NOT NULL,
device_token text NOT NULL, refreshed_at double precision, token_retired_at double precision, PRIMARY KEY (realm_key, name_key, uuid), UNIQUE (realm_key, mechanism_uid), FOREIGN KEY (realm_key, name_key) REFERENCES users (realm_key, name_key) ON DELETE CASCADE)
;
CREATE TABLE push_accounts (realm_key text COLLATE "C" NOT NULL, name_key text COLLATE "C" NOT NULL, messages bigint NOT NULL DEFAULT 0, wrong_answers bigint NOT NULL DEFAULT 0,
  latest double precision NOT NULL DEFAULT 0, skip bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (realm_key, name_key), FOREIGN KEY (realm_key, name_key) REFERENCES users (realm_key, name_key) ON DELETE CASCADE)
;
CREATE TABLE push_messages (realm_key text COLLATE "C" NOT NULL, name_key text COLLATE "C" NOT NULL, realm text NOT NULL, username text NOT NULL, id text COLLATE "C" NOT NULL, kind text NOT NULL, type text NOT NULL,
  sealed bytea NOT NULL, sent_at double precision NOT NULL, expires_at double precision NOT NULL,
  state text NOT NULL, wrong_answers bigint NOT NULL, decided_by text, reason text,
  PRIMARY KEY (realm_key, id), FOREIGN KEY (realm_key, name_key) REFERENCES users (realm_key, name_key) ON DELETE CASCADE)
;
CREATE TABLE push_inboxes (realm_key text COLLATE "C" NOT NULL, mechanism_uid text COLLATE "C" NOT NULL,
  message_id text COLLATE "C" NOT NULL, message text NOT NULL, was_fetched boolean NOT NULL,
  PRIMARY KEY (realm_key, mechanism_uid, message_id),
  FOREIGN KEY (realm_key, message_id) REFERENCES push_messages (realm_key, id) ON DELETE CASCADE)
;
CREATE TABLE push_decisions (realm_key text COLLATE "C" NOT NULL, name_key text COLLATE "C" NOT NULL, realm text NOT NULL, username text NOT NULL, number bigint NOT NULL, message_id text COLLATE "C" NOT NULL,
  type text NOT NULL, state text NOT NULL, device text NOT NULL, device_name text NOT NULL, reason text,
  sent_at double precision NOT NULL, decided_at double precision NOT NULL, PRIMARY KEY (realm_key, message_id))
;
CREATE TABLE recovery_codes (realm_key text COLLATE "C" NOT NULL, name_key text COLLATE "C" NOT NULL, kind text NOT NULL, hash bytea NOT NULL,
  PRIMARY KEY (realm_key, name_key, kind, hash), FOREIGN KEY (realm_key, name_key) REFERENCES users (realm_key, name_key) ON DELETE CASCADE)
;
CREATE TABLE consumed (key bytea NOT NULL PRIMARY KEY, expires_at double precision NOT NULL)
;
CREATE TABLE lockouts (realm_key text COLLATE "C" NOT NULL, name_key text COLLATE "C" NOT NULL, kind text NOT NULL, -- guesses, codes, signatures
  device text COLLATE "C" NOT NULL, -- the known device that failed; empty in common
  consecutive_failures bigint NOT NULL, lock_count bigint NOT NULL, locked_until double precision,
  latest_failure double precision NOT NULL, PRIMARY KEY (realm_key, name_key, kind, device))
;
CREATE TABLE locked_names (realm_key text COLLATE "C" NOT NULL, name_key text COLLATE "C" NOT NULL, latest double precision NOT NULL, PRIMARY KEY (realm_key, name_key))
;
CREATE TABLE applications (realm_key text COLLATE "C" NOT NULL, name_key text COLLATE "C" NOT NULL, id text COLLATE "C" NOT NULL, realm text NOT NULL, name text NOT NULL,
  secret_hash bytea NOT NULL, created_at double precision NOT NULL, plain_proofs boolean NOT NULL,
  PRIMARY KEY (realm_key, id), UNIQUE (realm_key, name_key))
;
CREATE TABLE transactions (realm_key text COLLATE "C" NOT NULL, id text COLLATE "C" NOT NULL, realm text NOT NULL,
  application_id text COLLATE "C" NOT NULL, username text, journey text NOT NULL, fields text NOT NULL,
  created_at double precision NOT NULL, expires_at double precision NOT NULL, decided_at double precision,
  state text NOT NULL CHECK (state IN ('pending', 'approved', 'refused')), reason text, signer text, key_id text,
  jws text, nonce bytea, PRIMARY KEY (realm_key, id),
  FOREIGN KEY (realm_key, application_id) REFERENCES applications (realm_key, id) ON DELETE CASCADE)
;
CREATE TABLE evidence_ledger (id bigint NOT NULL PRIMARY KEY CHECK (id = 1), header text NOT NULL,
  seal bytea NOT NULL) -- over number and hash of the last entry
;
CREATE TABLE evidence (number bigint NOT NULL PRIMARY KEY, realm_key text COLLATE "C" NOT NULL, name_key text COLLATE "C" NOT NULL, line text NOT NULL, hash bytea NOT NULL UNIQUE)
;
CREATE TABLE evidence_use (realm_key text COLLATE "C" NOT NULL, name_key text COLLATE "C" NOT NULL, day bigint NOT NULL, bytes bigint NOT NULL, PRIMARY KEY (realm_key, name_key))
;
CREATE TABLE realms (realm_key text COLLATE "C" NOT NULL PRIMARY KEY, name text NOT NULL,
  created_at double precision NOT NULL, deleted_at double precision)
;
CREATE TABLE realm_version (id bigint NOT NULL PRIMARY KEY CHECK (id = 1), version bigint NOT NULL)
;
INSERT INTO realm_version (id, version) VALUES (1, 0)
;
CREATE TABLE server_secrets (name text COLLATE "C" NOT NULL PRIMARY KEY, sealed bytea NOT NULL)
;
CREATE INDEX users_with_roles ON users (realm_key, name_key)
  WHERE is_administrator OR is_help_desk OR is_auditor
;
CREATE INDEX sessions_by_user ON sessions (realm_key, name_key)
;
CREATE INDEX sessions_by_end ON sessions (ends_at)
;
CREATE INDEX push_messages_by_user ON push_messages (realm_key, name_key)
;
CREATE INDEX push_messages_by_expiry ON push_messages (expires_at)
;
CREATE INDEX push_inboxes_by_message ON push_inboxes (realm_key, message_id)
;
CREATE INDEX push_inboxes_new ON push_inboxes (realm_key, message_id) WHERE NOT was_fetched
;
CREATE INDEX push_decisions_by_number ON push_decisions (number)
;
CREATE INDEX push_decisions_by_account ON push_decisions (realm_key, name_key, number)
;
CREATE INDEX push_decisions_by_date ON push_decisions (decided_at)
;
CREATE INDEX consumed_by_expiry ON consumed (expires_at)
;
CREATE INDEX lockouts_by_failure ON lockouts (latest_failure)
;
CREATE INDEX locked_names_by_time ON locked_names (latest)
;
CREATE INDEX open_transactions ON transactions (realm_key, application_id, expires_at) WHERE state = 'pending'
;
CREATE INDEX transactions_by_application ON transactions (realm_key, application_id)
;
CREATE INDEX transactions_by_expiry ON transactions (expires_at)
;
CREATE INDEX evidence_by_account ON evidence (realm_key, name_key, number)
;
CREATE TABLE evidence_lanes (lane bigint NOT NULL PRIMARY KEY CHECK (lane BETWEEN 1 AND 63),
  last bigint NOT NULL, seal bytea NOT NULL)
;
CREATE TABLE evidence_epochs (epoch bigint NOT NULL PRIMARY KEY, checkpoint text NOT NULL, peaks bytea NOT NULL)
;
CREATE TABLE evidence_retention (id bigint NOT NULL PRIMARY KEY CHECK (id = 1), removed bigint NOT NULL, seal bytea NOT NULL)
;
CREATE INDEX evidence_by_lane ON evidence ((number & 63), number)
  WHERE number >= 1099511627776
;
CREATE TABLE server_keys (id text COLLATE "C" NOT NULL PRIMARY KEY, generation bigint NOT NULL UNIQUE,
  announced_at double precision NOT NULL, activated_at double precision, retired_at double precision,
  revoked_at double precision)
;
CREATE TABLE server_key_holders (server text COLLATE "C" NOT NULL PRIMARY KEY, keys text NOT NULL, uses text,
  seen_at double precision NOT NULL)
;
ALTER TABLE users ADD COLUMN revision bigint NOT NULL DEFAULT 0
;
CREATE INDEX users_by_id ON users (realm_key, account_id)
;
CREATE TABLE identity_values (realm_key text COLLATE "C" NOT NULL, name_key text COLLATE "C" NOT NULL, attribute text COLLATE "C" NOT NULL, value text COLLATE "C" NOT NULL,
  unique_value text COLLATE "C", PRIMARY KEY (realm_key, name_key, attribute, value),
  UNIQUE (realm_key, attribute, unique_value), FOREIGN KEY (realm_key, name_key) REFERENCES users (realm_key, name_key) ON DELETE CASCADE)
;
CREATE INDEX identities_by_value ON identity_values (realm_key, attribute, value, name_key)
;
CREATE TABLE identity_index (id bigint NOT NULL PRIMARY KEY CHECK (id = 1), definition text NOT NULL)
;
CREATE TABLE suspended_journeys (realm_key text COLLATE "C" NOT NULL, id_hash text COLLATE "C" NOT NULL,
  sealed bytea NOT NULL, created_at double precision NOT NULL, expires_at double precision NOT NULL,
  PRIMARY KEY (realm_key, id_hash))
;
CREATE INDEX suspended_journeys_by_expiry ON suspended_journeys (expires_at)
;
CREATE TABLE grants (realm_key text COLLATE "C" NOT NULL, name_key text COLLATE "C" NOT NULL, realm text NOT NULL, username text NOT NULL, id text COLLATE "C" NOT NULL, account_id text NOT NULL,
  password_version bigint NOT NULL, client_id text COLLATE "C" NOT NULL, session_hash bytea, details text NOT NULL,
  created_at double precision NOT NULL, expires_at double precision NOT NULL, ticket_hash bytea NOT NULL,
  ticket_expires_at double precision NOT NULL, ticket_used_at double precision, refresh_hash bytea,
  polled_at double precision, ended_at double precision, PRIMARY KEY (realm_key, name_key, id), FOREIGN KEY (realm_key, name_key) REFERENCES users (realm_key, name_key) ON DELETE CASCADE)
;
CREATE TABLE consents (realm_key text COLLATE "C" NOT NULL, name_key text COLLATE "C" NOT NULL, client_id text COLLATE "C" NOT NULL, scopes text NOT NULL,
  given_at double precision NOT NULL, PRIMARY KEY (realm_key, name_key, client_id), FOREIGN KEY (realm_key, name_key) REFERENCES users (realm_key, name_key) ON DELETE CASCADE)
;
CREATE TABLE logout_notices (realm_key text COLLATE "C" NOT NULL, name_key text COLLATE "C" NOT NULL, realm text NOT NULL, username text NOT NULL, id text COLLATE "C" NOT NULL, client_id text COLLATE "C" NOT NULL,
  details text NOT NULL, attempts bigint NOT NULL, next_at double precision NOT NULL,
  expires_at double precision NOT NULL, PRIMARY KEY (realm_key, name_key, id))
;
CREATE INDEX grants_by_expiry ON grants (expires_at)
;
CREATE INDEX logout_notices_by_time ON logout_notices (next_at)
;
CREATE TABLE journey_attempts (realm_key text COLLATE "C" NOT NULL, run_id text COLLATE "C" NOT NULL,
  part text COLLATE "C" NOT NULL, name_key text COLLATE "C", journey text NOT NULL, state text NOT NULL,
  steps text NOT NULL, reason text, started_at double precision NOT NULL, latest_at double precision NOT NULL,
  expires_at double precision NOT NULL, PRIMARY KEY (realm_key, run_id, part))
;
CREATE INDEX journey_attempts_by_account ON journey_attempts (realm_key, name_key, latest_at)
;
CREATE INDEX journey_attempts_by_time ON journey_attempts (realm_key, latest_at)
;
CREATE INDEX journey_attempts_by_expiry ON journey_attempts (expires_at)
;
CREATE TABLE activity_counts (realm_key text COLLATE "C" NOT NULL, series text COLLATE "C" NOT NULL,
  grain bigint NOT NULL, -- of the period, in seconds
  period bigint NOT NULL, -- its beginning
  label text COLLATE "C" NOT NULL, amount bigint NOT NULL, expires_at double precision NOT NULL,
  PRIMARY KEY (realm_key, series, grain, period, label))
;
CREATE INDEX activity_counts_by_expiry ON activity_counts (expires_at)
;
ALTER TABLE journey_attempts ADD COLUMN client_address text
;
CREATE INDEX evidence_use_by_day ON evidence_use (day)
;
ALTER TABLE evidence ADD COLUMN account_id text
;
ALTER TABLE push_decisions ADD COLUMN account_id text
;
ALTER TABLE transactions ADD COLUMN account_id text
;
UPDATE sealring_schema SET version = 9, oldest = 1
;

-- Statements
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
PREPARE s1 (text) AS
SELECT deleted_at IS NOT NULL FROM realms WHERE realm_key = $1 FOR SHARE;
EXECUTE s1 ('alpha');
PREPARE s2 (text, text, text, text, text, boolean, boolean, boolean, boolean, text, text, double precision, text, bigint, boolean, double precision, bigint) AS
INSERT INTO users (realm_key, name_key, realm, username, password_hash, is_active, is_administrator, is_help_desk, is_auditor, mail, attributes, created_at, account_id, password_version, must_change_password, password_expires_at, revision) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17) ;
EXECUTE s2 ('alpha', 'demo', 'alpha', 'demo', '$argon2id$…', 't', 'f', 'f', 'f', '["demo@example.com","second@example.com"]', '{"cn":"Demo User","nested":{"count":3,"ratio":0.5,"none":null}}', '1800000000', 'id of demo', '0', 'f', NULL, '0');
PREPARE s3 (text, text) AS
DELETE FROM identity_values WHERE realm_key = $1 AND name_key = $2;
EXECUTE s3 ('alpha', 'demo');
PREPARE s4 (text, text, text, text, text) AS
INSERT INTO identity_values (realm_key, name_key, attribute, value, unique_value) VALUES ($1, $2, $3, $4, $5) ;
EXECUTE s4 ('alpha', 'demo', 'mail', 'demo@example.com', NULL);
EXECUTE s4 ('alpha', 'demo', 'mail', 'second@example.com', NULL);
COMMIT;
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
EXECUTE s1 ('alpha');
EXECUTE s2 ('alpha', 'other', 'alpha', 'other', '$argon2id$…', 't', 'f', 'f', 'f', '["other@example.com","second@example.com"]', '{"cn":"Demo User","nested":{"count":3,"ratio":0.5,"none":null}}', '1800000000', 'id of other', '0', 'f', NULL, '0');
EXECUTE s3 ('alpha', 'other');
EXECUTE s4 ('alpha', 'other', 'mail', 'other@example.com', NULL);
EXECUTE s4 ('alpha', 'other', 'mail', 'second@example.com', NULL);
COMMIT;
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
EXECUTE s1 ('root');
EXECUTE s2 ('root', 'root', 'root', 'root', '$argon2id$…', 't', 't', 'f', 'f', '["root@example.com","second@example.com"]', '{"cn":"Demo User","nested":{"count":3,"ratio":0.5,"none":null}}', '1800000000', 'id of root', '0', 'f', NULL, '0');
EXECUTE s3 ('root', 'root');
EXECUTE s4 ('root', 'root', 'mail', 'root@example.com', NULL);
EXECUTE s4 ('root', 'root', 'mail', 'second@example.com', NULL);
COMMIT;
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
EXECUTE s1 ('root');
EXECUTE s2 ('root', 'second', 'root', 'second', '$argon2id$…', 't', 't', 'f', 'f', '["second@example.com","second@example.com"]', '{"cn":"Demo User","nested":{"count":3,"ratio":0.5,"none":null}}', '1800000000', 'id of second', '0', 'f', NULL, '0');
EXECUTE s3 ('root', 'second');
EXECUTE s4 ('root', 'second', 'mail', 'second@example.com', NULL);
COMMIT;
PREPARE s5 (text, text) AS
SELECT * FROM users WHERE realm_key = $1 AND name_key = $2;
EXECUTE s5 ('alpha', 'demo');
PREPARE s6 (text, text, bigint) AS
SELECT * FROM users WHERE realm_key = $1 AND name_key > $2 ORDER BY name_key LIMIT $3;
EXECUTE s6 ('alpha', 'a', '10');
SELECT definition FROM identity_index;
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
PREPARE s7 (text, text, bigint) AS
SELECT * FROM users WHERE realm_key > $1 OR (realm_key = $1 AND name_key > $2)
  ORDER BY realm_key, name_key LIMIT $3 FOR NO KEY UPDATE;
EXECUTE s7 ('', '', '200');
EXECUTE s3 ('alpha', 'demo');
PREPARE s8 (text, text, text, text, text) AS
INSERT INTO identity_values (realm_key, name_key, attribute, value, unique_value) VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING;
EXECUTE s8 ('alpha', 'demo', 'mail', 'demo@example.com', NULL);
EXECUTE s8 ('alpha', 'demo', 'mail', 'second@example.com', NULL);
EXECUTE s3 ('alpha', 'other');
EXECUTE s8 ('alpha', 'other', 'mail', 'other@example.com', NULL);
EXECUTE s8 ('alpha', 'other', 'mail', 'second@example.com', NULL);
EXECUTE s3 ('root', 'root');
EXECUTE s8 ('root', 'root', 'mail', 'root@example.com', NULL);
EXECUTE s8 ('root', 'root', 'mail', 'second@example.com', NULL);
EXECUTE s3 ('root', 'second');
EXECUTE s8 ('root', 'second', 'mail', 'second@example.com', NULL);
COMMIT;
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
EXECUTE s7 ('root', 'second', '200');
COMMIT;
PREPARE s9 (text) AS
INSERT INTO identity_index (id, definition) VALUES (1, $1) ON CONFLICT (id) DO UPDATE SET definition = excluded.definition;
EXECUTE s9 ('mail
unique badge');
PREPARE s10 (text, text) AS
SELECT * FROM users WHERE realm_key = $1 AND account_id = $2;
EXECUTE s10 ('alpha', 'id of demo');
PREPARE s11 (text, text, text, text, text, bigint) AS
SELECT users.* FROM (
  SELECT DISTINCT name_key || '' AS found_key FROM identity_values
    WHERE realm_key = $1 AND attribute = $2 AND value >= $3 AND value <= $4
      AND name_key || '' > $5
    ORDER BY found_key LIMIT $6) AS found
  CROSS JOIN users WHERE users.realm_key = $1 AND users.name_key = found.found_key
  ORDER BY users.name_key;
EXECUTE s11 ('alpha', 'mail', 'a@x.org', 'a@x.org', '', '10');
EXECUTE s11 ('alpha', 'mail', 'a', 'a􏿿', '', '10');
PREPARE s12 (text, text, bigint) AS
SELECT * FROM users
  WHERE realm_key = $1 AND name_key > $2 AND (is_administrator OR is_help_desk OR is_auditor)
  ORDER BY name_key LIMIT $3;
EXECUTE s12 ('root', '', '10');
PREPARE s13 (text, text, text, text, text) AS
UPDATE users SET password_hash = $1 WHERE realm_key = $2 AND name_key = $3 AND account_id = $4 AND password_hash = $5;
EXECUTE s13 ('$argon2id$v=19$renewed', 'alpha', 'demo', 'id of demo', '$argon2id$…');
SELECT substr(password_hash, 1, 15 + strpos(substr(password_hash, 16), '$')) AS kind, count(*) AS accounts
  FROM users WHERE password_hash IS NOT NULL GROUP BY 1;
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
PREPARE s14 (text, text, boolean, text, boolean, boolean, double precision, text, text, text, bigint, boolean, bigint) AS
UPDATE users SET mail = coalesce($1, mail), attributes = coalesce($2, attributes),
  is_active = coalesce($3, is_active), password_hash = coalesce($4, password_hash),
  password_version = password_version + CASE WHEN $4 IS NULL THEN 0 ELSE 1 END,
  must_change_password = coalesce($5, must_change_password),
  password_expires_at = CASE WHEN $6 THEN $7 ELSE password_expires_at END,
  revision = revision + 1
WHERE realm_key = $8 AND name_key = $9 AND account_id = $10
  AND ($11 IS NULL OR password_version = $11) AND (is_active OR NOT $12)
  AND ($13 IS NULL OR revision = $13)
RETURNING *;
EXECUTE s14 ('["new@example.com"]', NULL, NULL, '$argon2id$v=19$new', NULL, 't', '1800000060', 'alpha', 'demo', 'id of demo', '0', 'f', '0');
EXECUTE s3 ('alpha', 'demo');
EXECUTE s4 ('alpha', 'demo', 'mail', 'new@example.com', NULL);
PREPARE s15 (text, text, bytea) AS
DELETE FROM sessions WHERE realm_key = $1 AND name_key = $2 AND token_hash IS DISTINCT FROM $3;
EXECUTE s15 ('alpha', 'demo', NULL);
COMMIT;
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
EXECUTE s14 ('["new@example.com"]', NULL, NULL, '$argon2id$v=19$new', NULL, 't', '1800000060', 'alpha', 'demo', 'id of demo', '0', 'f', '0');
EXECUTE s5 ('alpha', 'demo');
COMMIT;
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
SELECT name_key FROM users WHERE realm_key = 'root' AND is_administrator AND is_active
  ORDER BY name_key FOR NO KEY UPDATE;
EXECUTE s14 (NULL, NULL, 'f', NULL, NULL, 'f', NULL, 'root', 'second', 'id of second', NULL, 'f', NULL);
EXECUTE s15 ('root', 'second', NULL);
COMMIT;
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
PREPARE s16 (text, text) AS
SELECT * FROM users WHERE realm_key = $1 AND name_key = $2 FOR NO KEY UPDATE;
EXECUTE s16 ('alpha', 'demo');
PREPARE s17 (text, text) AS
DELETE FROM sessions WHERE realm_key = $1 AND name_key = $2;
EXECUTE s17 ('alpha', 'demo');
PREPARE s18 (boolean, text, text) AS
UPDATE users SET is_help_desk = $1 WHERE realm_key = $2 AND name_key = $3 RETURNING *;
EXECUTE s18 ('t', 'alpha', 'demo');
COMMIT;
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
EXECUTE s16 ('alpha', 'demo');
EXECUTE s18 ('f', 'alpha', 'demo');
COMMIT;
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
EXECUTE s16 ('root', 'demo');
COMMIT;
PREPARE s19 (text) AS
SELECT sealed FROM server_secrets WHERE name = $1;
EXECUTE s19 ('a secret');
PREPARE s20 (text, bytea) AS
INSERT INTO server_secrets (name, sealed) VALUES ($1, $2) ON CONFLICT DO NOTHING;
EXECUTE s20 ('a secret', '\x8da7efd5b271b5cce858fafcf6e88957cdc23880011eafb127db1f9c130c56');
EXECUTE s19 ('a secret');
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
PREPARE s21 (text, text, double precision) AS
INSERT INTO locked_names (realm_key, name_key, latest) VALUES ($1, $2, $3)
ON CONFLICT (realm_key, name_key) DO UPDATE SET latest = $3;
EXECUTE s21 ('alpha', 'demo', '1800000000');
PREPARE s22 (text, text, text, bigint, text, text) AS
SELECT place, kind, consecutive_failures, lock_count, locked_until FROM (
    SELECT CASE WHEN EXISTS (
          SELECT 1 FROM lockouts WHERE realm_key = $1 AND name_key = $2 AND device = $3)
        OR (SELECT count(DISTINCT device) FROM lockouts
          WHERE realm_key = $1 AND name_key = $2 AND device != '') < $4
      THEN $3 ELSE '' END AS place) AS places
  LEFT JOIN lockouts ON realm_key = $1 AND name_key = $2 AND device = place AND kind IN ($5, $6);
EXECUTE s22 ('alpha', 'demo', '', '10', 'guesses', 'codes');
PREPARE s23 (text, text, text, text, bigint, bigint, double precision, double precision) AS
INSERT INTO lockouts
  (realm_key, name_key, kind, device, consecutive_failures, lock_count, locked_until, latest_failure)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
ON CONFLICT (realm_key, name_key, kind, device) DO UPDATE SET consecutive_failures = $5, lock_count = $6,
  locked_until = $7, latest_failure = greatest(lockouts.latest_failure, $8);
EXECUTE s23 ('alpha', 'demo', 'guesses', '', '1', '0', NULL, '1800000000');
COMMIT;
EXECUTE s22 ('alpha', 'demo', '', '10', 'guesses', 'codes');
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
EXECUTE s21 ('alpha', 'demo', '1800000000');
EXECUTE s22 ('alpha', 'demo', '', '10', 'guesses', 'codes');
PREPARE s24 (text, text, text, text) AS
DELETE FROM lockouts WHERE realm_key = $1 AND name_key = $2 AND kind = $3 AND device = $4;
EXECUTE s24 ('alpha', 'demo', 'guesses', '');
COMMIT;
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
EXECUTE s21 ('alpha', 'demo', '1800000000');
EXECUTE s22 ('alpha', 'demo', '', '10', 'guesses', 'codes');
EXECUTE s23 ('alpha', 'demo', 'guesses', '', '1', '0', NULL, '1800000000');
COMMIT;
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
EXECUTE s21 ('alpha', 'demo', '1800000000');
EXECUTE s22 ('alpha', 'demo', '', '10', 'signatures', 'signatures');
EXECUTE s23 ('alpha', 'demo', 'signatures', '', '1', '0', NULL, '1800000000');
COMMIT;
EXECUTE s22 ('alpha', 'demo', '', '10', 'signatures', 'signatures');
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
EXECUTE s21 ('alpha', 'demo', '1800000000');
EXECUTE s22 ('alpha', 'demo', '', '10', 'signatures', 'signatures');
EXECUTE s24 ('alpha', 'demo', 'signatures', '');
COMMIT;
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
EXECUTE s21 ('alpha', 'demo', '1800000000');
EXECUTE s22 ('alpha', 'demo', '', '10', 'signatures', 'signatures');
EXECUTE s23 ('alpha', 'demo', 'signatures', '', '1', '0', NULL, '1800000000');
COMMIT;
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
EXECUTE s21 ('alpha', 'demo', '1800000000');
EXECUTE s22 ('alpha', 'demo', 'phone', '10', 'guesses', 'codes');
EXECUTE s23 ('alpha', 'demo', 'guesses', 'phone', '1', '0', NULL, '1800000000');
COMMIT;
EXECUTE s22 ('alpha', 'demo', 'phone', '10', 'guesses', 'codes');
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
EXECUTE s21 ('alpha', 'demo', '1800000000');
EXECUTE s22 ('alpha', 'demo', 'phone', '10', 'guesses', 'codes');
EXECUTE s24 ('alpha', 'demo', 'guesses', 'phone');
COMMIT;
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
EXECUTE s21 ('alpha', 'demo', '1800000000');
EXECUTE s22 ('alpha', 'demo', 'phone', '10', 'guesses', 'codes');
EXECUTE s23 ('alpha', 'demo', 'guesses', 'phone', '1', '0', NULL, '1800000000');
COMMIT;
EXECUTE s22 ('alpha', 'demo', '', '10', 'guesses', 'codes');
PREPARE s25 (text, text, double precision) AS
SELECT name_key, kind, max(locked_until) AS until FROM lockouts
  WHERE realm_key = $1 AND name_key IN (SELECT json_array_elements_text($2::json)) AND locked_until > $3
  GROUP BY name_key, kind;
EXECUTE s25 ('alpha', '["demo","other"]', '1800000000');
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
PREPARE s26 (text, text) AS
DELETE FROM lockouts WHERE realm_key = $1 AND name_key = $2;
EXECUTE s26 ('alpha', 'demo');
COMMIT;
PREPARE s27 (bytea, double precision) AS
INSERT INTO consumed (key, expires_at) VALUES ($1, $2) ON CONFLICT DO NOTHING;
EXECUTE s27 ('\x01', '1800000060');
EXECUTE s5 ('alpha', 'demo');
EXECUTE s27 ('\x01', '1800000060');
EXECUTE s5 ('alpha', 'demo');
EXECUTE s27 ('\x02', '1800000060');
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
EXECUTE s1 ('alpha');
PREPARE s28 (text, text, bytea, double precision, double precision) AS
INSERT INTO suspended_journeys (realm_key, id_hash, sealed, created_at, expires_at) VALUES ($1, $2, $3, $4, $5) ;
EXECUTE s28 ('alpha', 'aa', '\x30a95384a56e700046b16a4f08eea8ea6313022a85af92bd60ee2abed573a2cc0ebd411c72ea216d82488de912cd', '1800000000', '1800000300');
COMMIT;
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
EXECUTE s1 ('alpha');
EXECUTE s28 ('alpha', 'bb', '\xc9137764d5f783b8ba4506ad82d322b809318d9e1732b9aac0938546111868555ef7b0ba9a4ff63bbd364e558efb', '1800000000', '1800000300');
COMMIT;
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
PREPARE s29 (text, text, double precision) AS
DELETE FROM suspended_journeys WHERE realm_key = $1 AND id_hash = $2 AND expires_at > $3 RETURNING sealed;
EXECUTE s29 ('alpha', 'aa', '1800000000');
COMMIT;
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
EXECUTE s29 ('alpha', 'aa', '1800000000');
COMMIT;
EXECUTE s5 ('alpha', 'demo');
PREPARE s30 (double precision, bytea, text, double precision, double precision, double precision, double precision, text, bigint, text, double precision, text, text, text, text, bigint) AS
INSERT INTO sessions (realm_key, name_key, realm, username, ends_at, token_hash, handle, created_at,
  latest_access, maximum_idle, expires_at, properties, auth_level, service, authenticated_at)
SELECT realm_key, name_key, realm, username, $1, $2, $3, $4, $5,
  $6, $7, $8, $9, $10, $11
  FROM users WHERE realm_key = $12 AND name_key = $13 AND is_active
    AND ($14 IS NULL OR account_id = $14)
    AND ($15 IS NULL OR (account_id = $15 AND password_version = $16))
  FOR NO KEY UPDATE;
EXECUTE s30 ('1800001800', '\x0101010101010101010101010101010101010101010101010101010101010101', 'shandle:1', '1800000000', '1800000000', '1800', '1800007200', '{"AMCtxId":"context"}', '0', NULL, '1800000000', 'alpha', 'demo', 'id of demo', 'id of demo', '1');
PREPARE s31 (text, text, bigint) AS
DELETE FROM sessions WHERE token_hash IN (
  SELECT token_hash FROM sessions WHERE realm_key = $1 AND name_key = $2
    ORDER BY created_at DESC, added_at DESC OFFSET $3);
EXECUTE s31 ('alpha', 'demo', '100');
EXECUTE s5 ('alpha', 'demo');
EXECUTE s30 ('1800001800', '\x0202020202020202020202020202020202020202020202020202020202020202', 'shandle:2', '1800000000', '1800000000', '1800', '1800007200', '{"AMCtxId":"context"}', '0', NULL, '1800000000', 'alpha', 'demo', 'id of demo', 'id of demo', '1');
EXECUTE s31 ('alpha', 'demo', '100');
EXECUTE s5 ('alpha', 'demo');
EXECUTE s30 ('1800001800', '\x0303030303030303030303030303030303030303030303030303030303030303', 'shandle:3', '1800000000', '1800000000', '1800', '1800007200', '{"AMCtxId":"context"}', '0', NULL, '1800000000', 'alpha', 'demo', 'id of demo', 'id of demo', '1');
EXECUTE s31 ('alpha', 'demo', '100');
EXECUTE s5 ('alpha', 'demo');
EXECUTE s30 ('1800001800', '\x0404040404040404040404040404040404040404040404040404040404040404', 'shandle:4', '1800000000', '1800000000', '1800', '1800007200', '{"AMCtxId":"context"}', '0', NULL, '1800000000', 'alpha', 'demo', 'id of demo', 'id of demo', '1');
EXECUTE s31 ('alpha', 'demo', '100');
EXECUTE s5 ('alpha', 'demo');
EXECUTE s30 ('1800001800', '\x0505050505050505050505050505050505050505050505050505050505050505', 'shandle:5', '1800000000', '1800000000', '1800', '1800007200', '{"AMCtxId":"context"}', '0', NULL, '1800000000', 'alpha', 'demo', 'id of demo', 'id of demo', '1');
EXECUTE s31 ('alpha', 'demo', '100');
EXECUTE s5 ('alpha', 'demo');
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
PREPARE s32 (bytea, double precision, text, text) AS
DELETE FROM sessions WHERE token_hash = $1 AND ends_at > $2 AND realm_key = $3 AND name_key = $4;
EXECUTE s32 ('\x0505050505050505050505050505050505050505050505050505050505050505', '1800000000', 'alpha', 'demo');
EXECUTE s30 ('1800001800', '\x0606060606060606060606060606060606060606060606060606060606060606', 'shandle:6', '1800000000', '1800000000', '1800', '1800007200', '{"AMCtxId":"context"}', '0', NULL, '1800000000', 'alpha', 'demo', 'id of demo', NULL, NULL);
EXECUTE s5 ('alpha', 'demo');
COMMIT;
PREPARE s33 (bytea, double precision) AS
SELECT sessions.*, users.account_id FROM sessions JOIN users USING (realm_key, name_key) WHERE token_hash = $1 AND ends_at > $2 AND is_active;
EXECUTE s33 ('\x0101010101010101010101010101010101010101010101010101010101010101', '1800000000');
PREPARE s34 (double precision, bytea) AS
UPDATE sessions SET latest_access = greatest(latest_access, $1),
  ends_at = least(expires_at, greatest(latest_access, $1) + maximum_idle)
WHERE token_hash = $2 AND ends_at > $1 AND EXISTS (SELECT 1 FROM users WHERE users.realm_key = sessions.realm_key
  AND users.name_key = sessions.name_key AND users.is_active);
EXECUTE s34 ('1800000060', '\x0101010101010101010101010101010101010101010101010101010101010101');
PREPARE s35 (text, text, double precision) AS
SELECT sessions.*, users.account_id FROM sessions JOIN users USING (realm_key, name_key) WHERE realm_key = $1 AND name_key = $2 AND ends_at > $3 AND is_active
  ORDER BY sessions.created_at, added_at;
EXECUTE s35 ('alpha', 'demo', '1800000000');
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
PREPARE s36 (bytea, double precision) AS
SELECT users.realm_key, users.name_key, users.is_administrator, users.is_help_desk, users.is_auditor
  FROM sessions JOIN users USING (realm_key, name_key)
  WHERE sessions.token_hash = $1 AND sessions.ends_at > $2 AND users.is_active FOR SHARE;
EXECUTE s36 ('\x0101010101010101010101010101010101010101010101010101010101010101', '1800000000');
PREPARE s37 (text, text) AS
SELECT users.is_administrator, users.is_help_desk, users.is_auditor FROM users WHERE realm_key = $1 AND name_key = $2;
EXECUTE s37 ('alpha', 'demo');
EXECUTE s26 ('alpha', 'demo');
COMMIT;
PREPARE s38 (bytea) AS
DELETE FROM sessions WHERE token_hash = $1;
EXECUTE s38 ('\x0101010101010101010101010101010101010101010101010101010101010101');
PREPARE s39 (text) AS
DELETE FROM sessions WHERE handle = $1;
EXECUTE s39 ('shandle:2');
EXECUTE s17 ('alpha', 'demo');
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
PREPARE s40 (text, text, text) AS
SELECT true FROM users WHERE realm_key = $1 AND name_key = $2 AND ($3 IS NULL OR account_id = $3)
  FOR NO KEY UPDATE;
EXECUTE s40 ('alpha', 'demo', NULL);
PREPARE s41 (text, text, text, text) AS
SELECT EXISTS (SELECT 1 FROM bound_devices WHERE realm_key = $1 AND name_key = $2 AND (uuid = $3 OR thumbprint = $4));
EXECUTE s41 ('alpha', 'demo', 'device-1', 'thumbprint of device-1');
PREPARE s42 (text, text) AS
SELECT count(*) FROM bound_devices WHERE realm_key = $1 AND name_key = $2;
EXECUTE s42 ('alpha', 'demo');
PREPARE s43 (text, text) AS
SELECT EXISTS (SELECT 1 FROM bound_devices WHERE realm_key = $1 AND name_key = $2) OR EXISTS (SELECT 1 FROM webauthn_devices WHERE realm_key = $1 AND name_key = $2) OR EXISTS (SELECT 1 FROM push_devices WHERE realm_key = $1 AND name_key = $2) OR EXISTS (SELECT 1 FROM oath_devices WHERE realm_key = $1 AND name_key = $2);
EXECUTE s43 ('alpha', 'demo');
PREPARE s44 (text, text, text, text, text, double precision, double precision, text, text, text) AS
INSERT INTO bound_devices (realm_key, name_key, realm, username, uuid, device_id, device_name, key, thumbprint, created_date, last_access_date, attestation)
SELECT realm_key, name_key, realm, username, $1, $2, $3, $4, $5, $6, $7, $8 FROM users WHERE realm_key = $9 AND name_key = $10
ON CONFLICT DO NOTHING;
EXECUTE s44 ('device-1', 'id of device-1', 'Ümläut 📱', '{"kty":"EC","crv":"P-256","x":"AA","y":"BB","kid":"device-1"}', 'thumbprint of device-1', '1800000000', '1800000000', NULL, 'alpha', 'demo');
COMMIT;
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
EXECUTE s40 ('alpha', 'demo', NULL);
EXECUTE s41 ('alpha', 'demo', 'device-2', 'thumbprint of device-2');
EXECUTE s42 ('alpha', 'demo');
EXECUTE s43 ('alpha', 'demo');
EXECUTE s44 ('device-2', 'id of device-2', 'Ümläut 📱', '{"kty":"EC","crv":"P-256","x":"AA","y":"BB","kid":"device-2"}', 'thumbprint of device-2', '1800000000', '1800000000', NULL, 'alpha', 'demo');
EXECUTE s27 ('\x0301', '1800000060');
SELECT id FROM evidence_ledger WHERE id = 1 FOR NO KEY UPDATE;
PREPARE s45 (bigint) AS
SELECT seal, number, hash FROM evidence_ledger LEFT JOIN evidence
  ON number = (SELECT max(number) FROM evidence WHERE number < $1);
EXECUTE s45 ('1099511627776');
PREPARE s46 (text, text, bigint, bigint, bigint) AS
INSERT INTO evidence_use AS known (realm_key, name_key, day, bytes) VALUES ($1, $2, $3, $4)
ON CONFLICT (realm_key, name_key) DO UPDATE SET
  bytes = CASE WHEN $3 > known.day THEN $4 ELSE known.bytes + $4 END, day = greatest(known.day, $3)
WHERE $3 > known.day OR known.bytes + $4 <= $5;
EXECUTE s46 ('alpha', 'demo', '20833', '334', '2097152');
PREPARE s47 (bigint, text, text, text, text, bytea) AS
INSERT INTO evidence (number, realm_key, name_key, account_id, line, hash) VALUES ($1, $2, $3, $4, $5, $6) ;
EXECUTE s47 ('1', 'alpha', 'demo', NULL, '{"number":1,"previous":"6NE2v5Ye0OD1yPUxlNuBVwPkcz-VLVExJb6vxIhRScA","kind":"bind","time":1800000000000,"realm":"alpha","journey":"SignIn","node":"node","username":"demo","userId":"id=demo","device":"device-2","key":{"kty":"EC"},"attestation":null,"transaction":null,"jws":"a.b.c","hash":"f6Fo8v6SPmNsgURApri4s0ENjQZB8DQYL7FM6IOP2GE"}', '\x7fa168f2fe923e636c814440a6b8b8b3410d8d0641f034182fb14ce8838fd861');
PREPARE s48 (bytea) AS
UPDATE evidence_ledger SET seal = $1 WHERE id = 1;
EXECUTE s48 ('\x1a4c90dd5b6b7e95f6f9df0d3e8ffcc903e6af365526f24badd9d67e3d5ae9f5');
COMMIT;
PREPARE s49 (text, text, text) AS
SELECT * FROM bound_devices WHERE realm_key = $1 AND name_key = $2 AND uuid = $3;
EXECUTE s49 ('alpha', 'demo', 'device-1');
EXECUTE s5 ('alpha', 'demo');
EXECUTE s22 ('alpha', 'demo', '', '10', 'signatures', 'signatures');
EXECUTE s49 ('alpha', 'demo', 'device-1');
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
PREPARE s50 (double precision, text, text, text) AS
UPDATE bound_devices SET last_access_date = greatest(last_access_date, $1)
  WHERE realm_key = $2 AND name_key = $3 AND uuid = $4;
EXECUTE s50 ('1800000000', 'alpha', 'demo', 'device-1');
EXECUTE s27 ('\x0302', '1800000060');
PREPARE s51 (text, text) AS
DELETE FROM lockouts WHERE realm_key = $1 AND name_key = $2 AND kind = 'signatures' AND device = '';
EXECUTE s51 ('alpha', 'demo');
SELECT id FROM evidence_ledger WHERE id = 1 FOR NO KEY UPDATE;
EXECUTE s45 ('1099511627776');
EXECUTE s46 ('alpha', 'demo', '20833', '334', '2097152');
EXECUTE s47 ('2', 'alpha', 'demo', NULL, '{"number":2,"previous":"f6Fo8v6SPmNsgURApri4s0ENjQZB8DQYL7FM6IOP2GE","kind":"sign","time":1800000000000,"realm":"alpha","journey":"SignIn","node":"node","username":"demo","userId":"id=demo","device":"device-1","key":{"kty":"EC"},"attestation":null,"transaction":null,"jws":"a.b.c","hash":"bip5nlolRRdgAy6rbztgkye7rR4x4dk7D-_tq0i5DBQ"}', '\x6e2a799e5a25451760032eab6f3b609327bbad1e31e1d93b0fefedab48b90c14');
EXECUTE s48 ('\x2a207ca7351b73aa6df880c1ec9a0f233b835c085509955111d5496316c6cffc');
COMMIT;
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
EXECUTE s50 ('1800000000', 'alpha', 'demo', 'device-1');
EXECUTE s27 ('\x0302', '1800000060');
EXECUTE s51 ('alpha', 'demo');
SELECT id FROM evidence_ledger WHERE id = 1 FOR NO KEY UPDATE;
EXECUTE s45 ('1099511627776');
ROLLBACK;
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
EXECUTE s50 ('1800000000', 'alpha', 'demo', 'none');
EXECUTE s27 ('\x0303', '1800000060');
SELECT id FROM evidence_ledger WHERE id = 1 FOR NO KEY UPDATE;
EXECUTE s45 ('1099511627776');
ROLLBACK;
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
EXECUTE s27 ('\x0304', '1800000060');
SELECT id FROM evidence_ledger WHERE id = 1 FOR NO KEY UPDATE;
EXECUTE s45 ('1099511627776');
EXECUTE s46 ('alpha', 'demo', '20833', '334', '2097152');
EXECUTE s47 ('3', 'alpha', 'demo', NULL, '{"number":3,"previous":"bip5nlolRRdgAy6rbztgkye7rR4x4dk7D-_tq0i5DBQ","kind":"sign","time":1800000000000,"realm":"alpha","journey":"SignIn","node":"node","username":"demo","userId":"id=demo","device":"device-1","key":{"kty":"EC"},"attestation":null,"transaction":null,"jws":"a.b.c","hash":"3eCPprmzGR_aiyY2pMbf164KzHv5oDl7JWmLhtGp1ck"}', '\xdde08fa6b9b3191fda8b2636a4c6dfd7ae0acc7bf9a0397b25698b86d1a9d5c9');
EXECUTE s48 ('\x0af90a972902f9725dff7f8c08ee19f759d43b90ef8525df05e49bf1c0c37624');
COMMIT;
PREPARE s52 (bigint) AS
SELECT number, line FROM evidence WHERE number = $1 AND line <> '';
EXECUTE s52 ('1');
PREPARE s53 (bigint, text, text, bigint, bigint, text, bigint, bigint) AS
SELECT number, line FROM evidence WHERE number < $1 AND line <> '' AND ($2 IS NULL OR realm_key = $2) AND ($3 IS NULL OR name_key = $3)
  AND ($4 IS NULL OR (nullif(line, '')::json->>'time')::bigint >= $4)
  AND ($5 IS NULL OR (nullif(line, '')::json->>'time')::bigint < $5)
  AND ($6 IS NULL OR nullif(line, '')::json->>'kind' = $6)
  ORDER BY number DESC LIMIT $7 OFFSET $8;
EXECUTE s53 ('100', 'alpha', 'demo', NULL, NULL, NULL, '10', '0');
PREPARE s54 (bigint, text, text, text, bigint, bigint, text, bigint, bigint) AS
SELECT number, line FROM evidence WHERE number < $1 AND line <> '' AND realm_key = $2 AND name_key = $3 AND (account_id = $4 OR (account_id IS NULL
  AND (nullif(line, '')::json->>'time')::bigint >= floor((SELECT created_at FROM users WHERE users.realm_key = $2 AND users.name_key = $3
  AND users.account_id = $4) * 1000)))
  AND ($5 IS NULL OR (nullif(line, '')::json->>'time')::bigint >= $5)
  AND ($6 IS NULL OR (nullif(line, '')::json->>'time')::bigint < $6)
  AND ($7 IS NULL OR nullif(line, '')::json->>'kind' = $7)
  ORDER BY number DESC LIMIT $8 OFFSET $9;
EXECUTE s54 ('9223372036854775807', 'alpha', 'demo', 'id of demo', NULL, NULL, NULL, '10', '0');
EXECUTE s43 ('alpha', 'demo');
PREPARE s55 (text, text) AS
SELECT * FROM bound_devices WHERE realm_key = $1 AND name_key = $2 ORDER BY created_date DESC, added_at DESC;
EXECUTE s55 ('alpha', 'demo');
PREPARE s56 (text, text, text, text) AS
UPDATE bound_devices SET device_name = $1 WHERE realm_key = $2 AND name_key = $3 AND uuid = $4 RETURNING *;
EXECUTE s56 ('New name', 'alpha', 'demo', 'device-2');
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
EXECUTE s40 ('alpha', 'demo', NULL);
PREPARE s57 (text, text, text) AS
DELETE FROM bound_devices WHERE realm_key = $1 AND name_key = $2 AND ($3 IS NULL OR uuid = $3) RETURNING *;
EXECUTE s57 ('alpha', 'demo', 'device-2');
COMMIT;
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
EXECUTE s40 ('alpha', 'demo', NULL);
EXECUTE s57 ('alpha', 'demo', NULL);
COMMIT;
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
EXECUTE s40 ('alpha', 'demo', NULL);
PREPARE s58 (text, bytea) AS
SELECT EXISTS (SELECT 1 FROM webauthn_devices WHERE realm_key = $1 AND (credential_id = $2));
EXECUTE s58 ('alpha', '\x010203');
PREPARE s59 (text, text) AS
SELECT count(*) FROM webauthn_devices WHERE realm_key = $1 AND name_key = $2;
EXECUTE s59 ('alpha', 'demo');
EXECUTE s43 ('alpha', 'demo');
PREPARE s60 (text, text, bytea, bytea, bigint, bytea, text, text, text, text, text, text, boolean, boolean, boolean, double precision, double precision, text, text) AS
INSERT INTO webauthn_devices (realm_key, name_key, realm, username, uuid, device_name, credential_id, public_key, sign_count, user_handle, relying_party_id, aaguid, attestation_format, attestation_type, attachment, transports, is_backup_eligible, is_backed_up, is_uv_initialized, created_date, last_access_date)
SELECT realm_key, name_key, realm, username, $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17 FROM users WHERE realm_key = $18 AND name_key = $19
ON CONFLICT DO NOTHING;
EXECUTE s60 ('w1', 'Key', '\x010203', '\x09', '1', '\x07', 'example.com', '00000000-0000-0000-0000-000000000000', 'none', 'NONE', NULL, '[]', 't', 'f', 'f', '1800000000', '1800000000', 'alpha', 'demo');
COMMIT;
PREPARE s61 (text, bytea) AS
SELECT * FROM webauthn_devices WHERE realm_key = $1 AND credential_id = $2;
EXECUTE s61 ('alpha', '\x010203');
PREPARE s62 (boolean, boolean, double precision, bigint, text, bytea) AS
UPDATE webauthn_devices AS d SET is_backed_up = $1 AND d.is_backup_eligible,
  is_uv_initialized = d.is_uv_initialized OR $2,
  last_access_date = greatest(d.last_access_date, $3), sign_count = greatest(d.sign_count, $4)
  FROM (SELECT realm_key, credential_id, sign_count AS before FROM webauthn_devices
    WHERE realm_key = $5 AND credential_id = $6 FOR NO KEY UPDATE) AS old
  WHERE d.realm_key = old.realm_key AND d.credential_id = old.credential_id
  RETURNING before < $4 OR (before = 0 AND $4 = 0) AS advanced;
EXECUTE s62 ('t', 't', '1800000000', '2', 'alpha', '\x010203');
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
EXECUTE s40 ('alpha', 'demo', NULL);
PREPARE s63 (text, text, text) AS
SELECT EXISTS (SELECT 1 FROM oath_devices WHERE realm_key = $1 AND name_key = $2 AND (uuid = $3));
EXECUTE s63 ('alpha', 'demo', 'o1');
PREPARE s64 (text, text) AS
SELECT count(*) FROM oath_devices WHERE realm_key = $1 AND name_key = $2;
EXECUTE s64 ('alpha', 'demo');
EXECUTE s43 ('alpha', 'demo');
PREPARE s65 (text, text, bytea, bigint, text, bigint, bigint, boolean, bigint, bigint, double precision, double precision, text, text) AS
INSERT INTO oath_devices (realm_key, name_key, realm, username, uuid, device_name, sealed, period, hash, digits, truncation_offset, adds_checksum, next_factor, drift, created_date, last_access_date)
SELECT realm_key, name_key, realm, username, $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12 FROM users WHERE realm_key = $13 AND name_key = $14
ON CONFLICT DO NOTHING;
EXECUTE s65 ('o1', 'OATH Device', '\x59079d3a1826f4d95c483a61eeb01c9144666c3cc28e2c78088b90b3d855987d3d9653d2e5354ef2142e3ae40e3e80b6', NULL, 'SHA1', '6', NULL, 'f', '0', '0', '1800000000', '1800000000', 'alpha', 'demo');
COMMIT;
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
EXECUTE s21 ('alpha', 'demo', '1800000000');
EXECUTE s22 ('alpha', 'demo', '', '10', 'guesses', 'codes');
PREPARE s66 (bigint, bigint, double precision, text, text, text) AS
UPDATE oath_devices SET next_factor = $1 + 1, drift = $2,
  last_access_date = greatest(last_access_date, $3)
WHERE realm_key = $4 AND name_key = $5 AND uuid = $6 AND next_factor <= $1;
EXECUTE s66 ('5', '0', '1800000000', 'alpha', 'demo', 'o1');
EXECUTE s24 ('alpha', 'demo', 'guesses', '');
EXECUTE s24 ('alpha', 'demo', 'codes', '');
COMMIT;
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
EXECUTE s21 ('alpha', 'demo', '1800000000');
EXECUTE s22 ('alpha', 'demo', '', '10', 'guesses', 'codes');
EXECUTE s66 ('5', '0', '1800000000', 'alpha', 'demo', 'o1');
COMMIT;
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
EXECUTE s21 ('alpha', 'demo', '1800000000');
EXECUTE s22 ('alpha', 'demo', '', '10', 'guesses', 'codes');
EXECUTE s23 ('alpha', 'demo', 'guesses', '', '1', '0', NULL, '1800000000');
EXECUTE s23 ('alpha', 'demo', 'codes', '', '1', '0', NULL, '1800000000');
COMMIT;
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
EXECUTE s40 ('alpha', 'demo', NULL);
PREPARE s67 (text, text, text) AS
DELETE FROM recovery_codes WHERE realm_key = $1 AND name_key = $2 AND kind = $3;
EXECUTE s67 ('alpha', 'demo', 'OATH');
PREPARE s68 (text, text, text, bytea) AS
INSERT INTO recovery_codes (realm_key, name_key, kind, hash) VALUES ($1, $2, $3, $4) ;
EXECUTE s68 ('alpha', 'demo', 'OATH', '\x01');
EXECUTE s68 ('alpha', 'demo', 'OATH', '\x02');
COMMIT;
PREPARE s69 (text, text, text, bytea) AS
DELETE FROM recovery_codes WHERE realm_key = $1 AND name_key = $2 AND kind = $3 AND hash = $4;
EXECUTE s69 ('alpha', 'demo', 'OATH', '\x01');
PREPARE s70 (text, text) AS
SELECT * FROM webauthn_devices WHERE realm_key = $1 AND name_key = $2 ORDER BY created_date DESC, added_at DESC;
EXECUTE s70 ('alpha', 'demo');
PREPARE s71 (text, text, text, text) AS
UPDATE webauthn_devices SET device_name = $1 WHERE realm_key = $2 AND name_key = $3 AND uuid = $4 RETURNING *;
EXECUTE s71 ('New name', 'alpha', 'demo', 'w1');
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
EXECUTE s40 ('alpha', 'demo', NULL);
PREPARE s72 (text, text, text) AS
DELETE FROM webauthn_devices WHERE realm_key = $1 AND name_key = $2 AND ($3 IS NULL OR uuid = $3) RETURNING *;
EXECUTE s72 ('alpha', 'demo', 'w1');
PREPARE s73 (text, text, text) AS
DELETE FROM recovery_codes WHERE realm_key = $1 AND name_key = $2 AND kind = $3
  AND NOT EXISTS (SELECT 1 FROM webauthn_devices WHERE realm_key = $1 AND name_key = $2);
EXECUTE s73 ('alpha', 'demo', 'WEB_AUTHN');
COMMIT;
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
EXECUTE s40 ('alpha', 'demo', NULL);
EXECUTE s72 ('alpha', 'demo', NULL);
EXECUTE s73 ('alpha', 'demo', 'WEB_AUTHN');
COMMIT;
PREPARE s74 (text, text) AS
SELECT * FROM oath_devices WHERE realm_key = $1 AND name_key = $2 ORDER BY created_date DESC, added_at DESC;
EXECUTE s74 ('alpha', 'demo');
PREPARE s75 (text, text, text, text) AS
UPDATE oath_devices SET device_name = $1 WHERE realm_key = $2 AND name_key = $3 AND uuid = $4 RETURNING *;
EXECUTE s75 ('New name', 'alpha', 'demo', 'o1');
PREPARE s76 (text, text) AS
SELECT skip FROM oath_accounts WHERE realm_key = $1 AND name_key = $2;
EXECUTE s76 ('alpha', 'demo');
PREPARE s77 (bigint, text, text) AS
INSERT INTO oath_accounts (realm_key, name_key, skip)
SELECT realm_key, name_key, $1 FROM users WHERE realm_key = $2 AND name_key = $3
ON CONFLICT (realm_key, name_key) DO UPDATE SET skip = $1;
EXECUTE s77 ('0', 'alpha', 'demo');
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
EXECUTE s40 ('alpha', 'demo', NULL);
PREPARE s78 (text, text, text) AS
DELETE FROM oath_devices WHERE realm_key = $1 AND name_key = $2 AND ($3 IS NULL OR uuid = $3) RETURNING *;
EXECUTE s78 ('alpha', 'demo', 'o1');
PREPARE s79 (text, text, text) AS
DELETE FROM recovery_codes WHERE realm_key = $1 AND name_key = $2 AND kind = $3
  AND NOT EXISTS (SELECT 1 FROM oath_devices WHERE realm_key = $1 AND name_key = $2);
EXECUTE s79 ('alpha', 'demo', 'OATH');
COMMIT;
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
EXECUTE s40 ('alpha', 'demo', NULL);
EXECUTE s78 ('alpha', 'demo', NULL);
EXECUTE s77 ('0', 'alpha', 'demo');
EXECUTE s79 ('alpha', 'demo', 'OATH');
COMMIT;
PREPARE s80 (text, text, text, bytea, double precision, double precision, text, bigint, text, text, text, text) AS
INSERT INTO push_messages (realm_key, name_key, realm, username, id, kind, type, sealed, sent_at, expires_at, state, wrong_answers, decided_by, reason)
SELECT realm_key, name_key, realm, username, $1, $2, $3, $4, $5, $6, $7, $8, $9, $10 FROM users WHERE realm_key = $11 AND name_key = $12
;
EXECUTE s80 ('REGISTER:1', 'registration', 'default', '\x5920fa541f07deb8f8244e10b779f89f1471e596cf0cb780d1c3a757619e1ac121c47e9549e26c59770192dfc92882bb21707b3d5759d1aa334f26c8b9df92acab83ef8bd78750ae9a0ec973860a5962c5bdbb37c92b804c7b56833ce1854867285e9d6b34bc762b251f5c6b8bef45af37b62f3f254bae95218c2de45989872f8438aa53', '1800000000', '1800000060', 'pending', '0', NULL, NULL, 'alpha', 'demo');
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
EXECUTE s40 ('alpha', 'demo', NULL);
PREPARE s81 (text, text) AS
SELECT * FROM push_messages WHERE realm_key = $1 AND id = $2 FOR NO KEY UPDATE;
EXECUTE s81 ('alpha', 'REGISTER:1');
EXECUTE s64 ('alpha', 'demo');
EXECUTE s40 ('alpha', 'demo', NULL);
PREPARE s82 (text, text) AS
SELECT EXISTS (SELECT 1 FROM push_devices WHERE realm_key = $1 AND (mechanism_uid = $2));
EXECUTE s82 ('alpha', 'm1');
PREPARE s83 (text, text) AS
SELECT count(*) FROM push_devices WHERE realm_key = $1 AND name_key = $2;
EXECUTE s83 ('alpha', 'demo');
EXECUTE s43 ('alpha', 'demo');
PREPARE s84 (text, text, text, text, bytea, text, text, text, text, double precision, double precision, double precision, text, text) AS
INSERT INTO push_devices (realm_key, name_key, realm, username, uuid, device_name, mechanism_uid, issuer, sealed, communication_type, communication_id, device_type, device_token, created_date, last_access_date, token_retired_at)
SELECT realm_key, name_key, realm, username, $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12 FROM users WHERE realm_key = $13 AND name_key = $14
ON CONFLICT DO NOTHING;
EXECUTE s84 ('uuid of m1', 'Phone', 'm1', 'Bank', '\x90455f5cabebbbbdc1422c2776665f805cd0d91002b684654060405f0c6d3cae8514c8ac447f700f534978a97e74846bd32eeba8bdf18743865556b9', 'poll', 'token', 'linux', 'token', '1800000000', '1800000000', NULL, 'alpha', 'demo');
PREPARE s85 (text, text, text, text, text, double precision) AS
UPDATE push_messages SET state = $1, decided_by = $2, reason = $3 WHERE realm_key = $4 AND id = $5 AND state = 'pending' AND expires_at > $6;
EXECUTE s85 ('approved', 'm1', NULL, 'alpha', 'REGISTER:1', '1800000000');
COMMIT;
PREPARE s86 (text, text) AS
SELECT * FROM push_devices WHERE realm_key = $1 AND mechanism_uid = $2;
EXECUTE s86 ('alpha', 'm1');
PREPARE s87 (text) AS
SELECT realm, mechanism_uid FROM push_devices
  WHERE mechanism_uid IN (SELECT json_array_elements_text($1::json));
EXECUTE s87 ('["m1"]');
PREPARE s88 (text, text, text, text, text, double precision, text, text) AS
UPDATE push_devices SET device_token = $1, communication_id = $2,
  communication_type = $3, device_type = $4,
  device_name = coalesce($5, device_name), refreshed_at = coalesce($6, refreshed_at),
  token_retired_at = NULL
WHERE realm_key = $7 AND mechanism_uid = $8
  AND (refreshed_at IS NULL OR ($6 > refreshed_at) IS TRUE
    OR ($6 IS NULL AND device_token = $1));
EXECUTE s88 ('new', 'new', 'poll', 'linux', 'Phone', '1800000001', 'alpha', 'm1');
PREPARE s89 (double precision, text, text, text) AS
UPDATE push_devices SET token_retired_at = $1
WHERE realm_key = $2 AND mechanism_uid = $3 AND device_token = $4
  AND token_retired_at IS NULL AND coalesce(refreshed_at, created_date) <= $1;
EXECUTE s89 ('1800000002', 'alpha', 'm1', 'new');
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
EXECUTE s40 ('alpha', 'demo', NULL);
PREPARE s90 (text, text, double precision, double precision) AS
SELECT
  (SELECT count(*) FROM push_messages WHERE realm_key = $1 AND name_key = $2
    AND kind = 'authentication' AND state = 'pending' AND expires_at > $3) AS open,
  coalesce((SELECT messages FROM push_accounts WHERE realm_key = $1 AND name_key = $2
    AND latest + $4 > $3), 0) AS messages,
  coalesce((SELECT wrong_answers FROM push_accounts WHERE realm_key = $1 AND name_key = $2
    AND latest + $4 > $3), 0) AS wrong_answers;
EXECUTE s90 ('alpha', 'demo', '1800000000', '3600');
EXECUTE s80 ('AUTHENTICATE:1', 'authentication', 'code', '\x69cb49ad00ca36ea524d987e5898ccf760d47128dfb4bdb8c862f60da2eb55668a5ec90af1f156e78602d392e56430fa19741c4db884cf4d99b3638bffb76a5a3ab72216', '1800000000', '1800000120', 'pending', '0', NULL, NULL, 'alpha', 'demo');
PREPARE s91 (text, text, text, text, boolean) AS
INSERT INTO push_inboxes (realm_key, mechanism_uid, message_id, message, was_fetched) VALUES ($1, $2, $3, $4, $5) ;
EXECUTE s91 ('alpha', 'm1', 'AUTHENTICATE:1', 'a.b.c', 'f');
PREPARE s92 (text, text, bigint, bigint, double precision, double precision) AS
INSERT INTO push_accounts AS known (realm_key, name_key, messages, wrong_answers, latest)
VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (realm_key, name_key) DO UPDATE SET
  messages = CASE WHEN known.latest + $6 > $5 THEN known.messages ELSE 0 END + $3,
  wrong_answers = CASE WHEN known.latest + $6 > $5 THEN known.wrong_answers ELSE 0 END + $4,
  latest = greatest(known.latest, $5);
EXECUTE s92 ('alpha', 'demo', '1', '0', '1800000000', '3600');
COMMIT;
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
EXECUTE s40 ('alpha', 'demo', NULL);
EXECUTE s90 ('alpha', 'demo', '1800000000', '3600');
EXECUTE s80 ('AUTHENTICATE:2', 'authentication', 'code', '\x9fe73311d01fef7a10bd0192e8eca1a8c64ff31acd08ee2ed9096f8b54e32d5b0f899f3917fa5479705724540e80aff462d8cc5559cc7aef20d173de30d384bb0f856b9d', '1800000000', '1800000120', 'pending', '0', NULL, NULL, 'alpha', 'demo');
EXECUTE s91 ('alpha', 'm1', 'AUTHENTICATE:2', 'a.b.c', 'f');
EXECUTE s92 ('alpha', 'demo', '1', '0', '1800000000', '3600');
COMMIT;
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
EXECUTE s40 ('alpha', 'demo', NULL);
EXECUTE s90 ('alpha', 'demo', '1800000000', '3600');
EXECUTE s80 ('AUTHENTICATE:3', 'authentication', 'code', '\x67abe55331d780e4a9e04aa37f38a9d3f5d63fb0c6474a3b2b3e6869bfa62608508b18bc2d9b458a73131da7f08a269fa0b9a7585157e95f4d09ddb3241e9687271064b2', '1800000000', '1800000120', 'pending', '0', NULL, NULL, 'alpha', 'demo');
EXECUTE s91 ('alpha', 'm1', 'AUTHENTICATE:3', 'a.b.c', 'f');
EXECUTE s92 ('alpha', 'demo', '1', '0', '1800000000', '3600');
COMMIT;
PREPARE s93 (double precision) AS
SELECT DISTINCT realm, mechanism_uid FROM push_inboxes
  JOIN push_messages ON push_messages.realm_key = push_inboxes.realm_key AND id = message_id
WHERE NOT was_fetched AND state = 'pending' AND expires_at > $1;
EXECUTE s93 ('1800000000');
PREPARE s94 (text, text, double precision) AS
SELECT message_id, mechanism_uid, message, was_fetched FROM push_inboxes
  JOIN push_messages ON push_messages.realm_key = push_inboxes.realm_key AND id = message_id
WHERE push_inboxes.realm_key = $1 AND mechanism_uid = $2 AND state = 'pending' AND expires_at > $3
ORDER BY sent_at, id;
EXECUTE s94 ('alpha', 'm1', '1800000000');
PREPARE s95 (text, text, text) AS
UPDATE push_inboxes SET was_fetched = true
WHERE realm_key = $1 AND mechanism_uid = $2
  AND message_id IN (SELECT json_array_elements_text($3::json));
EXECUTE s95 ('alpha', 'm1', '["AUTHENTICATE:1"]');
PREPARE s96 (text, text) AS
SELECT * FROM push_messages WHERE realm_key = $1 AND id = $2;
EXECUTE s96 ('alpha', 'AUTHENTICATE:1');
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
PREPARE s97 (bigint, text, text, text, double precision) AS
UPDATE push_messages SET wrong_answers = wrong_answers + 1,
  state = CASE WHEN wrong_answers + 1 >= $1 THEN 'denied' ELSE state END,
  decided_by = CASE WHEN wrong_answers + 1 >= $1 THEN $2 ELSE decided_by END,
  reason = CASE WHEN wrong_answers + 1 >= $1 THEN 'wrong number or code' ELSE reason END
WHERE realm_key = $3 AND id = $4 AND state = 'pending' AND expires_at > $5 RETURNING name_key;
EXECUTE s97 ('2', 'm1', 'alpha', 'AUTHENTICATE:2', '1800000000');
EXECUTE s92 ('alpha', 'demo', '0', '1', '1800000000', '3600');
PREPARE s98 (double precision, text, text) AS
INSERT INTO push_decisions (number, realm_key, name_key, realm, username, account_id, message_id, type, state,
  device, device_name, reason, sent_at, decided_at)
SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint, m.realm_key, m.name_key, m.realm, m.username,
  account_id, id, type, state, coalesce(uuid, decided_by), coalesce(device_name, ''), reason, sent_at, $1
  FROM push_messages AS m
    JOIN users AS u ON u.realm_key = m.realm_key AND u.name_key = m.name_key
    LEFT JOIN push_devices AS d
    ON d.realm_key = m.realm_key AND d.mechanism_uid = m.decided_by
  WHERE m.realm_key = $2 AND id = $3 AND kind = 'authentication' AND state != 'pending'
ON CONFLICT DO NOTHING;
EXECUTE s98 ('1800000000', 'alpha', 'AUTHENTICATE:2');
COMMIT;
EXECUTE s85 ('approved', 'm1', NULL, 'alpha', 'AUTHENTICATE:1', '1800000000');
EXECUTE s98 ('1800000000', 'alpha', 'AUTHENTICATE:1');
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
PREPARE s99 (text, text) AS
DELETE FROM push_messages WHERE realm_key = $1 AND id = $2 RETURNING *;
EXECUTE s99 ('alpha', 'AUTHENTICATE:1');
PREPARE s100 (text, text) AS
UPDATE push_accounts SET messages = 0, wrong_answers = 0 WHERE realm_key = $1 AND name_key = $2;
EXECUTE s100 ('alpha', 'demo');
PREPARE s101 (double precision, text, text) AS
UPDATE push_devices SET last_access_date = greatest(last_access_date, $1)
  WHERE realm_key = $2 AND mechanism_uid = $3;
EXECUTE s101 ('1800000000', 'alpha', 'm1');
COMMIT;
PREPARE s102 (text, text, text, bigint, double precision, double precision, text, bigint, bigint) AS
SELECT * FROM push_decisions
  WHERE ($1 IS NULL OR realm_key = $1) AND ($2 IS NULL OR name_key = $2)
    AND ($3 IS NULL OR account_id = $3 OR (account_id IS NULL AND decided_at >= (SELECT created_at FROM users WHERE users.realm_key = $1 AND users.name_key = $2
  AND users.account_id = $3)))
    AND ($4 IS NULL OR number < $4) AND ($5 IS NULL OR decided_at >= $5)
    AND ($6 IS NULL OR decided_at < $6) AND ($7 IS NULL OR type = $7)
  ORDER BY number DESC LIMIT $8 OFFSET $9;
EXECUTE s102 ('alpha', NULL, NULL, NULL, NULL, NULL, NULL, '10', '0');
PREPARE s103 (text) AS
SELECT created_at FROM realms WHERE realm_key = $1 AND deleted_at IS NULL;
EXECUTE s103 ('alpha');
PREPARE s104 (text, text) AS
SELECT * FROM push_devices WHERE realm_key = $1 AND name_key = $2 ORDER BY created_date DESC, added_at DESC;
EXECUTE s104 ('alpha', 'demo');
PREPARE s105 (text, text, text, text) AS
UPDATE push_devices SET device_name = $1 WHERE realm_key = $2 AND name_key = $3 AND uuid = $4 RETURNING *;
EXECUTE s105 ('New name', 'alpha', 'demo', 'uuid of m1');
PREPARE s106 (text, text) AS
SELECT skip FROM push_accounts WHERE realm_key = $1 AND name_key = $2;
EXECUTE s106 ('alpha', 'demo');
PREPARE s107 (bigint, text, text) AS
INSERT INTO push_accounts (realm_key, name_key, skip)
SELECT realm_key, name_key, $1 FROM users WHERE realm_key = $2 AND name_key = $3
ON CONFLICT (realm_key, name_key) DO UPDATE SET skip = $1;
EXECUTE s107 ('0', 'alpha', 'demo');
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
EXECUTE s40 ('alpha', 'demo', NULL);
PREPARE s108 (text, text, text) AS
DELETE FROM push_devices WHERE realm_key = $1 AND name_key = $2 AND ($3 IS NULL OR uuid = $3) RETURNING *;
EXECUTE s108 ('alpha', 'demo', 'uuid of m1');
PREPARE s109 (text, text, text) AS
DELETE FROM recovery_codes WHERE realm_key = $1 AND name_key = $2 AND kind = $3
  AND NOT EXISTS (SELECT 1 FROM push_devices WHERE realm_key = $1 AND name_key = $2);
EXECUTE s109 ('alpha', 'demo', 'PUSH');
COMMIT;
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
EXECUTE s40 ('alpha', 'demo', NULL);
EXECUTE s108 ('alpha', 'demo', NULL);
EXECUTE s107 ('0', 'alpha', 'demo');
EXECUTE s109 ('alpha', 'demo', 'PUSH');
COMMIT;
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
EXECUTE s1 ('alpha');
EXECUTE s21 ('alpha', '', '1800000000');
PREPARE s110 (text) AS
SELECT count(*) FROM applications WHERE realm_key = $1;
EXECUTE s110 ('alpha');
PREPARE s111 (text, text, text, text, text, bytea, double precision, boolean) AS
INSERT INTO applications (realm_key, name_key, id, realm, name, secret_hash, created_at, plain_proofs) VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ;
EXECUTE s111 ('alpha', 'shop', 'app-1', 'alpha', 'Shop', '\x0707070707070707070707070707070707070707070707070707070707070707', '1800000000', 'f');
COMMIT;
PREPARE s112 (text, text) AS
SELECT true FROM applications WHERE realm_key = $1 AND id = $2 FOR NO KEY UPDATE;
EXECUTE s112 ('alpha', 'app-1');
PREPARE s113 (text, text, text, text, text, text, text, double precision, double precision, text, bigint) AS
INSERT INTO transactions
  (realm_key, id, realm, application_id, username, account_id, journey, fields, created_at, expires_at, state)
SELECT $1, $2, $3, id, $4,
  (SELECT account_id FROM users WHERE realm_key = $1 AND name_key = $5),
  $6, $7, $8, $9, 'pending'
  FROM applications WHERE realm_key = $1 AND id = $10 AND $11 > (
    SELECT count(*) FROM transactions WHERE realm_key = $1
      AND application_id = $10 AND state = 'pending' AND expires_at > $8);
EXECUTE s113 ('alpha', 't-1', 'alpha', 'demo', 'demo', 'ApproveTransaction', '{"amount":"10.00","currency":"EUR","payee":"Bäckerei"}', '1800000000', '1800000300', 'app-1', '10000');
EXECUTE s112 ('alpha', 'app-1');
EXECUTE s113 ('alpha', 't-2', 'alpha', 'demo', 'demo', 'ApproveTransaction', '{"amount":"10.00","currency":"EUR","payee":"Bäckerei"}', '1800000000', '1800000300', 'app-1', '10000');
PREPARE s114 (text, text) AS
SELECT * FROM transactions WHERE id = $1 AND realm_key = $2;
EXECUTE s114 ('t-1', 'alpha');
PREPARE s115 (double precision, text, text, text, text, text, bytea, text, text, text) AS
UPDATE transactions
SET decided_at = $1, state = $2, reason = $3, signer = $4, key_id = $5, jws = $6,
  nonce = $7, account_id = coalesce(account_id, $8)
WHERE id = $9 AND realm_key = $10 AND state = 'pending' AND expires_at > $1;
EXECUTE s115 ('1800000000', 'approved', NULL, 'demo', 'kid-1', 'a.b.c', '\x010203', NULL, 't-1', 'alpha');
EXECUTE s115 ('1800000000', 'refused', 'no', NULL, NULL, NULL, NULL, NULL, 't-2', 'alpha');
PREPARE s116 (text, text) AS
SELECT * FROM applications WHERE realm_key = $1 AND id = $2;
EXECUTE s116 ('alpha', 'app-1');
PREPARE s117 (text) AS
SELECT * FROM applications WHERE realm_key = $1 ORDER BY name_key;
EXECUTE s117 ('alpha');
PREPARE s118 (text, text) AS
DELETE FROM applications WHERE realm_key = $1 AND id = $2 RETURNING *;
EXECUTE s118 ('alpha', 'app-1');
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
UPDATE realm_version SET version = version + 1;
SELECT count(*) FROM realms WHERE deleted_at IS NULL;
PREPARE s119 (text, text, double precision) AS
INSERT INTO realms AS known (realm_key, name, created_at) VALUES ($1, $2, $3)
ON CONFLICT (realm_key) DO UPDATE SET name = $2, created_at = $3, deleted_at = NULL
  WHERE known.deleted_at IS NOT NULL;
EXECUTE s119 ('beta', 'beta', '1800000000');
COMMIT;
SELECT version, name FROM realm_version LEFT JOIN realms ON deleted_at IS NULL ORDER BY realm_key;
SELECT version FROM realm_version;
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
EXECUTE s1 ('beta');
EXECUTE s2 ('beta', 'demo', 'beta', 'demo', '$argon2id$…', 't', 'f', 'f', 'f', '["demo@example.com","second@example.com"]', '{"cn":"Demo User","nested":{"count":3,"ratio":0.5,"none":null}}', '1800000000', 'id of demo', '0', 'f', NULL, '0');
EXECUTE s3 ('beta', 'demo');
EXECUTE s4 ('beta', 'demo', 'mail', 'demo@example.com', NULL);
EXECUTE s4 ('beta', 'demo', 'mail', 'second@example.com', NULL);
COMMIT;
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
PREPARE s120 (text) AS
SELECT true FROM realms WHERE realm_key = $1 AND deleted_at IS NULL FOR UPDATE;
EXECUTE s120 ('beta');
PREPARE s121 (text) AS
SELECT count(*) FROM users WHERE realm_key = $1;
EXECUTE s121 ('beta');
EXECUTE s110 ('beta');
PREPARE s122 (text) AS
SELECT count(*) FROM realms WHERE deleted_at IS NULL AND substr(realm_key, 1, length($1::text) + 1) = $1::text || '/';
EXECUTE s122 ('beta');
COMMIT;
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
EXECUTE s120 ('beta');
EXECUTE s121 ('beta');
EXECUTE s110 ('beta');
EXECUTE s122 ('beta');
PREPARE s123 (text) AS
DELETE FROM users WHERE realm_key = $1;
EXECUTE s123 ('beta');
PREPARE s124 (text) AS
DELETE FROM applications WHERE realm_key = $1;
EXECUTE s124 ('beta');
PREPARE s125 (text) AS
DELETE FROM lockouts WHERE realm_key = $1;
EXECUTE s125 ('beta');
PREPARE s126 (text) AS
DELETE FROM locked_names WHERE realm_key = $1;
EXECUTE s126 ('beta');
PREPARE s127 (text) AS
DELETE FROM suspended_journeys WHERE realm_key = $1;
EXECUTE s127 ('beta');
PREPARE s128 (text) AS
DELETE FROM journey_attempts WHERE realm_key = $1;
EXECUTE s128 ('beta');
PREPARE s129 (text) AS
DELETE FROM activity_counts WHERE realm_key = $1;
EXECUTE s129 ('beta');
PREPARE s130 (double precision, text) AS
UPDATE realms SET deleted_at = $1 WHERE realm_key = $2;
EXECUTE s130 ('1800000000', 'beta');
UPDATE realm_version SET version = version + 1;
COMMIT;
EXECUTE s5 ('alpha', 'demo');
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
PREPARE s131 (text, text, bigint, text, bytea, text, double precision, double precision, bytea, double precision, text, text) AS
INSERT INTO grants (realm_key, name_key, realm, username, id, account_id, password_version, client_id,
  session_hash, details, created_at, expires_at, ticket_hash, ticket_expires_at)
SELECT realm_key, name_key, realm, username, $1, $2, $3, $4, $5, $6, $7,
  $8, $9, $10
FROM users WHERE realm_key = $11 AND name_key = $12 AND is_active AND account_id = $2
  AND password_version = $3;
EXECUTE s131 ('1', 'id of demo', '1', 'app', '\x01', '{"scope":["openid"],"sid":"s"}', '1800000000', '1800003600', '\x0707', '1800000060', 'alpha', 'demo');
PREPARE s132 (text, text, text, text) AS
DELETE FROM grants WHERE realm_key = $1 AND name_key = $2 AND id IN (
  SELECT id FROM grants WHERE realm_key = $3 AND name_key = $4 ORDER BY created_at DESC, id
    LIMIT 1000 OFFSET 200);
EXECUTE s132 ('alpha', 'demo', 'alpha', 'demo');
COMMIT;
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
EXECUTE s131 ('2', 'id of demo', '1', 'app', '\x01', '{"scope":["openid"],"sid":"s"}', '1800000000', '1800003600', '\x0707', '1800000060', 'alpha', 'demo');
EXECUTE s132 ('alpha', 'demo', 'alpha', 'demo');
COMMIT;
PREPARE s133 (text, text, text) AS
SELECT * FROM grants WHERE realm_key = $1 AND name_key = $2 AND id = $3;
EXECUTE s133 ('alpha', 'demo', '1');
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
PREPARE s134 (double precision, text, text, text, double precision) AS
UPDATE grants SET polled_at = $1 WHERE realm_key = $2 AND name_key = $3 AND id = $4 AND ended_at IS NULL AND expires_at > $1 AND (polled_at IS NULL OR polled_at <= $5);
EXECUTE s134 ('1800000000', 'alpha', 'demo', '1', '1800000000');
COMMIT;
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
PREPARE s135 (double precision, text, bytea, text, text, text, bytea) AS
UPDATE grants SET ticket_used_at = $1, details = $2, refresh_hash = $3
WHERE realm_key = $4 AND name_key = $5 AND id = $6 AND ended_at IS NULL AND expires_at > $1 AND ticket_hash = $7 AND ticket_used_at IS NULL AND ticket_expires_at > $1;
EXECUTE s135 ('1800000000', '{"scope":["openid"]}', '\x01', 'alpha', 'demo', '1', '\x0707');
COMMIT;
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
PREPARE s136 (bytea, text, text, text, double precision, bytea) AS
UPDATE grants SET refresh_hash = $1 WHERE realm_key = $2 AND name_key = $3 AND id = $4 AND ended_at IS NULL AND expires_at > $5 AND refresh_hash = $6;
EXECUTE s136 ('\x02', 'alpha', 'demo', '1', '1800000000', '\x01');
COMMIT;
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
PREPARE s137 (bytea, text, text, bytea) AS
UPDATE grants SET session_hash = $1 WHERE realm_key = $2 AND name_key = $3 AND session_hash = $4;
EXECUTE s137 ('\x02', 'alpha', 'demo', '\x01');
COMMIT;
PREPARE s138 (text, text, double precision) AS
SELECT * FROM grants WHERE realm_key = $1 AND name_key = $2 AND ended_at IS NULL AND expires_at > $3
  ORDER BY created_at, id;
EXECUTE s138 ('alpha', 'demo', '1800000000');
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
PREPARE s139 (double precision, text, text, text) AS
UPDATE grants SET ended_at = $1
WHERE realm_key = $2 AND name_key = $3 AND id = $4 AND ended_at IS NULL;
EXECUTE s139 ('1800000000', 'alpha', 'demo', '2');
COMMIT;
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
PREPARE s140 (double precision, double precision, text, text, text, bytea) AS
INSERT INTO logout_notices (realm_key, name_key, id, realm, username, client_id, details, attempts, next_at,
  expires_at)
SELECT realm_key, name_key, id, realm, username, client_id, details, 0, $1, $2 FROM grants
WHERE realm_key = $3 AND name_key = $4 AND client_id = $5 AND ended_at IS NULL
  AND ticket_used_at IS NOT NULL AND session_hash = $6
ON CONFLICT DO NOTHING;
EXECUTE s140 ('1800000000', '1800003600', 'alpha', 'demo', 'app', '\x02');
PREPARE s141 (double precision, text, text, bytea) AS
UPDATE grants SET ended_at = $1
WHERE realm_key = $2 AND name_key = $3 AND ended_at IS NULL AND session_hash = $4;
EXECUTE s141 ('1800000000', 'alpha', 'demo', '\x02');
COMMIT;
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
PREPARE s142 (double precision, double precision, text, text, text) AS
INSERT INTO logout_notices (realm_key, name_key, id, realm, username, client_id, details, attempts, next_at,
  expires_at)
SELECT realm_key, name_key, id, realm, username, client_id, details, 0, $1, $2 FROM grants
WHERE realm_key = $3 AND name_key = $4 AND client_id = $5 AND ended_at IS NULL
  AND ticket_used_at IS NOT NULL
ON CONFLICT DO NOTHING;
EXECUTE s142 ('1800000000', '1800003600', 'alpha', 'demo', 'app');
PREPARE s143 (double precision, text, text) AS
UPDATE grants SET ended_at = $1
WHERE realm_key = $2 AND name_key = $3 AND ended_at IS NULL;
EXECUTE s143 ('1800000000', 'alpha', 'demo');
COMMIT;
PREPARE s144 (double precision, double precision, bigint) AS
SELECT * FROM logout_notices WHERE next_at <= $1 AND expires_at > $2 ORDER BY next_at LIMIT $3;
EXECUTE s144 ('1800000000', '1800000000', '10');
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
PREPARE s145 (double precision, text, text, text) AS
UPDATE logout_notices SET attempts = attempts + 1, next_at = $1 + 15.0 * (1 + 4 * attempts * attempts)
WHERE realm_key = $2 AND name_key = $3 AND id = $4 AND next_at <= $1;
EXECUTE s145 ('1800000000', 'alpha', 'demo', '1');
COMMIT;
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
PREPARE s146 (text, text, text) AS
DELETE FROM logout_notices WHERE realm_key = $1 AND name_key = $2 AND id = $3;
EXECUTE s146 ('alpha', 'demo', '1');
COMMIT;
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
PREPARE s147 (text, text, double precision, text, text, text) AS
INSERT INTO consents (realm_key, name_key, client_id, scopes, given_at)
SELECT realm_key, name_key, $1, $2, $3 FROM users
WHERE realm_key = $4 AND name_key = $5 AND ($6 IS NULL OR account_id = $6)
ON CONFLICT (realm_key, name_key, client_id) DO UPDATE
  SET scopes = excluded.scopes, given_at = excluded.given_at;
EXECUTE s147 ('app', '["openid"]', '1800000000', 'alpha', 'demo', NULL);
COMMIT;
PREPARE s148 (text, text, text) AS
SELECT scopes FROM consents WHERE realm_key = $1 AND name_key = $2 AND client_id = $3;
EXECUTE s148 ('alpha', 'demo', 'app');
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
PREPARE s149 (double precision) AS
DELETE FROM grants WHERE expires_at <= $1;
EXECUTE s149 ('1800000000');
PREPARE s150 (double precision) AS
DELETE FROM logout_notices WHERE expires_at <= $1;
EXECUTE s150 ('1800000000');
COMMIT;
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
PREPARE s151 (text, text, text, text, text, text, text, text, double precision, double precision, double precision, text) AS
INSERT INTO journey_attempts
  (realm_key, run_id, part, name_key, journey, state, steps, reason, started_at, latest_at, expires_at,
    client_address)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) ON CONFLICT DO NOTHING;
EXECUTE s151 ('alpha', 'run', 'bbb47f8925a2', 'demo', 'Login', 'failure', '[["Login","n","N","T","true"]]', 'no', '1800000000', '1800000000', '1802592000', NULL);
PREPARE s152 (text, text, bigint, bigint, text, bigint, double precision) AS
INSERT INTO activity_counts (realm_key, series, grain, period, label, amount, expires_at)
VALUES ($1, $2, $3, $4, $5, $6, $7)
ON CONFLICT (realm_key, series, grain, period, label)
  DO UPDATE SET amount = activity_counts.amount + excluded.amount;
EXECUTE s152 ('alpha', 'edges', '3600', '1800000000', 'Login
n
true', '1', '1834560000');
COMMIT;
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
EXECUTE s151 ('alpha', 'run', '67ef4e71f062', 'demo', 'Login', 'failure', '[["Login","n","N","T","true"]]', 'no', '1800000000', '1800000000', '1802592000', NULL);
EXECUTE s152 ('alpha', 'edges', '3600', '1800000000', 'Login
n
true', '1', '1834560000');
COMMIT;
PREPARE s153 (text, text, bigint) AS
SELECT run_id FROM journey_attempts WHERE realm_key = $1 AND name_key = $2 ORDER BY latest_at DESC LIMIT $3;
EXECUTE s153 ('alpha', 'demo', '12');
PREPARE s154 (text, text) AS
SELECT * FROM journey_attempts WHERE realm_key = $1 AND run_id IN ($2)
  ORDER BY run_id, latest_at, part;
EXECUTE s154 ('alpha', 'run');
PREPARE s155 (text, double precision, bigint) AS
SELECT run_id FROM journey_attempts WHERE realm_key = $1 AND latest_at < $2 ORDER BY latest_at DESC LIMIT $3;
EXECUTE s155 ('alpha', '1800000001', '12');
EXECUTE s154 ('alpha', 'run');
EXECUTE s154 ('alpha', 'run');
PREPARE s156 (text, text, bigint, bigint, bigint) AS
SELECT period, label, amount FROM activity_counts
  WHERE realm_key = $1 AND series = $2 AND grain = $3 AND period >= $4 AND period < $5 ORDER BY period, label;
EXECUTE s156 ('alpha', 'edges', '3600', '1799996400', '1800003600');
PREPARE s157 (text, text, bigint, bigint, text, text) AS
SELECT label, amount FROM activity_counts
  WHERE realm_key = $1 AND series = $2 AND grain = $3 AND period >= $4 AND label >= $5 AND label < $6;
EXECUTE s157 ('alpha', 'edges', '3600', '1800000000', 'Login
', 'Login');
PREPARE s158 (text) AS
SELECT kind, model, attestation, count(*) AS devices FROM (
  SELECT 'bound' AS kind, CASE WHEN key LIKE '%"kty":"EC"%' THEN 'EC' ELSE 'RSA' END AS model,
      CASE WHEN attestation IS NULL THEN 'none' WHEN attestation LIKE '%"kind":"tpm"%' THEN 'tpm'
        WHEN attestation LIKE '%"kind":"android"%' THEN 'android' ELSE 'other' END AS attestation
    FROM bound_devices WHERE realm_key = $1
  UNION ALL SELECT 'webauthn', aaguid, attestation_format FROM webauthn_devices WHERE realm_key = $1
  UNION ALL SELECT 'oath', CASE WHEN period IS NULL THEN 'HOTP' ELSE 'TOTP' END, 'none'
    FROM oath_devices WHERE realm_key = $1
  UNION ALL SELECT 'push', device_type, 'none' FROM push_devices WHERE realm_key = $1) AS all_devices
GROUP BY kind, model, attestation ORDER BY kind, devices DESC, model, attestation LIMIT 500;
EXECUTE s158 ('alpha');
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
PREPARE s159 (double precision, bigint) AS
DELETE FROM journey_attempts WHERE (realm_key, run_id, part) IN
  (SELECT realm_key, run_id, part FROM journey_attempts WHERE expires_at <= $1 LIMIT $2);
EXECUTE s159 ('1800000000', '500');
COMMIT;
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
PREPARE s160 (double precision, bigint) AS
DELETE FROM activity_counts WHERE (realm_key, series, grain, period, label) IN
  (SELECT realm_key, series, grain, period, label FROM activity_counts WHERE expires_at <= $1 LIMIT $2);
EXECUTE s160 ('1800000000', '500');
COMMIT;
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
PREPARE s161 (text, text) AS
DELETE FROM users WHERE realm_key = $1 AND name_key = $2 RETURNING *;
EXECUTE s161 ('alpha', 'other');
EXECUTE s26 ('alpha', 'other');
PREPARE s162 (text, text) AS
DELETE FROM journey_attempts WHERE realm_key = $1 AND name_key = $2;
EXECUTE s162 ('alpha', 'other');
COMMIT;
SELECT extract(epoch FROM clock_timestamp())::double precision AS time;
PREPARE s163 (double precision, bigint) AS
DELETE FROM push_decisions WHERE (realm_key, message_id) IN (
  SELECT realm_key, message_id FROM push_decisions AS old WHERE decided_at <= $1 - 34560000 LIMIT $2 FOR UPDATE SKIP LOCKED);
EXECUTE s163 ('1800000000', '500');
PREPARE s164 (double precision, bigint) AS
DELETE FROM push_messages WHERE (realm_key, id) IN (
  SELECT realm_key, id FROM push_messages AS old WHERE expires_at <= $1 - 900 LIMIT $2 FOR UPDATE SKIP LOCKED);
EXECUTE s164 ('1800000000', '500');
PREPARE s165 (double precision, bigint) AS
DELETE FROM sessions WHERE (token_hash) IN (
  SELECT token_hash FROM sessions AS old WHERE ends_at <= $1 LIMIT $2 FOR UPDATE SKIP LOCKED);
EXECUTE s165 ('1800000000', '500');
PREPARE s166 (double precision, bigint) AS
DELETE FROM consumed WHERE (key) IN (
  SELECT key FROM consumed AS old WHERE expires_at <= $1 - 3600 LIMIT $2 FOR UPDATE SKIP LOCKED);
EXECUTE s166 ('1800000000', '500');
PREPARE s167 (double precision, bigint) AS
DELETE FROM suspended_journeys WHERE (realm_key, id_hash) IN (
  SELECT realm_key, id_hash FROM suspended_journeys AS old WHERE expires_at <= $1 LIMIT $2 FOR UPDATE SKIP LOCKED);
EXECUTE s167 ('1800000000', '500');
PREPARE s168 (double precision, bigint) AS
DELETE FROM lockouts WHERE (realm_key, name_key, kind, device) IN (
  SELECT realm_key, name_key, kind, device FROM lockouts AS old WHERE latest_failure <= $1 - 86400 AND (locked_until > $1) IS NOT TRUE
  AND (device != '' OR NOT EXISTS (
    SELECT 1 FROM users WHERE realm_key = old.realm_key AND name_key = old.name_key)) LIMIT $2 FOR UPDATE SKIP LOCKED);
EXECUTE s168 ('1800000000', '500');
PREPARE s169 (double precision, bigint) AS
DELETE FROM locked_names WHERE (realm_key, name_key) IN (
  SELECT realm_key, name_key FROM locked_names AS old WHERE latest <= $1 - 86400 LIMIT $2 FOR UPDATE SKIP LOCKED);
EXECUTE s169 ('1800000000', '500');
PREPARE s170 (double precision, bigint) AS
DELETE FROM transactions WHERE (realm_key, id) IN (
  SELECT realm_key, id FROM transactions AS old WHERE expires_at <= $1 - 2592000 LIMIT $2 FOR UPDATE SKIP LOCKED);
EXECUTE s170 ('1800000000', '500');
PREPARE s171 (double precision, bigint) AS
DELETE FROM evidence_use WHERE (realm_key, name_key) IN (
  SELECT realm_key, name_key FROM evidence_use AS old WHERE day < floor(($1 - 259200) / 86400)::bigint LIMIT $2 FOR UPDATE SKIP LOCKED);
EXECUTE s171 ('1800000000', '500');

-- Outcomes
-- (0 rows)
-- INSERT 0 1
-- DELETE 0
-- INSERT 0 1
-- INSERT 0 1
-- (0 rows)
-- INSERT 0 1
-- DELETE 0
-- INSERT 0 1
-- INSERT 0 1
-- (0 rows)
-- INSERT 0 1
-- DELETE 0
-- INSERT 0 1
-- INSERT 0 1
-- (0 rows)
-- INSERT 0 1
-- DELETE 0
-- INSERT 0 1
-- (1 row)
-- (2 rows)
-- (0 rows)
-- (4 rows)
-- DELETE 2
-- INSERT 0 1
-- INSERT 0 1
-- DELETE 2
-- INSERT 0 1
-- INSERT 0 1
-- DELETE 2
-- INSERT 0 1
-- INSERT 0 1
-- DELETE 1
-- INSERT 0 1
-- (0 rows)
-- INSERT 0 1
-- (1 row)
-- (0 rows)
-- (0 rows)
-- (2 rows)
-- UPDATE 1
-- (2 rows)
-- (1 row)
-- UPDATE 1
-- DELETE 2
-- INSERT 0 1
-- DELETE 0
-- (0 rows)
-- UPDATE 0
-- (1 row)
-- (2 rows)
-- (1 row)
-- UPDATE 1
-- DELETE 0
-- (1 row)
-- DELETE 0
-- (1 row)
-- UPDATE 1
-- (1 row)
-- (1 row)
-- UPDATE 1
-- (0 rows)
-- (0 rows)
-- INSERT 0 1
-- (1 row)
-- INSERT 0 1
-- (1 row)
-- INSERT 0 1
-- (1 row)
-- INSERT 0 1
-- (1 row)
-- DELETE 1
-- INSERT 0 1
-- (1 row)
-- INSERT 0 1
-- INSERT 0 1
-- (1 row)
-- INSERT 0 1
-- (1 row)
-- INSERT 0 1
-- (1 row)
-- DELETE 1
-- INSERT 0 1
-- (1 row)
-- INSERT 0 1
-- INSERT 0 1
-- (1 row)
-- INSERT 0 1
-- (1 row)
-- INSERT 0 1
-- (1 row)
-- DELETE 1
-- INSERT 0 1
-- (1 row)
-- INSERT 0 1
-- (1 row)
-- (0 rows)
-- DELETE 3
-- INSERT 0 1
-- (1 row)
-- INSERT 0 0
-- (1 row)
-- INSERT 0 1
-- (0 rows)
-- INSERT 0 1
-- (0 rows)
-- INSERT 0 1
-- (1 row)
-- DELETE 1
-- (0 rows)
-- DELETE 0
-- (1 row)
-- INSERT 0 1
-- DELETE 0
-- (1 row)
-- INSERT 0 1
-- DELETE 0
-- (1 row)
-- INSERT 0 1
-- DELETE 0
-- (1 row)
-- INSERT 0 1
-- DELETE 0
-- (1 row)
-- INSERT 0 1
-- DELETE 0
-- (1 row)
-- DELETE 1
-- INSERT 0 1
-- (1 row)
-- (1 row)
-- UPDATE 1
-- (5 rows)
-- (1 row)
-- (1 row)
-- DELETE 0
-- DELETE 1
-- DELETE 1
-- DELETE 3
-- (1 row)
-- (1 row)
-- (1 row)
-- (1 row)
-- INSERT 0 1
-- (1 row)
-- (1 row)
-- (1 row)
-- (1 row)
-- INSERT 0 1
-- INSERT 0 1
-- (1 row)
-- (1 row)
-- INSERT 0 1
-- INSERT 0 1
-- UPDATE 1
-- (1 row)
-- (1 row)
-- (1 row)
-- (1 row)
-- UPDATE 1
-- INSERT 0 1
-- DELETE 0
-- (1 row)
-- (1 row)
-- INSERT 0 1
-- INSERT 0 1
-- UPDATE 1
-- UPDATE 1
-- INSERT 0 0
-- DELETE 0
-- (1 row)
-- (1 row)
-- UPDATE 0
-- INSERT 0 1
-- (1 row)
-- (1 row)
-- INSERT 0 1
-- (1 row)
-- (1 row)
-- INSERT 0 1
-- INSERT 0 1
-- UPDATE 1
-- (1 row)
-- (3 rows)
-- (3 rows)
-- (1 row)
-- (2 rows)
-- (1 row)
-- UPDATE 1
-- (1 row)
-- (1 row)
-- DELETE 1
-- (1 row)
-- (1 row)
-- DELETE 1
-- (1 row)
-- (1 row)
-- (1 row)
-- (1 row)
-- INSERT 0 1
-- (1 row)
-- (1 row)
-- UPDATE 1
-- (1 row)
-- (1 row)
-- (1 row)
-- (1 row)
-- INSERT 0 1
-- INSERT 0 1
-- (1 row)
-- UPDATE 1
-- DELETE 0
-- DELETE 0
-- INSERT 0 1
-- (1 row)
-- UPDATE 0
-- INSERT 0 1
-- (1 row)
-- INSERT 0 1
-- INSERT 0 1
-- (1 row)
-- DELETE 0
-- INSERT 0 1
-- INSERT 0 1
-- DELETE 1
-- (1 row)
-- (1 row)
-- UPDATE 1
-- (1 row)
-- (1 row)
-- DELETE 1
-- DELETE 0
-- (1 row)
-- (0 rows)
-- DELETE 0
-- DELETE 0
-- (1 row)
-- (1 row)
-- UPDATE 1
-- (0 rows)
-- INSERT 0 1
-- (1 row)
-- (1 row)
-- DELETE 1
-- DELETE 1
-- (1 row)
-- (0 rows)
-- DELETE 0
-- INSERT 0 1
-- DELETE 0
-- INSERT 0 1
-- (1 row)
-- (1 row)
-- (1 row)
-- (1 row)
-- (1 row)
-- (1 row)
-- (1 row)
-- INSERT 0 1
-- UPDATE 1
-- (1 row)
-- (1 row)
-- UPDATE 1
-- UPDATE 1
-- (1 row)
-- (1 row)
-- INSERT 0 1
-- INSERT 0 1
-- INSERT 0 1
-- (1 row)
-- (1 row)
-- INSERT 0 1
-- INSERT 0 1
-- INSERT 0 1
-- (1 row)
-- (1 row)
-- INSERT 0 1
-- INSERT 0 1
-- INSERT 0 1
-- (1 row)
-- (3 rows)
-- UPDATE 1
-- (1 row)
-- (1 row)
-- UPDATE 1
-- INSERT 0 1
-- INSERT 0 0
-- UPDATE 1
-- INSERT 0 1
-- (1 row)
-- DELETE 1
-- UPDATE 1
-- UPDATE 1
-- (1 row)
-- (0 rows)
-- (1 row)
-- (1 row)
-- UPDATE 1
-- (1 row)
-- INSERT 0 1
-- (1 row)
-- (1 row)
-- DELETE 1
-- DELETE 0
-- (1 row)
-- (0 rows)
-- DELETE 0
-- INSERT 0 1
-- DELETE 0
-- (0 rows)
-- INSERT 0 1
-- (1 row)
-- INSERT 0 1
-- (1 row)
-- INSERT 0 1
-- (1 row)
-- INSERT 0 1
-- (1 row)
-- UPDATE 1
-- UPDATE 1
-- (1 row)
-- (1 row)
-- (1 row)
-- DELETE 1
-- UPDATE 1
-- (1 row)
-- INSERT 0 1
-- (1 row)
-- (1 row)
-- (1 row)
-- INSERT 0 1
-- DELETE 0
-- INSERT 0 1
-- INSERT 0 1
-- (1 row)
-- (1 row)
-- (1 row)
-- (1 row)
-- (1 row)
-- (1 row)
-- (1 row)
-- (1 row)
-- DELETE 1
-- DELETE 0
-- DELETE 0
-- DELETE 0
-- DELETE 0
-- DELETE 0
-- DELETE 0
-- UPDATE 1
-- UPDATE 1
-- (1 row)
-- INSERT 0 1
-- DELETE 0
-- INSERT 0 1
-- DELETE 0
-- (1 row)
-- UPDATE 1
-- UPDATE 1
-- UPDATE 1
-- UPDATE 2
-- (2 rows)
-- UPDATE 1
-- INSERT 0 1
-- UPDATE 1
-- INSERT 0 0
-- UPDATE 0
-- (1 row)
-- UPDATE 1
-- DELETE 1
-- INSERT 0 1
-- (1 row)
-- DELETE 0
-- DELETE 0
-- INSERT 0 1
-- INSERT 0 1
-- INSERT 0 1
-- INSERT 0 1
-- (2 rows)
-- (2 rows)
-- (2 rows)
-- (2 rows)
-- (2 rows)
-- (1 row)
-- (1 row)
-- (0 rows)
-- DELETE 0
-- DELETE 0
-- (1 row)
-- DELETE 1
-- DELETE 0
-- DELETE 0
-- (1 row)
-- DELETE 0
-- DELETE 0
-- DELETE 0
-- DELETE 0
-- DELETE 0
-- DELETE 0
-- DELETE 0
-- DELETE 0
-- DELETE 0
