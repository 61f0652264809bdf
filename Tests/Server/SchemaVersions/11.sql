-- Version 11 of the schema: its tables, the statements that its servers send, and what becomes of each.
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
CREATE TABLE users (
  realm_key text COLLATE "C" NOT NULL,
  name_key text COLLATE "C" NOT NULL,
  realm text NOT NULL,
  username text NOT NULL,
  password_hash text,
  is_active boolean NOT NULL,
  is_administrator boolean NOT NULL,
  mail text NOT NULL,
  attributes text NOT NULL,
  created_at double precision NOT NULL,
  account_id text NOT NULL,
  password_version bigint NOT NULL,
  must_change_password boolean NOT NULL,
  password_expires_at double precision,
  is_help_desk boolean NOT NULL,
  is_auditor boolean NOT NULL,
  PRIMARY KEY (realm_key, name_key))
;
CREATE INDEX users_with_roles ON users (realm_key, name_key) WHERE is_administrator OR is_help_desk OR is_auditor
;
CREATE TABLE sessions (
  token_hash bytea NOT NULL,
  handle text NOT NULL,
  realm_key text COLLATE "C" NOT NULL,
  name_key text COLLATE "C" NOT NULL,
  realm text NOT NULL,
  username text NOT NULL,
  created_at double precision NOT NULL,
  latest_access double precision NOT NULL,
  maximum_idle double precision NOT NULL,
  expires_at double precision NOT NULL,
  ends_at double precision NOT NULL,
  properties text NOT NULL,
  auth_level bigint NOT NULL,
  service text,
  authenticated_at double precision NOT NULL,
  added_at double precision NOT NULL DEFAULT extract(epoch FROM clock_timestamp()),
  PRIMARY KEY (token_hash),
  UNIQUE (handle),
  FOREIGN KEY (realm_key, name_key) REFERENCES users (realm_key, name_key) ON DELETE CASCADE)
;
CREATE INDEX sessions_by_user ON sessions (realm_key, name_key)
;
CREATE INDEX sessions_by_end ON sessions (ends_at)
;
CREATE TABLE bound_devices (
  realm_key text COLLATE "C" NOT NULL,
  name_key text COLLATE "C" NOT NULL,
  uuid text COLLATE "C" NOT NULL,
  realm text NOT NULL,
  username text NOT NULL,
  device_name text NOT NULL,
  device_id text NOT NULL,
  key text NOT NULL,
  thumbprint text NOT NULL,
  created_date double precision NOT NULL,
  last_access_date double precision NOT NULL,
  attestation text,
  added_at double precision NOT NULL DEFAULT extract(epoch FROM clock_timestamp()),
  PRIMARY KEY (realm_key, name_key, uuid),
  FOREIGN KEY (realm_key, name_key) REFERENCES users (realm_key, name_key) ON DELETE CASCADE,
  UNIQUE (realm_key, name_key, thumbprint))
;
CREATE TABLE webauthn_devices (
  realm_key text COLLATE "C" NOT NULL,
  name_key text COLLATE "C" NOT NULL,
  uuid text COLLATE "C" NOT NULL,
  realm text NOT NULL,
  username text NOT NULL,
  device_name text NOT NULL,
  credential_id bytea NOT NULL,
  public_key bytea NOT NULL,
  sign_count bigint NOT NULL,
  user_handle bytea NOT NULL,
  relying_party_id text NOT NULL,
  aaguid text NOT NULL,
  attestation_format text NOT NULL,
  attestation_type text NOT NULL,
  attachment text,
  transports text NOT NULL,
  is_backup_eligible boolean NOT NULL,
  is_backed_up boolean NOT NULL,
  is_uv_initialized boolean NOT NULL,
  created_date double precision NOT NULL,
  last_access_date double precision NOT NULL,
  added_at double precision NOT NULL DEFAULT extract(epoch FROM clock_timestamp()),
  PRIMARY KEY (realm_key, name_key, uuid),
  FOREIGN KEY (realm_key, name_key) REFERENCES users (realm_key, name_key) ON DELETE CASCADE,
  UNIQUE (realm_key, credential_id))
;
CREATE TABLE oath_devices (
  realm_key text COLLATE "C" NOT NULL,
  name_key text COLLATE "C" NOT NULL,
  uuid text COLLATE "C" NOT NULL,
  realm text NOT NULL,
  username text NOT NULL,
  device_name text NOT NULL,
  sealed bytea NOT NULL,
  period bigint,
  hash text NOT NULL,
  digits bigint NOT NULL,
  truncation_offset bigint,
  adds_checksum boolean NOT NULL,
  next_factor bigint NOT NULL,
  drift bigint NOT NULL,
  created_date double precision NOT NULL,
  last_access_date double precision NOT NULL,
  added_at double precision NOT NULL DEFAULT extract(epoch FROM clock_timestamp()),
  PRIMARY KEY (realm_key, name_key, uuid),
  FOREIGN KEY (realm_key, name_key) REFERENCES users (realm_key, name_key) ON DELETE CASCADE)
;
CREATE TABLE oath_accounts (
  realm_key text COLLATE "C" NOT NULL,
  name_key text COLLATE "C" NOT NULL,
  skip bigint NOT NULL,
  PRIMARY KEY (realm_key, name_key),
  FOREIGN KEY (realm_key, name_key) REFERENCES users (realm_key, name_key) ON DELETE CASCADE)
;
CREATE TABLE push_devices (
  realm_key text COLLATE "C" NOT NULL,
  name_key text COLLATE "C" NOT NULL,
  uuid text COLLATE "C" NOT NULL,
  realm text NOT NULL,
  username text NOT NULL,
  device_name text NOT NULL,
  mechanism_uid text COLLATE "C" NOT NULL,
  issuer text NOT NULL,
  sealed bytea NOT NULL,
  communication_type text NOT NULL,
  communication_id text NOT NULL,
  device_type text NOT NULL,
  device_token text NOT NULL,
  created_date double precision NOT NULL,
  last_access_date double precision NOT NULL,
  refreshed_at double precision,
  token_retired_at double precision,
  added_at double precision NOT NULL DEFAULT extract(epoch FROM clock_timestamp()),
  PRIMARY KEY (realm_key, name_key, uuid),
  FOREIGN KEY (realm_key, name_key) REFERENCES users (realm_key, name_key) ON DELETE CASCADE,
  UNIQUE (realm_key, mechanism_uid))
;
CREATE TABLE push_accounts (
  realm_key text COLLATE "C" NOT NULL,
  name_key text COLLATE "C" NOT NULL,
  messages bigint NOT NULL DEFAULT 0,
  wrong_answers bigint NOT NULL DEFAULT 0,
  latest double precision NOT NULL DEFAULT 0,
  skip bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (realm_key, name_key),
  FOREIGN KEY (realm_key, name_key) REFERENCES users (realm_key, name_key) ON DELETE CASCADE)
;
CREATE TABLE push_messages (
  realm_key text COLLATE "C" NOT NULL,
  name_key text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  realm text NOT NULL,
  username text NOT NULL,
  kind text NOT NULL,
  type text NOT NULL,
  sealed bytea NOT NULL,
  sent_at double precision NOT NULL,
  expires_at double precision NOT NULL,
  state text NOT NULL,
  wrong_answers bigint NOT NULL,
  decided_by text,
  reason text,
  PRIMARY KEY (realm_key, id),
  FOREIGN KEY (realm_key, name_key) REFERENCES users (realm_key, name_key) ON DELETE CASCADE)
;
CREATE INDEX push_messages_by_user ON push_messages (realm_key, name_key)
;
CREATE INDEX push_messages_by_expiry ON push_messages (expires_at)
;
CREATE TABLE push_inboxes (
  realm_key text COLLATE "C" NOT NULL,
  mechanism_uid text COLLATE "C" NOT NULL,
  message_id text COLLATE "C" NOT NULL,
  message text NOT NULL,
  was_fetched boolean NOT NULL,
  PRIMARY KEY (realm_key, mechanism_uid, message_id),
  FOREIGN KEY (realm_key, message_id) REFERENCES push_messages (realm_key, id) ON DELETE CASCADE)
;
CREATE INDEX push_inboxes_by_message ON push_inboxes (realm_key, message_id)
;
CREATE INDEX push_inboxes_new ON push_inboxes (realm_key, message_id) WHERE NOT was_fetched
;
CREATE TABLE push_decisions (
  number bigint NOT NULL,
  realm_key text COLLATE "C" NOT NULL,
  name_key text COLLATE "C" NOT NULL,
  realm text NOT NULL,
  username text NOT NULL,
  message_id text COLLATE "C" NOT NULL,
  type text NOT NULL,
  state text NOT NULL,
  device text NOT NULL,
  device_name text NOT NULL,
  reason text,
  sent_at double precision NOT NULL,
  decided_at double precision NOT NULL,
  PRIMARY KEY (realm_key, message_id))
;
CREATE INDEX push_decisions_by_number ON push_decisions (number)
;
CREATE INDEX push_decisions_by_account ON push_decisions (realm_key, name_key, number)
;
CREATE INDEX push_decisions_by_date ON push_decisions (decided_at)
;
CREATE TABLE recovery_codes (
  realm_key text COLLATE "C" NOT NULL,
  name_key text COLLATE "C" NOT NULL,
  kind text NOT NULL,
  hash bytea NOT NULL,
  PRIMARY KEY (realm_key, name_key, kind, hash),
  FOREIGN KEY (realm_key, name_key) REFERENCES users (realm_key, name_key) ON DELETE CASCADE)
;
CREATE TABLE lockouts (
  realm_key text COLLATE "C" NOT NULL,
  name_key text COLLATE "C" NOT NULL,
  kind text NOT NULL,
  device text COLLATE "C" NOT NULL,
  consecutive_failures bigint NOT NULL,
  lock_count bigint NOT NULL,
  locked_until double precision,
  latest_failure double precision NOT NULL,
  PRIMARY KEY (realm_key, name_key, kind, device))
;
CREATE INDEX lockouts_by_failure ON lockouts (latest_failure)
;
CREATE TABLE locked_names (
  realm_key text COLLATE "C" NOT NULL,
  name_key text COLLATE "C" NOT NULL,
  latest double precision NOT NULL,
  PRIMARY KEY (realm_key, name_key))
;
CREATE INDEX locked_names_by_time ON locked_names (latest)
;
CREATE TABLE consumed (
  key bytea NOT NULL,
  expires_at double precision NOT NULL,
  PRIMARY KEY (key))
;
CREATE INDEX consumed_by_expiry ON consumed (expires_at)
;
CREATE TABLE applications (
  id text COLLATE "C" NOT NULL,
  realm_key text COLLATE "C" NOT NULL,
  name_key text COLLATE "C" NOT NULL,
  realm text NOT NULL,
  name text NOT NULL,
  secret_hash bytea NOT NULL,
  created_at double precision NOT NULL,
  plain_proofs boolean NOT NULL,
  PRIMARY KEY (realm_key, id),
  UNIQUE (realm_key, name_key))
;
CREATE TABLE transactions (
  id text COLLATE "C" NOT NULL,
  realm_key text COLLATE "C" NOT NULL,
  realm text NOT NULL,
  application_id text COLLATE "C" NOT NULL,
  username text,
  journey text NOT NULL,
  fields text NOT NULL,
  created_at double precision NOT NULL,
  expires_at double precision NOT NULL,
  decided_at double precision,
  state text NOT NULL CHECK (state IN ('pending', 'approved', 'refused')),
  reason text,
  signer text,
  key_id text,
  jws text,
  nonce bytea,
  PRIMARY KEY (realm_key, id),
  FOREIGN KEY (realm_key, application_id) REFERENCES applications (realm_key, id) ON DELETE CASCADE)
;
CREATE INDEX open_transactions ON transactions (realm_key, application_id, expires_at) WHERE state = 'pending'
;
CREATE INDEX transactions_by_application ON transactions (realm_key, application_id)
;
CREATE INDEX transactions_by_expiry ON transactions (expires_at)
;
CREATE TABLE realms (
  realm_key text COLLATE "C" NOT NULL,
  name text NOT NULL,
  created_at double precision NOT NULL,
  deleted_at double precision,
  PRIMARY KEY (realm_key))
;
CREATE TABLE realm_version (
  id bigint NOT NULL CHECK (id = 1),
  version bigint NOT NULL,
  PRIMARY KEY (id))
;
CREATE TABLE evidence (
  number bigint NOT NULL,
  realm_key text COLLATE "C" NOT NULL,
  name_key text COLLATE "C" NOT NULL,
  line text NOT NULL,
  hash bytea NOT NULL,
  PRIMARY KEY (number),
  UNIQUE (hash))
;
CREATE INDEX evidence_by_account ON evidence (realm_key, name_key, number)
;
CREATE TABLE evidence_ledger (
  id bigint NOT NULL CHECK (id = 1),
  header text NOT NULL,
  seal bytea NOT NULL,
  PRIMARY KEY (id))
;
CREATE TABLE evidence_use (
  realm_key text COLLATE "C" NOT NULL,
  name_key text COLLATE "C" NOT NULL,
  day bigint NOT NULL,
  bytes bigint NOT NULL,
  PRIMARY KEY (realm_key, name_key))
;
CREATE TABLE server_secrets (
  name text COLLATE "C" NOT NULL,
  sealed bytea NOT NULL,
  PRIMARY KEY (name))
;
INSERT INTO realm_version (id, version) VALUES (1, 0)
;
CREATE INDEX evidence_by_lane ON evidence ((number & 63), number) WHERE number >= 1099511627776
;
CREATE TABLE evidence_lanes (
  lane bigint NOT NULL CHECK (lane BETWEEN 1 AND 63),
  last bigint NOT NULL,
  seal bytea NOT NULL,
  PRIMARY KEY (lane))
;
CREATE TABLE evidence_epochs (
  epoch bigint NOT NULL,
  checkpoint text NOT NULL,
  peaks bytea NOT NULL,
  PRIMARY KEY (epoch))
;
CREATE TABLE evidence_retention (
  id bigint NOT NULL CHECK (id = 1),
  removed bigint NOT NULL,
  seal bytea NOT NULL,
  PRIMARY KEY (id))
;
CREATE TABLE server_keys (
  id text COLLATE "C" NOT NULL,
  generation bigint NOT NULL,
  announced_at double precision NOT NULL,
  activated_at double precision,
  retired_at double precision,
  revoked_at double precision,
  PRIMARY KEY (id),
  UNIQUE (generation))
;
CREATE TABLE server_key_holders (
  server text COLLATE "C" NOT NULL,
  keys text NOT NULL,
  uses text,
  seen_at double precision NOT NULL,
  PRIMARY KEY (server))
;
ALTER TABLE users ADD COLUMN revision bigint NOT NULL DEFAULT 0
;
CREATE INDEX users_by_id ON users (realm_key, account_id)
;
CREATE TABLE identity_values (
  realm_key text COLLATE "C" NOT NULL,
  name_key text COLLATE "C" NOT NULL,
  attribute text COLLATE "C" NOT NULL,
  value text COLLATE "C" NOT NULL,
  unique_value text COLLATE "C",
  PRIMARY KEY (realm_key, name_key, attribute, value),
  UNIQUE (realm_key, attribute, unique_value),
  FOREIGN KEY (realm_key, name_key) REFERENCES users (realm_key, name_key) ON DELETE CASCADE)
;
CREATE INDEX identities_by_value ON identity_values (realm_key, attribute, value, name_key)
;
CREATE TABLE identity_index (
  id bigint NOT NULL CHECK (id = 1),
  definition text NOT NULL,
  PRIMARY KEY (id))
;
CREATE TABLE suspended_journeys (
  realm_key text COLLATE "C" NOT NULL,
  id_hash text COLLATE "C" NOT NULL,
  sealed bytea NOT NULL,
  created_at double precision NOT NULL,
  expires_at double precision NOT NULL,
  PRIMARY KEY (realm_key, id_hash))
;
CREATE INDEX suspended_journeys_by_expiry ON suspended_journeys (expires_at)
;
CREATE TABLE grants (
  realm_key text COLLATE "C" NOT NULL,
  name_key text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  realm text NOT NULL,
  username text NOT NULL,
  account_id text NOT NULL,
  password_version bigint NOT NULL,
  client_id text COLLATE "C" NOT NULL,
  session_hash bytea,
  details text NOT NULL,
  created_at double precision NOT NULL,
  expires_at double precision NOT NULL,
  ticket_hash bytea NOT NULL,
  ticket_expires_at double precision NOT NULL,
  ticket_used_at double precision,
  refresh_hash bytea,
  polled_at double precision,
  ended_at double precision,
  PRIMARY KEY (realm_key, name_key, id),
  FOREIGN KEY (realm_key, name_key) REFERENCES users (realm_key, name_key) ON DELETE CASCADE)
;
CREATE INDEX grants_by_expiry ON grants (expires_at)
;
CREATE TABLE consents (
  realm_key text COLLATE "C" NOT NULL,
  name_key text COLLATE "C" NOT NULL,
  client_id text COLLATE "C" NOT NULL,
  scopes text NOT NULL,
  given_at double precision NOT NULL,
  PRIMARY KEY (realm_key, name_key, client_id),
  FOREIGN KEY (realm_key, name_key) REFERENCES users (realm_key, name_key) ON DELETE CASCADE)
;
CREATE TABLE logout_notices (
  realm_key text COLLATE "C" NOT NULL,
  name_key text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  realm text NOT NULL,
  username text NOT NULL,
  client_id text COLLATE "C" NOT NULL,
  details text NOT NULL,
  attempts bigint NOT NULL,
  next_at double precision NOT NULL,
  expires_at double precision NOT NULL,
  PRIMARY KEY (realm_key, name_key, id))
;
CREATE INDEX logout_notices_by_time ON logout_notices (next_at)
;
CREATE TABLE journey_attempts (
  realm_key text COLLATE "C" NOT NULL,
  run_id text COLLATE "C" NOT NULL,
  part text COLLATE "C" NOT NULL,
  name_key text COLLATE "C",
  journey text NOT NULL,
  state text NOT NULL,
  steps text NOT NULL,
  reason text,
  started_at double precision NOT NULL,
  latest_at double precision NOT NULL,
  expires_at double precision NOT NULL,
  PRIMARY KEY (realm_key, run_id, part))
;
CREATE INDEX journey_attempts_by_account ON journey_attempts (realm_key, name_key, latest_at)
;
CREATE INDEX journey_attempts_by_time ON journey_attempts (realm_key, latest_at)
;
CREATE INDEX journey_attempts_by_expiry ON journey_attempts (expires_at)
;
CREATE TABLE activity_counts (
  realm_key text COLLATE "C" NOT NULL,
  series text COLLATE "C" NOT NULL,
  grain bigint NOT NULL,
  period bigint NOT NULL,
  label text COLLATE "C" NOT NULL,
  amount bigint NOT NULL,
  expires_at double precision NOT NULL,
  PRIMARY KEY (realm_key, series, grain, period, label))
;
CREATE INDEX activity_counts_by_expiry ON activity_counts (expires_at)
;
ALTER TABLE journey_attempts ADD COLUMN client_address text
;
CREATE OR REPLACE FUNCTION sealring_require_key() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock_shared(8315159405413363303);
  IF NOT EXISTS (SELECT 1 FROM server_keys WHERE retired_at IS NULL
      AND CASE WHEN substr(NEW.sealed, 1, 8) = '\x5345414c524e4731'::bytea
        THEN id = encode(substr(NEW.sealed, 9, 8), 'hex') ELSE generation = 0 END)
    AND EXISTS (SELECT 1 FROM server_keys)
  THEN
    RAISE EXCEPTION USING ERRCODE = 'SR001',
      MESSAGE = 'the row is sealed under a server key that is retired or unknown';
  END IF;
  RETURN NEW;
END $$
;
CREATE TRIGGER sealed_under_a_key BEFORE INSERT OR UPDATE OF sealed ON oath_devices
  FOR EACH ROW EXECUTE FUNCTION sealring_require_key()
;
CREATE TRIGGER sealed_under_a_key BEFORE INSERT OR UPDATE OF sealed ON push_devices
  FOR EACH ROW EXECUTE FUNCTION sealring_require_key()
;
CREATE TRIGGER sealed_under_a_key BEFORE INSERT OR UPDATE OF sealed ON push_messages
  FOR EACH ROW EXECUTE FUNCTION sealring_require_key()
;
CREATE TRIGGER sealed_under_a_key BEFORE INSERT OR UPDATE OF sealed ON suspended_journeys
  FOR EACH ROW EXECUTE FUNCTION sealring_require_key()
;
CREATE TRIGGER sealed_under_a_key BEFORE INSERT OR UPDATE OF sealed ON server_secrets
  FOR EACH ROW EXECUTE FUNCTION sealring_require_key()
;
CREATE OR REPLACE FUNCTION sealring_keep_evidence() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION USING ERRCODE = 'SR002', MESSAGE = TG_TABLE_NAME || ' cannot be changed or deleted';
END $$
;
CREATE TRIGGER evidence_is_not_changed BEFORE UPDATE ON evidence FOR EACH ROW
  WHEN (NEW.number IS DISTINCT FROM OLD.number OR NEW.hash IS DISTINCT FROM OLD.hash
    OR (NEW.line IS DISTINCT FROM OLD.line OR NEW.realm_key IS DISTINCT FROM OLD.realm_key
        OR NEW.name_key IS DISTINCT FROM OLD.name_key)
      AND (NEW.line <> '' OR NEW.realm_key <> '' OR NEW.name_key <> ''))
  EXECUTE FUNCTION sealring_keep_evidence()
;
CREATE TRIGGER evidence_ledger_keeps_header BEFORE UPDATE OF id, header ON evidence_ledger FOR EACH ROW
  EXECUTE FUNCTION sealring_keep_evidence()
;
CREATE TRIGGER evidence_epochs_are_not_changed BEFORE UPDATE ON evidence_epochs FOR EACH ROW
  EXECUTE FUNCTION sealring_keep_evidence()
;
CREATE TRIGGER evidence_is_not_deleted BEFORE DELETE ON evidence FOR EACH ROW
  EXECUTE FUNCTION sealring_keep_evidence()
;
CREATE TRIGGER evidence_is_not_emptied BEFORE TRUNCATE ON evidence
  EXECUTE FUNCTION sealring_keep_evidence()
;
CREATE TRIGGER evidence_ledger_is_not_deleted BEFORE DELETE ON evidence_ledger FOR EACH ROW
  EXECUTE FUNCTION sealring_keep_evidence()
;
CREATE TRIGGER evidence_ledger_is_not_emptied BEFORE TRUNCATE ON evidence_ledger
  EXECUTE FUNCTION sealring_keep_evidence()
;
CREATE TRIGGER evidence_lanes_is_not_deleted BEFORE DELETE ON evidence_lanes FOR EACH ROW
  EXECUTE FUNCTION sealring_keep_evidence()
;
CREATE TRIGGER evidence_lanes_is_not_emptied BEFORE TRUNCATE ON evidence_lanes
  EXECUTE FUNCTION sealring_keep_evidence()
;
CREATE TRIGGER evidence_epochs_is_not_deleted BEFORE DELETE ON evidence_epochs FOR EACH ROW
  EXECUTE FUNCTION sealring_keep_evidence()
;
CREATE TRIGGER evidence_epochs_is_not_emptied BEFORE TRUNCATE ON evidence_epochs
  EXECUTE FUNCTION sealring_keep_evidence()
;
CREATE INDEX evidence_use_by_day ON evidence_use (day)
;
ALTER TABLE push_decisions ADD COLUMN account_id text
;
ALTER TABLE transactions ADD COLUMN account_id text
;
ALTER TABLE evidence ADD COLUMN account_id text
;
CREATE TABLE ssh_authorities (
  realm_key text COLLATE "C" NOT NULL,
  realm text NOT NULL,
  settings text NOT NULL,
  created_at double precision NOT NULL,
  PRIMARY KEY (realm_key))
;
CREATE TABLE ssh_keys (
  realm_key text COLLATE "C" NOT NULL,
  fingerprint text COLLATE "C" NOT NULL,
  purpose text NOT NULL CHECK (purpose IN ('user', 'host', 'none')),
  public_key bytea NOT NULL,
  created_at double precision NOT NULL,
  revoked_at double precision,
  PRIMARY KEY (realm_key, fingerprint))
;
CREATE INDEX ssh_keys_by_fingerprint ON ssh_keys (fingerprint)
;
CREATE TABLE ssh_certificates (
  realm_key text COLLATE "C" NOT NULL,
  name_key text COLLATE "C" NOT NULL,
  realm text NOT NULL,
  username text NOT NULL,
  account_id text,
  serial bigint NOT NULL,
  purpose text NOT NULL CHECK (purpose IN ('user', 'host')),
  authority text COLLATE "C" NOT NULL,
  subject text COLLATE "C" NOT NULL,
  principals text NOT NULL,
  attested boolean NOT NULL,
  created_at double precision NOT NULL,
  expires_at double precision NOT NULL,
  revoked_at double precision,
  PRIMARY KEY (realm_key, serial))
;
CREATE INDEX ssh_certificates_by_account ON ssh_certificates (realm_key, name_key)
;
CREATE INDEX ssh_certificates_by_key ON ssh_certificates (realm_key, subject)
;
CREATE INDEX ssh_certificates_revoked ON ssh_certificates (realm_key, serial) WHERE revoked_at IS NOT NULL
;
CREATE INDEX ssh_certificates_by_expiry ON ssh_certificates (expires_at)
;
UPDATE sealring_schema SET version = 11, oldest = 1
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
PREPARE s5 (text, text) AS
UPDATE identity_index SET definition = '' WHERE definition <> '' AND definition <> $1 AND definition <> $2;
EXECUTE s5 ('givenName
mail
sn
telephoneNumber', 'making givenName
mail
sn
telephoneNumber');
COMMIT;
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
EXECUTE s1 ('alpha');
EXECUTE s2 ('alpha', 'other', 'alpha', 'other', '$argon2id$…', 't', 'f', 'f', 'f', '["other@example.com","second@example.com"]', '{"cn":"Demo User","nested":{"count":3,"ratio":0.5,"none":null}}', '1800000000', 'id of other', '0', 'f', NULL, '0');
EXECUTE s3 ('alpha', 'other');
EXECUTE s4 ('alpha', 'other', 'mail', 'other@example.com', NULL);
EXECUTE s4 ('alpha', 'other', 'mail', 'second@example.com', NULL);
EXECUTE s5 ('givenName
mail
sn
telephoneNumber', 'making givenName
mail
sn
telephoneNumber');
COMMIT;
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
EXECUTE s1 ('root');
EXECUTE s2 ('root', 'root', 'root', 'root', '$argon2id$…', 't', 't', 'f', 'f', '["root@example.com","second@example.com"]', '{"cn":"Demo User","nested":{"count":3,"ratio":0.5,"none":null}}', '1800000000', 'id of root', '0', 'f', NULL, '0');
EXECUTE s3 ('root', 'root');
EXECUTE s4 ('root', 'root', 'mail', 'root@example.com', NULL);
EXECUTE s4 ('root', 'root', 'mail', 'second@example.com', NULL);
EXECUTE s5 ('givenName
mail
sn
telephoneNumber', 'making givenName
mail
sn
telephoneNumber');
COMMIT;
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
EXECUTE s1 ('root');
EXECUTE s2 ('root', 'second', 'root', 'second', '$argon2id$…', 't', 't', 'f', 'f', '["second@example.com","second@example.com"]', '{"cn":"Demo User","nested":{"count":3,"ratio":0.5,"none":null}}', '1800000000', 'id of second', '0', 'f', NULL, '0');
EXECUTE s3 ('root', 'second');
EXECUTE s4 ('root', 'second', 'mail', 'second@example.com', NULL);
EXECUTE s5 ('givenName
mail
sn
telephoneNumber', 'making givenName
mail
sn
telephoneNumber');
COMMIT;
PREPARE s6 (text, text) AS
SELECT realm, username, password_hash, is_active, is_administrator, mail, attributes, created_at, account_id, password_version, must_change_password, password_expires_at, is_help_desk, is_auditor, revision FROM users WHERE realm_key = $1 AND name_key = $2;
EXECUTE s6 ('alpha', 'demo');
PREPARE s7 (text, text, bigint) AS
SELECT realm, username, password_hash, is_active, is_administrator, mail, attributes, created_at, account_id, password_version, must_change_password, password_expires_at, is_help_desk, is_auditor, revision FROM users WHERE realm_key = $1 AND name_key > $2 ORDER BY name_key LIMIT $3;
EXECUTE s7 ('alpha', 'a', '10');
SELECT definition FROM identity_index;
PREPARE s8 (text) AS
INSERT INTO identity_index (id, definition) VALUES (1, $1) ON CONFLICT (id) DO UPDATE SET definition = excluded.definition;
EXECUTE s8 ('making mail
unique badge');
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
PREPARE s9 (text, text, bigint) AS
SELECT realm, username, password_hash, is_active, is_administrator, mail, attributes, created_at, account_id, password_version, must_change_password, password_expires_at, is_help_desk, is_auditor, revision FROM users WHERE realm_key > $1 OR (realm_key = $1 AND name_key > $2)
  ORDER BY realm_key, name_key LIMIT $3 FOR NO KEY UPDATE;
EXECUTE s9 ('', '', '200');
EXECUTE s3 ('alpha', 'demo');
PREPARE s10 (text, text, text, text, text) AS
INSERT INTO identity_values (realm_key, name_key, attribute, value, unique_value) VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING;
EXECUTE s10 ('alpha', 'demo', 'mail', 'demo@example.com', NULL);
EXECUTE s10 ('alpha', 'demo', 'mail', 'second@example.com', NULL);
EXECUTE s3 ('alpha', 'other');
EXECUTE s10 ('alpha', 'other', 'mail', 'other@example.com', NULL);
EXECUTE s10 ('alpha', 'other', 'mail', 'second@example.com', NULL);
EXECUTE s3 ('root', 'root');
EXECUTE s10 ('root', 'root', 'mail', 'root@example.com', NULL);
EXECUTE s10 ('root', 'root', 'mail', 'second@example.com', NULL);
EXECUTE s3 ('root', 'second');
EXECUTE s10 ('root', 'second', 'mail', 'second@example.com', NULL);
COMMIT;
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
EXECUTE s9 ('root', 'second', '200');
COMMIT;
PREPARE s11 (text, text) AS
UPDATE identity_index SET definition = $1 WHERE definition IN ($1, $2);
EXECUTE s11 ('mail
unique badge', 'making mail
unique badge');
PREPARE s12 (text, text) AS
SELECT realm, username, password_hash, is_active, is_administrator, mail, attributes, created_at, account_id, password_version, must_change_password, password_expires_at, is_help_desk, is_auditor, revision FROM users WHERE realm_key = $1 AND account_id = $2;
EXECUTE s12 ('alpha', 'id of demo');
PREPARE s13 (text, text, text, text, text, bigint) AS
SELECT realm, username, password_hash, is_active, is_administrator, mail, attributes, created_at, account_id, password_version, must_change_password, password_expires_at, is_help_desk, is_auditor, revision FROM (
  SELECT DISTINCT name_key || '' AS found_key FROM identity_values
    WHERE realm_key = $1 AND attribute = $2 AND value >= $3 AND value <= $4
      AND name_key || '' > $5
    ORDER BY found_key LIMIT $6) AS found
  CROSS JOIN users WHERE users.realm_key = $1 AND users.name_key = found.found_key
  ORDER BY users.name_key;
EXECUTE s13 ('alpha', 'mail', 'a@x.org', 'a@x.org', '', '10');
EXECUTE s13 ('alpha', 'mail', 'a', 'a􏿿', '', '10');
PREPARE s14 (text, text, bigint) AS
SELECT realm, username, password_hash, is_active, is_administrator, mail, attributes, created_at, account_id, password_version, must_change_password, password_expires_at, is_help_desk, is_auditor, revision FROM users
  WHERE realm_key = $1 AND name_key > $2 AND (is_administrator OR is_help_desk OR is_auditor)
  ORDER BY name_key LIMIT $3;
EXECUTE s14 ('root', '', '10');
PREPARE s15 (text, text, text, text, text) AS
UPDATE users SET password_hash = $1 WHERE realm_key = $2 AND name_key = $3 AND account_id = $4 AND password_hash = $5;
EXECUTE s15 ('$argon2id$v=19$renewed', 'alpha', 'demo', 'id of demo', '$argon2id$…');
SELECT substr(password_hash, 1, 15 + strpos(substr(password_hash, 16), '$')) AS kind, count(*) AS accounts FROM users WHERE substr(password_hash, 1, 15 + strpos(substr(password_hash, 16), '$')) IS NOT NULL GROUP BY 1;
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
PREPARE s16 (text, text, text) AS
SELECT true FROM users WHERE realm_key = $1 AND name_key = $2 AND ($3 IS NULL OR account_id = $3) FOR NO KEY UPDATE;
EXECUTE s16 ('alpha', 'demo', NULL);
PREPARE s17 (text, text, boolean, text, boolean, boolean, double precision, text, text, text, bigint, boolean, bigint) AS
UPDATE users SET mail = coalesce($1, mail), attributes = coalesce($2, attributes),
  is_active = coalesce($3, is_active), password_hash = coalesce($4, password_hash),
  password_version = password_version
    + CASE WHEN $4 IS NOT NULL OR (is_active AND NOT coalesce($3, is_active)) THEN 1 ELSE 0 END,
  must_change_password = coalesce($5, must_change_password),
  password_expires_at = CASE WHEN $6 THEN $7 ELSE password_expires_at END,
  revision = revision + 1
WHERE realm_key = $8 AND name_key = $9 AND account_id = $10
  AND ($11 IS NULL OR password_version = $11) AND (is_active OR NOT $12)
  AND ($13 IS NULL OR revision = $13)
RETURNING realm, username, password_hash, is_active, is_administrator, mail, attributes, created_at, account_id, password_version, must_change_password, password_expires_at, is_help_desk, is_auditor, revision;
EXECUTE s17 ('["new@example.com"]', NULL, NULL, '$argon2id$v=19$new', NULL, 't', '1800000060', 'alpha', 'demo', 'id of demo', '0', 'f', '0');
EXECUTE s6 ('alpha', 'demo');
EXECUTE s3 ('alpha', 'demo');
EXECUTE s4 ('alpha', 'demo', 'mail', 'new@example.com', NULL);
EXECUTE s5 ('mail
unique badge', 'making mail
unique badge');
PREPARE s18 (text, text, bytea) AS
DELETE FROM sessions WHERE realm_key = $1 AND name_key = $2 AND ($3 IS NULL OR token_hash <> $3);
EXECUTE s18 ('alpha', 'demo', NULL);
PREPARE s19 (text, text) AS
UPDATE ssh_certificates SET revoked_at = extract(epoch FROM now())::float8
WHERE realm_key = $1 AND name_key = $2 AND purpose = 'user' AND revoked_at IS NULL;
EXECUTE s19 ('alpha', 'demo');
COMMIT;
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
EXECUTE s16 ('alpha', 'demo', NULL);
EXECUTE s17 ('["new@example.com"]', NULL, NULL, '$argon2id$v=19$new', NULL, 't', '1800000060', 'alpha', 'demo', 'id of demo', '0', 'f', '0');
EXECUTE s6 ('alpha', 'demo');
COMMIT;
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
SELECT name_key FROM users WHERE realm_key = 'root' AND is_administrator AND is_active
  ORDER BY name_key FOR NO KEY UPDATE;
EXECUTE s16 ('root', 'second', NULL);
EXECUTE s17 (NULL, NULL, 'f', NULL, NULL, 'f', NULL, 'root', 'second', 'id of second', NULL, 'f', NULL);
EXECUTE s6 ('root', 'second');
EXECUTE s18 ('root', 'second', NULL);
EXECUTE s19 ('root', 'second');
COMMIT;
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
PREPARE s20 (text, text) AS
SELECT realm, username, password_hash, is_active, is_administrator, mail, attributes, created_at, account_id, password_version, must_change_password, password_expires_at, is_help_desk, is_auditor, revision FROM users WHERE realm_key = $1 AND name_key = $2 FOR NO KEY UPDATE;
EXECUTE s20 ('alpha', 'demo');
PREPARE s21 (text, text) AS
UPDATE users SET is_help_desk = true, password_version = password_version + 1 WHERE realm_key = $1 AND name_key = $2
RETURNING realm, username, password_hash, is_active, is_administrator, mail, attributes, created_at, account_id, password_version, must_change_password, password_expires_at, is_help_desk, is_auditor, revision;
EXECUTE s21 ('alpha', 'demo');
PREPARE s22 (text, text) AS
DELETE FROM sessions WHERE realm_key = $1 AND name_key = $2;
EXECUTE s22 ('alpha', 'demo');
EXECUTE s19 ('alpha', 'demo');
COMMIT;
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
EXECUTE s20 ('alpha', 'demo');
PREPARE s23 (text, text) AS
UPDATE users SET is_help_desk = false WHERE realm_key = $1 AND name_key = $2 RETURNING realm, username, password_hash, is_active, is_administrator, mail, attributes, created_at, account_id, password_version, must_change_password, password_expires_at, is_help_desk, is_auditor, revision;
EXECUTE s23 ('alpha', 'demo');
COMMIT;
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
EXECUTE s20 ('root', 'demo');
COMMIT;
PREPARE s24 (text) AS
SELECT sealed FROM server_secrets WHERE name = $1;
EXECUTE s24 ('a secret');
PREPARE s25 (text, bytea) AS
INSERT INTO server_secrets (name, sealed) VALUES ($1, $2) ON CONFLICT DO NOTHING;
EXECUTE s25 ('a secret', '\x797a3173fcf3d4d7740d257b2615da25b83c8077c18be50e082beba74fc17a');
EXECUTE s24 ('a secret');
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
PREPARE s26 (text, text, double precision) AS
INSERT INTO locked_names (realm_key, name_key, latest) VALUES ($1, $2, $3)
ON CONFLICT (realm_key, name_key) DO UPDATE SET latest = $3;
EXECUTE s26 ('alpha', 'demo', '1800000000');
PREPARE s27 (text, text, text, bigint) AS
SELECT place, kind, consecutive_failures, lock_count, locked_until FROM (
    SELECT CASE WHEN $1 = '' OR EXISTS (
          SELECT 1 FROM lockouts WHERE realm_key = $2 AND name_key = $3 AND device = $1)
        OR (SELECT count(DISTINCT device) FROM lockouts
          WHERE realm_key = $2 AND name_key = $3 AND device != '') < $4
      THEN $1 ELSE '' END AS place) AS places
  LEFT JOIN lockouts ON realm_key = $2 AND name_key = $3 AND device = place;
EXECUTE s27 ('', 'alpha', 'demo', '10');
PREPARE s28 (text, text, text, text, bigint, bigint, double precision, double precision) AS
INSERT INTO lockouts
  (realm_key, name_key, kind, device, consecutive_failures, lock_count, locked_until, latest_failure)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
ON CONFLICT (realm_key, name_key, kind, device) DO UPDATE SET consecutive_failures = $5, lock_count = $6,
  locked_until = $7, latest_failure = greatest(lockouts.latest_failure, $8);
EXECUTE s28 ('alpha', 'demo', 'passwords', '', '1', '0', NULL, '1800000000');
EXECUTE s28 ('alpha', 'demo', 'guesses', '', '1', '0', NULL, '1800000000');
COMMIT;
EXECUTE s27 ('', 'alpha', 'demo', '10');
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
EXECUTE s26 ('alpha', 'demo', '1800000000');
EXECUTE s27 ('', 'alpha', 'demo', '10');
PREPARE s29 (text, text, text, text) AS
DELETE FROM lockouts WHERE realm_key = $1 AND name_key = $2 AND kind = $3 AND device = $4;
EXECUTE s29 ('alpha', 'demo', 'passwords', '');
EXECUTE s29 ('alpha', 'demo', 'guesses', '');
COMMIT;
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
EXECUTE s26 ('alpha', 'demo', '1800000000');
EXECUTE s27 ('', 'alpha', 'demo', '10');
EXECUTE s28 ('alpha', 'demo', 'passwords', '', '1', '0', NULL, '1800000000');
EXECUTE s28 ('alpha', 'demo', 'guesses', '', '1', '0', NULL, '1800000000');
COMMIT;
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
EXECUTE s26 ('alpha', 'demo', '1800000000');
EXECUTE s27 ('', 'alpha', 'demo', '10');
EXECUTE s28 ('alpha', 'demo', 'signatures', '', '1', '0', NULL, '1800000000');
COMMIT;
EXECUTE s27 ('', 'alpha', 'demo', '10');
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
EXECUTE s26 ('alpha', 'demo', '1800000000');
EXECUTE s27 ('', 'alpha', 'demo', '10');
EXECUTE s29 ('alpha', 'demo', 'signatures', '');
COMMIT;
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
EXECUTE s26 ('alpha', 'demo', '1800000000');
EXECUTE s27 ('', 'alpha', 'demo', '10');
EXECUTE s28 ('alpha', 'demo', 'signatures', '', '1', '0', NULL, '1800000000');
COMMIT;
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
EXECUTE s26 ('alpha', 'demo', '1800000000');
EXECUTE s27 ('phone', 'alpha', 'demo', '10');
EXECUTE s28 ('alpha', 'demo', 'passwords', 'phone', '1', '0', NULL, '1800000000');
EXECUTE s28 ('alpha', 'demo', 'guesses', 'phone', '1', '0', NULL, '1800000000');
COMMIT;
EXECUTE s27 ('phone', 'alpha', 'demo', '10');
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
EXECUTE s26 ('alpha', 'demo', '1800000000');
EXECUTE s27 ('phone', 'alpha', 'demo', '10');
EXECUTE s29 ('alpha', 'demo', 'passwords', 'phone');
EXECUTE s29 ('alpha', 'demo', 'guesses', 'phone');
COMMIT;
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
EXECUTE s26 ('alpha', 'demo', '1800000000');
EXECUTE s27 ('phone', 'alpha', 'demo', '10');
EXECUTE s28 ('alpha', 'demo', 'passwords', 'phone', '1', '0', NULL, '1800000000');
EXECUTE s28 ('alpha', 'demo', 'guesses', 'phone', '1', '0', NULL, '1800000000');
COMMIT;
EXECUTE s27 ('', 'alpha', 'demo', '10');
PREPARE s30 (text, text, double precision) AS
SELECT name_key, kind, max(locked_until) AS until FROM lockouts
  WHERE realm_key = $1 AND name_key IN (SELECT json_array_elements_text($2::json)) AND locked_until > $3
  GROUP BY name_key, kind;
EXECUTE s30 ('alpha', '["demo","other"]', '1800000000');
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
PREPARE s31 (text, text) AS
DELETE FROM lockouts WHERE realm_key = $1 AND name_key = $2;
EXECUTE s31 ('alpha', 'demo');
COMMIT;
PREPARE s32 (bytea, double precision) AS
INSERT INTO consumed (key, expires_at) VALUES ($1, $2) ON CONFLICT DO NOTHING;
EXECUTE s32 ('\x01', '1800000060');
EXECUTE s6 ('alpha', 'demo');
EXECUTE s32 ('\x01', '1800000060');
EXECUTE s6 ('alpha', 'demo');
EXECUTE s32 ('\x02', '1800000060');
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
EXECUTE s1 ('alpha');
PREPARE s33 (text, text, bytea, double precision, double precision) AS
INSERT INTO suspended_journeys (realm_key, id_hash, sealed, created_at, expires_at) VALUES ($1, $2, $3, $4, $5) ;
EXECUTE s33 ('alpha', 'aa', '\xe74f1cbfc0586848ef4c9aa5243c130f8bbdd648215b8ed43c5ecccc58643a95b35dd8411cffe58c7476c36fa3c8', '1800000000', '1800000300');
COMMIT;
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
EXECUTE s1 ('alpha');
EXECUTE s33 ('alpha', 'bb', '\x573fb75ca5f08eb59a24a9cb57f9afa91e4d6a1fe0a938a3e5183e955e5a99de258453c199b819d6a5ac9ce9bc28', '1800000000', '1800000300');
COMMIT;
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
PREPARE s34 (text, text, double precision) AS
DELETE FROM suspended_journeys WHERE realm_key = $1 AND id_hash = $2 AND expires_at > $3 RETURNING sealed;
EXECUTE s34 ('alpha', 'aa', '1800000000');
COMMIT;
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
EXECUTE s34 ('alpha', 'aa', '1800000000');
COMMIT;
EXECUTE s6 ('alpha', 'demo');
PREPARE s35 (double precision, bytea, text, double precision, double precision, double precision, double precision, text, bigint, text, double precision, text, text, text, text, bigint) AS
INSERT INTO sessions (realm_key, name_key, realm, username, ends_at, token_hash, handle, created_at,
  latest_access, maximum_idle, expires_at, properties, auth_level, service, authenticated_at)
SELECT realm_key, name_key, realm, username, $1, $2, $3, $4, $5,
  $6, $7, $8, $9, $10, $11
  FROM users WHERE realm_key = $12 AND name_key = $13 AND is_active
    AND ($14 IS NULL OR account_id = $14)
    AND ($15 IS NULL OR (account_id = $15 AND password_version = $16))
  FOR NO KEY UPDATE;
EXECUTE s35 ('1800001800', '\x0101010101010101010101010101010101010101010101010101010101010101', 'shandle:1', '1800000000', '1800000000', '1800', '1800007200', '{"AMCtxId":"context"}', '0', NULL, '1800000000', 'alpha', 'demo', 'id of demo', 'id of demo', '2');
EXECUTE s6 ('alpha', 'demo');
PREPARE s36 (text, text, bigint) AS
DELETE FROM sessions WHERE token_hash IN (
  SELECT token_hash FROM sessions WHERE realm_key = $1 AND name_key = $2
    ORDER BY created_at DESC, added_at DESC  OFFSET $3);
EXECUTE s36 ('alpha', 'demo', '100');
EXECUTE s35 ('1800001800', '\x0202020202020202020202020202020202020202020202020202020202020202', 'shandle:2', '1800000000', '1800000000', '1800', '1800007200', '{"AMCtxId":"context"}', '0', NULL, '1800000000', 'alpha', 'demo', 'id of demo', 'id of demo', '2');
EXECUTE s6 ('alpha', 'demo');
EXECUTE s36 ('alpha', 'demo', '100');
EXECUTE s35 ('1800001800', '\x0303030303030303030303030303030303030303030303030303030303030303', 'shandle:3', '1800000000', '1800000000', '1800', '1800007200', '{"AMCtxId":"context"}', '0', NULL, '1800000000', 'alpha', 'demo', 'id of demo', 'id of demo', '2');
EXECUTE s6 ('alpha', 'demo');
EXECUTE s36 ('alpha', 'demo', '100');
EXECUTE s35 ('1800001800', '\x0404040404040404040404040404040404040404040404040404040404040404', 'shandle:4', '1800000000', '1800000000', '1800', '1800007200', '{"AMCtxId":"context"}', '0', NULL, '1800000000', 'alpha', 'demo', 'id of demo', 'id of demo', '2');
EXECUTE s6 ('alpha', 'demo');
EXECUTE s36 ('alpha', 'demo', '100');
EXECUTE s35 ('1800001800', '\x0505050505050505050505050505050505050505050505050505050505050505', 'shandle:5', '1800000000', '1800000000', '1800', '1800007200', '{"AMCtxId":"context"}', '0', NULL, '1800000000', 'alpha', 'demo', 'id of demo', 'id of demo', '2');
EXECUTE s6 ('alpha', 'demo');
EXECUTE s36 ('alpha', 'demo', '100');
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
EXECUTE s16 ('alpha', 'demo', NULL);
PREPARE s37 (bytea, double precision, text, text) AS
DELETE FROM sessions WHERE token_hash = $1 AND ends_at > $2 AND realm_key = $3 AND name_key = $4;
EXECUTE s37 ('\x0505050505050505050505050505050505050505050505050505050505050505', '1800000000', 'alpha', 'demo');
EXECUTE s35 ('1800001800', '\x0606060606060606060606060606060606060606060606060606060606060606', 'shandle:6', '1800000000', '1800000000', '1800', '1800007200', '{"AMCtxId":"context"}', '0', NULL, '1800000000', 'alpha', 'demo', 'id of demo', NULL, NULL);
EXECUTE s6 ('alpha', 'demo');
PREPARE s38 (bytea, text, text, bytea) AS
UPDATE grants SET session_hash = $1 WHERE realm_key = $2 AND name_key = $3 AND session_hash = $4;
EXECUTE s38 ('\x0606060606060606060606060606060606060606060606060606060606060606', 'alpha', 'demo', '\x0505050505050505050505050505050505050505050505050505050505050505');
COMMIT;
PREPARE s39 (bytea, double precision) AS
SELECT sessions.token_hash, sessions.handle, sessions.realm, sessions.username, sessions.created_at, sessions.latest_access,
sessions.maximum_idle, sessions.expires_at, sessions.properties, sessions.auth_level, sessions.service,
sessions.authenticated_at, users.account_id FROM sessions JOIN users USING (realm_key, name_key) WHERE token_hash = $1 AND ends_at > $2 AND is_active;
EXECUTE s39 ('\x0101010101010101010101010101010101010101010101010101010101010101', '1800000000');
PREPARE s40 (double precision, bytea) AS
UPDATE sessions SET latest_access = greatest(latest_access, $1),
  ends_at = least(expires_at, greatest(latest_access, $1) + maximum_idle)
WHERE token_hash = $2 AND ends_at > $1 AND EXISTS (
  SELECT 1 FROM users WHERE users.realm_key = sessions.realm_key
    AND users.name_key = sessions.name_key AND users.is_active);
EXECUTE s40 ('1800000060', '\x0101010101010101010101010101010101010101010101010101010101010101');
PREPARE s41 (text, text, double precision) AS
SELECT sessions.token_hash, sessions.handle, sessions.realm, sessions.username, sessions.created_at, sessions.latest_access,
sessions.maximum_idle, sessions.expires_at, sessions.properties, sessions.auth_level, sessions.service,
sessions.authenticated_at, users.account_id FROM sessions JOIN users USING (realm_key, name_key) WHERE realm_key = $1 AND name_key = $2 AND ends_at > $3 AND is_active
  ORDER BY sessions.created_at, sessions.added_at;
EXECUTE s41 ('alpha', 'demo', '1800000000');
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
PREPARE s42 (bytea, double precision) AS
SELECT users.realm_key, users.name_key, users.is_administrator, users.is_help_desk, users.is_auditor
  FROM sessions JOIN users USING (realm_key, name_key)
  WHERE sessions.token_hash = $1 AND sessions.ends_at > $2 AND users.is_active FOR SHARE;
EXECUTE s42 ('\x0101010101010101010101010101010101010101010101010101010101010101', '1800000000');
PREPARE s43 (text, text) AS
SELECT users.is_administrator, users.is_help_desk, users.is_auditor FROM users WHERE realm_key = $1 AND name_key = $2;
EXECUTE s43 ('alpha', 'demo');
EXECUTE s31 ('alpha', 'demo');
COMMIT;
PREPARE s44 (text) AS
SELECT sessions.token_hash, sessions.handle, sessions.realm, sessions.username, sessions.created_at, sessions.latest_access,
sessions.maximum_idle, sessions.expires_at, sessions.properties, sessions.auth_level, sessions.service,
sessions.authenticated_at, users.account_id FROM sessions JOIN users USING (realm_key, name_key) WHERE handle = $1;
EXECUTE s44 ('shandle:2');
EXECUTE s16 ('alpha', 'demo', NULL);
PREPARE s45 (double precision, double precision, text, text, text, bytea) AS
INSERT INTO logout_notices (realm_key, name_key, id, realm, username, client_id, details, attempts, next_at,
  expires_at)
SELECT realm_key, name_key, id, realm, username, client_id, details, 0, $1, $2 FROM grants
WHERE client_id = $3 AND ticket_used_at IS NOT NULL AND realm_key = $4 AND name_key = $5 AND session_hash = $6 AND ended_at IS NULL
ON CONFLICT DO NOTHING;
EXECUTE s45 ('1800000000', '1800003600', 'app', 'alpha', 'demo', '\x0101010101010101010101010101010101010101010101010101010101010101');
PREPARE s46 (double precision, text, text, bytea) AS
UPDATE grants SET ended_at = $1 WHERE realm_key = $2 AND name_key = $3 AND session_hash = $4 AND ended_at IS NULL;
EXECUTE s46 ('1800000000', 'alpha', 'demo', '\x0101010101010101010101010101010101010101010101010101010101010101');
PREPARE s47 (text, text, bytea) AS
DELETE FROM sessions WHERE realm_key = $1 AND name_key = $2 AND token_hash = $3;
EXECUTE s47 ('alpha', 'demo', '\x0101010101010101010101010101010101010101010101010101010101010101');
EXECUTE s19 ('alpha', 'demo');
PREPARE s48 (text, text) AS
UPDATE users SET password_version = password_version + 1 WHERE realm_key = $1 AND name_key = $2;
EXECUTE s48 ('alpha', 'demo');
PREPARE s49 (double precision, double precision, text, text, text, bytea) AS
INSERT INTO logout_notices (realm_key, name_key, id, realm, username, client_id, details, attempts, next_at,
  expires_at)
SELECT realm_key, name_key, id, realm, username, client_id, details, 0, $1, $2 FROM grants
WHERE client_id = $3 AND ticket_used_at IS NOT NULL AND realm_key = $4 AND name_key = $5 AND (session_hash IS NULL OR session_hash <> $6) AND ended_at IS NULL
ON CONFLICT DO NOTHING;
EXECUTE s49 ('1800000000', '1800003600', 'app', 'alpha', 'demo', '\x0303030303030303030303030303030303030303030303030303030303030303');
PREPARE s50 (double precision, text, text, bytea) AS
UPDATE grants SET ended_at = $1 WHERE realm_key = $2 AND name_key = $3 AND (session_hash IS NULL OR session_hash <> $4) AND ended_at IS NULL;
EXECUTE s50 ('1800000000', 'alpha', 'demo', '\x0303030303030303030303030303030303030303030303030303030303030303');
PREPARE s51 (text, text, bytea) AS
UPDATE grants SET password_version = password_version + 1
WHERE realm_key = $1 AND name_key = $2 AND session_hash = $3 AND ended_at IS NULL;
EXECUTE s51 ('alpha', 'demo', '\x0303030303030303030303030303030303030303030303030303030303030303');
PREPARE s52 (text, text, bytea, double precision) AS
DELETE FROM sessions WHERE realm_key = $1 AND name_key = $2 AND (token_hash IS NULL OR token_hash <> $3) AND ends_at > $4;
EXECUTE s52 ('alpha', 'demo', '\x0303030303030303030303030303030303030303030303030303030303030303', '1800000000');
EXECUTE s19 ('alpha', 'demo');
EXECUTE s48 ('alpha', 'demo');
PREPARE s53 (double precision, double precision, text, text, text) AS
INSERT INTO logout_notices (realm_key, name_key, id, realm, username, client_id, details, attempts, next_at,
  expires_at)
SELECT realm_key, name_key, id, realm, username, client_id, details, 0, $1, $2 FROM grants
WHERE client_id = $3 AND ticket_used_at IS NOT NULL AND realm_key = $4 AND name_key = $5 AND true AND ended_at IS NULL
ON CONFLICT DO NOTHING;
EXECUTE s53 ('1800000000', '1800003600', 'app', 'alpha', 'demo');
PREPARE s54 (double precision, text, text) AS
UPDATE grants SET ended_at = $1 WHERE realm_key = $2 AND name_key = $3 AND true AND ended_at IS NULL;
EXECUTE s54 ('1800000000', 'alpha', 'demo');
PREPARE s55 (text, text) AS
DELETE FROM sessions WHERE realm_key = $1 AND name_key = $2 AND true;
EXECUTE s55 ('alpha', 'demo');
EXECUTE s19 ('alpha', 'demo');
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
EXECUTE s16 ('alpha', 'demo', NULL);
PREPARE s56 (text, text, text, text) AS
SELECT EXISTS (SELECT 1 FROM bound_devices WHERE realm_key = $1 AND name_key = $2 AND (uuid = $3 OR thumbprint = $4));
EXECUTE s56 ('alpha', 'demo', 'device-1', 'thumbprint of device-1');
PREPARE s57 (text, text) AS
SELECT count(*) FROM bound_devices WHERE realm_key = $1 AND name_key = $2;
EXECUTE s57 ('alpha', 'demo');
PREPARE s58 (text, text, text, text, text, double precision, double precision, text, text, text) AS
INSERT INTO bound_devices (realm_key, name_key, realm, username, uuid, device_id, device_name, key, thumbprint, created_date, last_access_date, attestation)
SELECT realm_key, name_key, realm, username, $1, $2, $3, $4, $5, $6, $7, $8 FROM users WHERE realm_key = $9 AND name_key = $10
ON CONFLICT DO NOTHING;
EXECUTE s58 ('device-1', 'id of device-1', 'Ümläut 📱', '{"kty":"EC","crv":"P-256","x":"AA","y":"BB","kid":"device-1"}', 'thumbprint of device-1', '1800000000', '1800000000', NULL, 'alpha', 'demo');
COMMIT;
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
EXECUTE s16 ('alpha', 'demo', NULL);
EXECUTE s56 ('alpha', 'demo', 'device-2', 'thumbprint of device-2');
EXECUTE s57 ('alpha', 'demo');
EXECUTE s58 ('device-2', 'id of device-2', 'Ümläut 📱', '{"kty":"EC","crv":"P-256","x":"AA","y":"BB","kid":"device-2"}', 'thumbprint of device-2', '1800000000', '1800000000', NULL, 'alpha', 'demo');
EXECUTE s32 ('\x0301', '1800000060');
SELECT id FROM evidence_ledger WHERE id = 1 FOR NO KEY UPDATE;
PREPARE s59 (bigint) AS
SELECT seal, number, hash FROM evidence_ledger LEFT JOIN evidence
  ON number = (SELECT max(number) FROM evidence WHERE number < $1);
EXECUTE s59 ('1099511627776');
PREPARE s60 (bytea, text) AS
UPDATE evidence_ledger SET seal = $1 WHERE id = 1 AND NOT EXISTS (SELECT 1 FROM server_keys WHERE server_keys.id = $2 AND retired_at IS NOT NULL);
EXECUTE s60 ('\x5d551ac56405b24e50a2bfbf2e1115aa9917bb363d3dd4b1164e5b9ab667640e', 'd8ea8f055a354a9a');
PREPARE s61 (text, text, bigint, bigint, bigint) AS
INSERT INTO evidence_use AS known (realm_key, name_key, day, bytes) VALUES ($1, $2, $3, $4)
ON CONFLICT (realm_key, name_key) DO UPDATE SET
  bytes = CASE WHEN $3 > known.day THEN $4 ELSE known.bytes + $4 END, day = greatest(known.day, $3)
WHERE $3 > known.day OR known.bytes + $4 <= $5;
EXECUTE s61 ('alpha', 'demo', '20833', '334', '2097152');
PREPARE s62 (bigint, text, text, text, text, bytea) AS
INSERT INTO evidence (number, realm_key, name_key, account_id, line, hash) VALUES ($1, $2, $3, $4, $5, $6);
EXECUTE s62 ('1', 'alpha', 'demo', NULL, '{"number":1,"previous":"iJg6dK5P6u_dw4WJYlN3NI_CnaMJQB-IQRrnbLUEkSs","kind":"bind","time":1800000000000,"realm":"alpha","journey":"SignIn","node":"node","username":"demo","userId":"id=demo","device":"device-2","key":{"kty":"EC"},"attestation":null,"transaction":null,"jws":"a.b.c","hash":"DzwddBiopuAC1d_1PUsts-iGO7iILF7wEr1blR-EwP4"}', '\x0f3c1d7418a8a6e002d5dff53d4b2db3e8863bb8882c5ef012bd5b951f84c0fe');
COMMIT;
EXECUTE s6 ('alpha', 'demo');
EXECUTE s27 ('', 'alpha', 'demo', '10');
PREPARE s63 (text, text, text) AS
SELECT uuid, realm, username, device_name, device_id, key, thumbprint, created_date, last_access_date, attestation FROM bound_devices WHERE realm_key = $1 AND name_key = $2 AND uuid = $3;
EXECUTE s63 ('alpha', 'demo', 'device-1');
EXECUTE s6 ('alpha', 'demo');
EXECUTE s27 ('', 'alpha', 'demo', '10');
EXECUTE s63 ('alpha', 'demo', 'device-1');
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
PREPARE s64 (double precision, text, text, text) AS
UPDATE bound_devices SET last_access_date = greatest(last_access_date, $1)
  WHERE realm_key = $2 AND name_key = $3 AND uuid = $4;
EXECUTE s64 ('1800000000', 'alpha', 'demo', 'device-1');
EXECUTE s32 ('\x0302', '1800000060');
EXECUTE s29 ('alpha', 'demo', 'signatures', '');
SELECT id FROM evidence_ledger WHERE id = 1 FOR NO KEY UPDATE;
EXECUTE s59 ('1099511627776');
EXECUTE s60 ('\x7bdfe8914d8aa47970214f0cce7a6e5b59bb6c27456d77f01af84c5b0dee5b38', 'd8ea8f055a354a9a');
EXECUTE s61 ('alpha', 'demo', '20833', '334', '2097152');
EXECUTE s62 ('2', 'alpha', 'demo', NULL, '{"number":2,"previous":"DzwddBiopuAC1d_1PUsts-iGO7iILF7wEr1blR-EwP4","kind":"sign","time":1800000000000,"realm":"alpha","journey":"SignIn","node":"node","username":"demo","userId":"id=demo","device":"device-1","key":{"kty":"EC"},"attestation":null,"transaction":null,"jws":"a.b.c","hash":"VEwpFin9DIKDn-uyIi0YjD_byorBY19caU7NWbM09bA"}', '\x544c291629fd0c82839febb2222d188c3fdbca8ac1635f5c694ecd59b334f5b0');
COMMIT;
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
EXECUTE s64 ('1800000000', 'alpha', 'demo', 'device-1');
EXECUTE s32 ('\x0302', '1800000060');
EXECUTE s29 ('alpha', 'demo', 'signatures', '');
SELECT id FROM evidence_ledger WHERE id = 1 FOR NO KEY UPDATE;
EXECUTE s59 ('1099511627776');
ROLLBACK;
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
EXECUTE s64 ('1800000000', 'alpha', 'demo', 'none');
EXECUTE s32 ('\x0303', '1800000060');
SELECT id FROM evidence_ledger WHERE id = 1 FOR NO KEY UPDATE;
EXECUTE s59 ('1099511627776');
ROLLBACK;
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
EXECUTE s32 ('\x0304', '1800000060');
SELECT id FROM evidence_ledger WHERE id = 1 FOR NO KEY UPDATE;
EXECUTE s59 ('1099511627776');
EXECUTE s60 ('\x9796f50943286cca45b30ff16f95341c945cfc1bd2efcfa3cf149162244d5983', 'd8ea8f055a354a9a');
EXECUTE s61 ('alpha', 'demo', '20833', '334', '2097152');
EXECUTE s62 ('3', 'alpha', 'demo', NULL, '{"number":3,"previous":"VEwpFin9DIKDn-uyIi0YjD_byorBY19caU7NWbM09bA","kind":"sign","time":1800000000000,"realm":"alpha","journey":"SignIn","node":"node","username":"demo","userId":"id=demo","device":"device-1","key":{"kty":"EC"},"attestation":null,"transaction":null,"jws":"a.b.c","hash":"GaLSPB7hs7YapVtqjXZ5n8uiF9eVWkNNaiv_ZSmeMYs"}', '\x19a2d23c1ee1b3b61aa55b6a8d76799fcba217d7955a434d6a2bff65299e318b');
COMMIT;
PREPARE s65 (bigint) AS
SELECT number, line FROM evidence WHERE number = $1 AND line <> '';
EXECUTE s65 ('1');
PREPARE s66 (bigint, text, text, bigint, bigint) AS
SELECT number, line FROM evidence WHERE number < $1 AND line <> '' AND realm_key = $2 AND name_key = $3 ORDER BY number DESC LIMIT $4 OFFSET $5;
EXECUTE s66 ('100', 'alpha', 'demo', '10', '0');
PREPARE s67 (bigint, text, text, text, bigint, bigint) AS
SELECT number, line FROM evidence WHERE number < $1 AND line <> '' AND realm_key = $2 AND name_key = $3 AND (account_id = $4 OR (account_id IS NULL AND (nullif(line, '')::json->>'time')::bigint >= floor((SELECT created_at FROM users WHERE users.realm_key = $2 AND users.name_key = $3
  AND users.account_id = $4) * 1000))) ORDER BY number DESC LIMIT $5 OFFSET $6;
EXECUTE s67 ('9223372036854775807', 'alpha', 'demo', 'id of demo', '10', '0');
PREPARE s68 (text, text) AS
SELECT EXISTS (SELECT 1 FROM bound_devices WHERE realm_key = $1 AND name_key = $2) OR EXISTS (SELECT 1 FROM webauthn_devices WHERE realm_key = $1 AND name_key = $2) OR EXISTS (SELECT 1 FROM push_devices WHERE realm_key = $1 AND name_key = $2) OR EXISTS (SELECT 1 FROM oath_devices WHERE realm_key = $1 AND name_key = $2);
EXECUTE s68 ('alpha', 'demo');
PREPARE s69 (text, text) AS
SELECT uuid, realm, username, device_name, device_id, key, thumbprint, created_date, last_access_date, attestation FROM bound_devices WHERE realm_key = $1 AND name_key = $2 ORDER BY created_date DESC, added_at DESC;
EXECUTE s69 ('alpha', 'demo');
PREPARE s70 (text, text, text, text) AS
UPDATE bound_devices SET device_name = $1 WHERE realm_key = $2 AND name_key = $3 AND uuid = $4 RETURNING uuid, realm, username, device_name, device_id, key, thumbprint, created_date, last_access_date, attestation;
EXECUTE s70 ('New name', 'alpha', 'demo', 'device-2');
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
EXECUTE s16 ('alpha', 'demo', NULL);
PREPARE s71 (text, text, text) AS
DELETE FROM bound_devices WHERE realm_key = $1 AND name_key = $2 AND ($3 IS NULL OR uuid = $3) RETURNING uuid, realm, username, device_name, device_id, key, thumbprint, created_date, last_access_date, attestation;
EXECUTE s71 ('alpha', 'demo', 'device-2');
COMMIT;
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
EXECUTE s16 ('alpha', 'demo', NULL);
EXECUTE s71 ('alpha', 'demo', NULL);
COMMIT;
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
EXECUTE s16 ('alpha', 'demo', NULL);
PREPARE s72 (text, bytea) AS
SELECT EXISTS (SELECT 1 FROM webauthn_devices WHERE realm_key = $1 AND (credential_id = $2));
EXECUTE s72 ('alpha', '\x010203');
PREPARE s73 (text, text) AS
SELECT count(*) FROM webauthn_devices WHERE realm_key = $1 AND name_key = $2;
EXECUTE s73 ('alpha', 'demo');
PREPARE s74 (text, text, bytea, bytea, bigint, bytea, text, text, text, text, text, text, boolean, boolean, boolean, double precision, double precision, text, text) AS
INSERT INTO webauthn_devices (realm_key, name_key, realm, username, uuid, device_name, credential_id, public_key, sign_count, user_handle, relying_party_id, aaguid, attestation_format, attestation_type, attachment, transports, is_backup_eligible, is_backed_up, is_uv_initialized, created_date, last_access_date)
SELECT realm_key, name_key, realm, username, $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17 FROM users WHERE realm_key = $18 AND name_key = $19
ON CONFLICT DO NOTHING;
EXECUTE s74 ('w1', 'Key', '\x010203', '\x09', '1', '\x07', 'example.com', '00000000-0000-0000-0000-000000000000', 'none', 'NONE', NULL, '[]', 't', 'f', 'f', '1800000000', '1800000000', 'alpha', 'demo');
COMMIT;
PREPARE s75 (text, bytea) AS
SELECT uuid, realm, username, device_name, credential_id, public_key, sign_count, user_handle, relying_party_id, aaguid, attestation_format, attestation_type, attachment, transports, is_backup_eligible, is_backed_up, is_uv_initialized, created_date, last_access_date FROM webauthn_devices WHERE realm_key = $1 AND credential_id = $2;
EXECUTE s75 ('alpha', '\x010203');
PREPARE s76 (text, bytea) AS
SELECT sign_count FROM webauthn_devices WHERE realm_key = $1 AND credential_id = $2 FOR NO KEY UPDATE;
EXECUTE s76 ('alpha', '\x010203');
PREPARE s77 (boolean, boolean, double precision, bigint, text, bytea) AS
UPDATE webauthn_devices SET is_backed_up = $1 AND is_backup_eligible,
  is_uv_initialized = is_uv_initialized OR $2,
  last_access_date = greatest(last_access_date, $3),
  sign_count = greatest(sign_count, $4)
  WHERE realm_key = $5 AND credential_id = $6;
EXECUTE s77 ('t', 't', '1800000000', '2', 'alpha', '\x010203');
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
EXECUTE s16 ('alpha', 'demo', NULL);
PREPARE s78 (text, text, text) AS
SELECT EXISTS (SELECT 1 FROM oath_devices WHERE realm_key = $1 AND name_key = $2 AND (uuid = $3));
EXECUTE s78 ('alpha', 'demo', 'o1');
PREPARE s79 (text, text) AS
SELECT count(*) FROM oath_devices WHERE realm_key = $1 AND name_key = $2;
EXECUTE s79 ('alpha', 'demo');
PREPARE s80 (text, text, bytea, bigint, text, bigint, bigint, boolean, bigint, bigint, double precision, double precision, text, text) AS
INSERT INTO oath_devices (realm_key, name_key, realm, username, uuid, device_name, sealed, period, hash, digits, truncation_offset, adds_checksum, next_factor, drift, created_date, last_access_date)
SELECT realm_key, name_key, realm, username, $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12 FROM users WHERE realm_key = $13 AND name_key = $14
ON CONFLICT DO NOTHING;
EXECUTE s80 ('o1', 'OATH Device', '\x30edaf2264322c98c0e4f74a7c2cc9f2105c3365fdd27f6c4e35c3144b665ca6eee3597cd7dc4f85d2c33362d2e9b292', NULL, 'SHA1', '6', NULL, 'f', '0', '0', '1800000000', '1800000000', 'alpha', 'demo');
COMMIT;
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
EXECUTE s26 ('alpha', 'demo', '1800000000');
EXECUTE s27 ('', 'alpha', 'demo', '10');
PREPARE s81 (bigint, bigint, double precision, text, text, text) AS
UPDATE oath_devices SET next_factor = $1 + 1, drift = $2,
  last_access_date = greatest(last_access_date, $3)
WHERE realm_key = $4 AND name_key = $5 AND uuid = $6 AND next_factor <= $1;
EXECUTE s81 ('5', '0', '1800000000', 'alpha', 'demo', 'o1');
EXECUTE s29 ('alpha', 'demo', 'codes', '');
EXECUTE s29 ('alpha', 'demo', 'guesses', '');
COMMIT;
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
EXECUTE s26 ('alpha', 'demo', '1800000000');
EXECUTE s27 ('', 'alpha', 'demo', '10');
EXECUTE s81 ('5', '0', '1800000000', 'alpha', 'demo', 'o1');
COMMIT;
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
EXECUTE s26 ('alpha', 'demo', '1800000000');
EXECUTE s27 ('', 'alpha', 'demo', '10');
EXECUTE s28 ('alpha', 'demo', 'codes', '', '1', '0', NULL, '1800000000');
EXECUTE s28 ('alpha', 'demo', 'guesses', '', '1', '0', NULL, '1800000000');
COMMIT;
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
EXECUTE s16 ('alpha', 'demo', NULL);
PREPARE s82 (text, text, text) AS
DELETE FROM recovery_codes WHERE realm_key = $1 AND name_key = $2 AND kind = $3;
EXECUTE s82 ('alpha', 'demo', 'OATH');
PREPARE s83 (text, text, text, bytea) AS
INSERT INTO recovery_codes (realm_key, name_key, kind, hash) VALUES ($1, $2, $3, $4) ;
EXECUTE s83 ('alpha', 'demo', 'OATH', '\x01');
EXECUTE s83 ('alpha', 'demo', 'OATH', '\x02');
COMMIT;
PREPARE s84 (text, text, text, bytea) AS
DELETE FROM recovery_codes WHERE realm_key = $1 AND name_key = $2 AND kind = $3 AND hash = $4;
EXECUTE s84 ('alpha', 'demo', 'OATH', '\x01');
PREPARE s85 (text, text) AS
SELECT uuid, realm, username, device_name, credential_id, public_key, sign_count, user_handle, relying_party_id, aaguid, attestation_format, attestation_type, attachment, transports, is_backup_eligible, is_backed_up, is_uv_initialized, created_date, last_access_date FROM webauthn_devices WHERE realm_key = $1 AND name_key = $2 ORDER BY created_date DESC, added_at DESC;
EXECUTE s85 ('alpha', 'demo');
PREPARE s86 (text, text, text, text) AS
UPDATE webauthn_devices SET device_name = $1 WHERE realm_key = $2 AND name_key = $3 AND uuid = $4 RETURNING uuid, realm, username, device_name, credential_id, public_key, sign_count, user_handle, relying_party_id, aaguid, attestation_format, attestation_type, attachment, transports, is_backup_eligible, is_backed_up, is_uv_initialized, created_date, last_access_date;
EXECUTE s86 ('New name', 'alpha', 'demo', 'w1');
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
EXECUTE s16 ('alpha', 'demo', NULL);
PREPARE s87 (text, text, text) AS
DELETE FROM webauthn_devices WHERE realm_key = $1 AND name_key = $2 AND ($3 IS NULL OR uuid = $3) RETURNING uuid, realm, username, device_name, credential_id, public_key, sign_count, user_handle, relying_party_id, aaguid, attestation_format, attestation_type, attachment, transports, is_backup_eligible, is_backed_up, is_uv_initialized, created_date, last_access_date;
EXECUTE s87 ('alpha', 'demo', 'w1');
PREPARE s88 (text, text, text) AS
DELETE FROM recovery_codes WHERE realm_key = $1 AND name_key = $2 AND kind = $3
  AND NOT EXISTS (SELECT 1 FROM webauthn_devices WHERE realm_key = $1 AND name_key = $2);
EXECUTE s88 ('alpha', 'demo', 'WEB_AUTHN');
COMMIT;
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
EXECUTE s16 ('alpha', 'demo', NULL);
EXECUTE s87 ('alpha', 'demo', NULL);
EXECUTE s88 ('alpha', 'demo', 'WEB_AUTHN');
COMMIT;
PREPARE s89 (text, text) AS
SELECT uuid, realm, username, device_name, sealed, period, hash, digits, truncation_offset, adds_checksum, next_factor, drift, created_date, last_access_date FROM oath_devices WHERE realm_key = $1 AND name_key = $2 ORDER BY created_date DESC, added_at DESC;
EXECUTE s89 ('alpha', 'demo');
PREPARE s90 (text, text, text, text) AS
UPDATE oath_devices SET device_name = $1 WHERE realm_key = $2 AND name_key = $3 AND uuid = $4 RETURNING uuid, realm, username, device_name, sealed, period, hash, digits, truncation_offset, adds_checksum, next_factor, drift, created_date, last_access_date;
EXECUTE s90 ('New name', 'alpha', 'demo', 'o1');
PREPARE s91 (text, text) AS
SELECT skip FROM oath_accounts WHERE realm_key = $1 AND name_key = $2;
EXECUTE s91 ('alpha', 'demo');
PREPARE s92 (bigint, text, text) AS
INSERT INTO oath_accounts (realm_key, name_key, skip)
SELECT realm_key, name_key, $1 FROM users WHERE realm_key = $2 AND name_key = $3
ON CONFLICT (realm_key, name_key) DO UPDATE SET skip = $1;
EXECUTE s92 ('0', 'alpha', 'demo');
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
EXECUTE s16 ('alpha', 'demo', NULL);
PREPARE s93 (text, text, text) AS
DELETE FROM oath_devices WHERE realm_key = $1 AND name_key = $2 AND ($3 IS NULL OR uuid = $3) RETURNING uuid, realm, username, device_name, sealed, period, hash, digits, truncation_offset, adds_checksum, next_factor, drift, created_date, last_access_date;
EXECUTE s93 ('alpha', 'demo', 'o1');
PREPARE s94 (text, text, text) AS
DELETE FROM recovery_codes WHERE realm_key = $1 AND name_key = $2 AND kind = $3
  AND NOT EXISTS (SELECT 1 FROM oath_devices WHERE realm_key = $1 AND name_key = $2);
EXECUTE s94 ('alpha', 'demo', 'OATH');
COMMIT;
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
EXECUTE s16 ('alpha', 'demo', NULL);
EXECUTE s93 ('alpha', 'demo', NULL);
EXECUTE s94 ('alpha', 'demo', 'OATH');
EXECUTE s92 ('0', 'alpha', 'demo');
COMMIT;
PREPARE s95 (text, text, text, bytea, double precision, double precision, text, bigint, text, text, text, text) AS
INSERT INTO push_messages (realm_key, name_key, realm, username, id, kind, type, sealed, sent_at, expires_at, state, wrong_answers, decided_by, reason)
SELECT realm_key, name_key, realm, username, $1, $2, $3, $4, $5, $6, $7, $8, $9, $10 FROM users WHERE realm_key = $11 AND name_key = $12
;
EXECUTE s95 ('REGISTER:1', 'registration', 'default', '\x884dd6ebb18a42655b2f0ea137aa011e83e0606bb2aefcc9399ed8548a0ced7bfc7590b90a51d94864be9fd7a522e59d049fb5bd5331e753ab74bd65c90bfdb72865e1c6113fc3905e15d3cf550c9d3dfa4285135001bed13c47395b1c435d8db940a57a22ff558401f67de196f48eb3a812c1d18a762d14580cab96c11ab10e751eac28', '1800000000', '1800000060', 'pending', '0', NULL, NULL, 'alpha', 'demo');
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
EXECUTE s16 ('alpha', 'demo', NULL);
PREPARE s96 (text, text) AS
SELECT id, realm, username, kind, type, sealed, sent_at, expires_at, state, wrong_answers, decided_by, reason FROM push_messages WHERE realm_key = $1 AND id = $2 FOR NO KEY UPDATE;
EXECUTE s96 ('alpha', 'REGISTER:1');
EXECUTE s79 ('alpha', 'demo');
EXECUTE s16 ('alpha', 'demo', NULL);
PREPARE s97 (text, text) AS
SELECT EXISTS (SELECT 1 FROM push_devices WHERE realm_key = $1 AND (mechanism_uid = $2));
EXECUTE s97 ('alpha', 'm1');
PREPARE s98 (text, text) AS
SELECT count(*) FROM push_devices WHERE realm_key = $1 AND name_key = $2;
EXECUTE s98 ('alpha', 'demo');
PREPARE s99 (text, text, text, text, bytea, text, text, text, text, double precision, double precision, double precision, text, text) AS
INSERT INTO push_devices (realm_key, name_key, realm, username, uuid, device_name, mechanism_uid, issuer, sealed, communication_type, communication_id, device_type, device_token, created_date, last_access_date, token_retired_at)
SELECT realm_key, name_key, realm, username, $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12 FROM users WHERE realm_key = $13 AND name_key = $14
ON CONFLICT DO NOTHING;
EXECUTE s99 ('uuid of m1', 'Phone', 'm1', 'Bank', '\xfdc974451a8f733c9270618d251cb5770bfee5d0ca45fed37e3965ae7e3d0ded03b29299dde0d5b628c8513fb8bdf6c66f7a3a2fded28a80e2a3da4a', 'poll', 'token', 'linux', 'token', '1800000000', '1800000000', NULL, 'alpha', 'demo');
PREPARE s100 (text, text, text, text, text, double precision) AS
UPDATE push_messages SET state = $1, decided_by = $2, reason = $3
WHERE realm_key = $4 AND id = $5 AND state = 'pending' AND expires_at > $6 AND EXISTS (SELECT 1 FROM push_devices WHERE push_devices.realm_key = $4 AND push_devices.mechanism_uid = $2
  AND push_devices.name_key = push_messages.name_key FOR NO KEY UPDATE);
EXECUTE s100 ('approved', 'm1', NULL, 'alpha', 'REGISTER:1', '1800000000');
COMMIT;
PREPARE s101 (text, text) AS
SELECT uuid, realm, username, device_name, mechanism_uid, issuer, sealed, communication_type, communication_id, device_type, device_token, created_date, last_access_date, token_retired_at FROM push_devices WHERE realm_key = $1 AND mechanism_uid = $2;
EXECUTE s101 ('alpha', 'm1');
PREPARE s102 (text) AS
SELECT realm, mechanism_uid FROM push_devices WHERE mechanism_uid IN (SELECT json_array_elements_text($1::json));
EXECUTE s102 ('["m1"]');
PREPARE s103 (text, text, text, text, text, double precision, text, text) AS
UPDATE push_devices SET device_token = $1, communication_id = $2,
  communication_type = $3, device_type = $4,
  device_name = coalesce($5, device_name), refreshed_at = coalesce($6, refreshed_at),
  token_retired_at = NULL
WHERE realm_key = $7 AND mechanism_uid = $8
  AND (refreshed_at IS NULL OR ($6 > refreshed_at) IS TRUE
    OR ($6 IS NULL AND device_token = $1));
EXECUTE s103 ('new', 'new', 'poll', 'linux', 'Phone', '1800000001', 'alpha', 'm1');
PREPARE s104 (double precision, text, text, text) AS
UPDATE push_devices SET token_retired_at = $1
WHERE realm_key = $2 AND mechanism_uid = $3 AND device_token = $4
  AND token_retired_at IS NULL AND coalesce(refreshed_at, created_date) <= $1;
EXECUTE s104 ('1800000002', 'alpha', 'm1', 'new');
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
EXECUTE s16 ('alpha', 'demo', NULL);
PREPARE s105 (text, text, double precision, double precision) AS
SELECT
  (SELECT count(*) FROM push_messages WHERE realm_key = $1 AND name_key = $2
    AND kind = 'authentication' AND state = 'pending' AND expires_at > $3) AS open,
  coalesce((SELECT messages FROM push_accounts WHERE realm_key = $1 AND name_key = $2
    AND latest + $4 > $3), 0) AS messages,
  coalesce((SELECT wrong_answers FROM push_accounts WHERE realm_key = $1 AND name_key = $2
    AND latest + $4 > $3), 0) AS wrong_answers;
EXECUTE s105 ('alpha', 'demo', '1800000000', '3600');
EXECUTE s95 ('AUTHENTICATE:1', 'authentication', 'code', '\xbcf9f8033958b02a7f3f1e8853227ae9e49bc58dae3ad829f097a1d70ad7c15c882f03e37332db8b8e956cd6c625fc799faaba16335a616cc55fdc8d646714df220107d4', '1800000000', '1800000120', 'pending', '0', NULL, NULL, 'alpha', 'demo');
PREPARE s106 (text, text, text, text, boolean) AS
INSERT INTO push_inboxes (realm_key, mechanism_uid, message_id, message, was_fetched) VALUES ($1, $2, $3, $4, $5) ;
EXECUTE s106 ('alpha', 'm1', 'AUTHENTICATE:1', 'a.b.c', 'f');
PREPARE s107 (text, text, bigint, bigint, double precision, double precision) AS
INSERT INTO push_accounts AS known (realm_key, name_key, messages, wrong_answers, latest)
VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (realm_key, name_key) DO UPDATE SET
  messages = CASE WHEN known.latest + $6 > $5 THEN known.messages ELSE 0 END + $3,
  wrong_answers = CASE WHEN known.latest + $6 > $5 THEN known.wrong_answers ELSE 0 END + $4,
  latest = greatest(known.latest, $5);
EXECUTE s107 ('alpha', 'demo', '1', '0', '1800000000', '3600');
COMMIT;
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
EXECUTE s16 ('alpha', 'demo', NULL);
EXECUTE s105 ('alpha', 'demo', '1800000000', '3600');
EXECUTE s95 ('AUTHENTICATE:2', 'authentication', 'code', '\x577b7d56811ec71ac8cbbf319b37a94c75d5dd1e1783aa3aad3946d528282f49541cf752100bb4cfc5e3ccd7314137f047f0e1e57e9ef20ad90e77f5204c504ba586e61e', '1800000000', '1800000120', 'pending', '0', NULL, NULL, 'alpha', 'demo');
EXECUTE s106 ('alpha', 'm1', 'AUTHENTICATE:2', 'a.b.c', 'f');
EXECUTE s107 ('alpha', 'demo', '1', '0', '1800000000', '3600');
COMMIT;
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
EXECUTE s16 ('alpha', 'demo', NULL);
EXECUTE s105 ('alpha', 'demo', '1800000000', '3600');
EXECUTE s95 ('AUTHENTICATE:3', 'authentication', 'code', '\x0211b97be4242b9ea3b622953f214840041b875b432d48cc4282cf4adf4d0b2265407aa9f16af2f38ccc22fbca5b63e414e393439ec08ad38484b3ef3050218fe0aa398a', '1800000000', '1800000120', 'pending', '0', NULL, NULL, 'alpha', 'demo');
EXECUTE s106 ('alpha', 'm1', 'AUTHENTICATE:3', 'a.b.c', 'f');
EXECUTE s107 ('alpha', 'demo', '1', '0', '1800000000', '3600');
COMMIT;
PREPARE s108 (double precision) AS
SELECT DISTINCT realm, mechanism_uid FROM push_inboxes
  JOIN push_messages ON push_messages.realm_key = push_inboxes.realm_key AND id = message_id
WHERE NOT was_fetched AND state = 'pending' AND expires_at > $1;
EXECUTE s108 ('1800000000');
PREPARE s109 (text, text, double precision) AS
SELECT message_id, mechanism_uid, message, was_fetched FROM push_inboxes
  JOIN push_messages ON push_messages.realm_key = push_inboxes.realm_key AND id = message_id
WHERE push_inboxes.realm_key = $1 AND mechanism_uid = $2 AND state = 'pending' AND expires_at > $3
ORDER BY sent_at, id;
EXECUTE s109 ('alpha', 'm1', '1800000000');
PREPARE s110 (text, text, text) AS
UPDATE push_inboxes SET was_fetched = true
WHERE realm_key = $1 AND mechanism_uid = $2 AND message_id IN (SELECT json_array_elements_text($3::json));
EXECUTE s110 ('alpha', 'm1', '["AUTHENTICATE:1"]');
PREPARE s111 (text, text) AS
SELECT id, realm, username, kind, type, sealed, sent_at, expires_at, state, wrong_answers, decided_by, reason FROM push_messages WHERE realm_key = $1 AND id = $2;
EXECUTE s111 ('alpha', 'AUTHENTICATE:1');
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
PREPARE s112 (bigint, text, text, text, double precision) AS
UPDATE push_messages SET wrong_answers = wrong_answers + 1,
  state = CASE WHEN wrong_answers + 1 >= $1 THEN 'denied' ELSE state END,
  decided_by = CASE WHEN wrong_answers + 1 >= $1 THEN $2 ELSE decided_by END,
  reason = CASE WHEN wrong_answers + 1 >= $1 THEN 'wrong number or code' ELSE reason END
WHERE realm_key = $3 AND id = $4 AND state = 'pending' AND expires_at > $5 AND EXISTS (SELECT 1 FROM push_devices WHERE push_devices.realm_key = $3 AND push_devices.mechanism_uid = $2
  AND push_devices.name_key = push_messages.name_key FOR NO KEY UPDATE) RETURNING name_key;
EXECUTE s112 ('2', 'm1', 'alpha', 'AUTHENTICATE:2', '1800000000');
EXECUTE s107 ('alpha', 'demo', '0', '1', '1800000000', '3600');
PREPARE s113 (double precision, text, text) AS
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
EXECUTE s113 ('1800000000', 'alpha', 'AUTHENTICATE:2');
COMMIT;
EXECUTE s100 ('approved', 'm1', NULL, 'alpha', 'AUTHENTICATE:1', '1800000000');
EXECUTE s113 ('1800000000', 'alpha', 'AUTHENTICATE:1');
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
PREPARE s114 (text, text, text) AS
SELECT true FROM push_devices WHERE realm_key = $1 AND name_key = $2
  AND mechanism_uid = (SELECT decided_by FROM push_messages WHERE realm_key = $1 AND id = $3) FOR NO KEY UPDATE;
EXECUTE s114 ('alpha', 'demo', 'AUTHENTICATE:1');
PREPARE s115 (text, text) AS
DELETE FROM push_messages WHERE realm_key = $1 AND id = $2 RETURNING id, realm, username, kind, type, sealed, sent_at, expires_at, state, wrong_answers, decided_by, reason;
EXECUTE s115 ('alpha', 'AUTHENTICATE:1');
EXECUTE s27 ('', 'alpha', 'demo', '10');
EXECUTE s26 ('alpha', 'demo', '1800000000');
EXECUTE s27 ('', 'alpha', 'demo', '10');
EXECUTE s29 ('alpha', 'demo', 'pushAnswers', '');
EXECUTE s29 ('alpha', 'demo', 'guesses', '');
PREPARE s116 (text, text) AS
UPDATE push_accounts SET messages = 0, wrong_answers = 0 WHERE realm_key = $1 AND name_key = $2;
EXECUTE s116 ('alpha', 'demo');
PREPARE s117 (double precision, text, text) AS
UPDATE push_devices SET last_access_date = greatest(last_access_date, $1)
  WHERE realm_key = $2 AND mechanism_uid = $3;
EXECUTE s117 ('1800000000', 'alpha', 'm1');
COMMIT;
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
EXECUTE s115 ('alpha', 'AUTHENTICATE:2');
COMMIT;
PREPARE s118 (text, text, text, bigint, double precision, double precision, text, bigint, bigint) AS
SELECT number, realm, username, message_id, type, state, device, device_name, reason, sent_at, decided_at, account_id FROM push_decisions
  WHERE ($1 IS NULL OR realm_key = $1) AND ($2 IS NULL OR name_key = $2)
    AND ($3 IS NULL OR account_id = $3
      OR (account_id IS NULL AND decided_at >= (SELECT created_at FROM users WHERE users.realm_key = $1 AND users.name_key = $2
  AND users.account_id = $3)))
    AND ($4 IS NULL OR number < $4) AND ($5 IS NULL OR decided_at >= $5)
    AND ($6 IS NULL OR decided_at < $6) AND ($7 IS NULL OR type = $7)
  ORDER BY number DESC LIMIT $8 OFFSET $9;
EXECUTE s118 ('alpha', NULL, NULL, NULL, NULL, NULL, NULL, '10', '0');
PREPARE s119 (text) AS
SELECT created_at FROM realms WHERE realm_key = $1 AND deleted_at IS NULL;
EXECUTE s119 ('alpha');
PREPARE s120 (text, text) AS
SELECT uuid, realm, username, device_name, mechanism_uid, issuer, sealed, communication_type, communication_id, device_type, device_token, created_date, last_access_date, token_retired_at FROM push_devices WHERE realm_key = $1 AND name_key = $2 ORDER BY created_date DESC, added_at DESC;
EXECUTE s120 ('alpha', 'demo');
PREPARE s121 (text, text, text, text) AS
UPDATE push_devices SET device_name = $1 WHERE realm_key = $2 AND name_key = $3 AND uuid = $4 RETURNING uuid, realm, username, device_name, mechanism_uid, issuer, sealed, communication_type, communication_id, device_type, device_token, created_date, last_access_date, token_retired_at;
EXECUTE s121 ('New name', 'alpha', 'demo', 'uuid of m1');
PREPARE s122 (text, text) AS
SELECT skip FROM push_accounts WHERE realm_key = $1 AND name_key = $2;
EXECUTE s122 ('alpha', 'demo');
PREPARE s123 (bigint, text, text) AS
INSERT INTO push_accounts (realm_key, name_key, skip)
SELECT realm_key, name_key, $1 FROM users WHERE realm_key = $2 AND name_key = $3
ON CONFLICT (realm_key, name_key) DO UPDATE SET skip = $1;
EXECUTE s123 ('0', 'alpha', 'demo');
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
EXECUTE s16 ('alpha', 'demo', NULL);
PREPARE s124 (text, text, text) AS
DELETE FROM push_devices WHERE realm_key = $1 AND name_key = $2 AND ($3 IS NULL OR uuid = $3) RETURNING uuid, realm, username, device_name, mechanism_uid, issuer, sealed, communication_type, communication_id, device_type, device_token, created_date, last_access_date, token_retired_at;
EXECUTE s124 ('alpha', 'demo', 'uuid of m1');
PREPARE s125 (text, text, text) AS
DELETE FROM recovery_codes WHERE realm_key = $1 AND name_key = $2 AND kind = $3
  AND NOT EXISTS (SELECT 1 FROM push_devices WHERE realm_key = $1 AND name_key = $2);
EXECUTE s125 ('alpha', 'demo', 'PUSH');
COMMIT;
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
EXECUTE s16 ('alpha', 'demo', NULL);
EXECUTE s124 ('alpha', 'demo', NULL);
EXECUTE s125 ('alpha', 'demo', 'PUSH');
EXECUTE s123 ('0', 'alpha', 'demo');
COMMIT;
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
EXECUTE s1 ('alpha');
EXECUTE s26 ('alpha', '', '1800000000');
PREPARE s126 (text) AS
SELECT count(*) FROM applications WHERE realm_key = $1;
EXECUTE s126 ('alpha');
PREPARE s127 (text, text, text, text, text, bytea, double precision, boolean) AS
INSERT INTO applications (realm_key, name_key, id, realm, name, secret_hash, created_at, plain_proofs) VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ;
EXECUTE s127 ('alpha', 'shop', 'app-1', 'alpha', 'Shop', '\x0707070707070707070707070707070707070707070707070707070707070707', '1800000000', 'f');
COMMIT;
PREPARE s128 (text, text) AS
SELECT true FROM applications WHERE realm_key = $1 AND id = $2 FOR NO KEY UPDATE;
EXECUTE s128 ('alpha', 'app-1');
PREPARE s129 (text, text, text, text, text, text, text, double precision, double precision, text, bigint) AS
INSERT INTO transactions
  (realm_key, id, realm, application_id, username, account_id, journey, fields, created_at, expires_at, state)
SELECT $1, $2, $3, id, $4,
  (SELECT account_id FROM users WHERE realm_key = $1 AND name_key = $5),
  $6, $7, $8, $9, 'pending'
  FROM applications WHERE realm_key = $1 AND id = $10 AND $11 > (
    SELECT count(*) FROM transactions WHERE realm_key = $1
      AND application_id = $10 AND state = 'pending' AND expires_at > $8);
EXECUTE s129 ('alpha', 't-1', 'alpha', 'demo', 'demo', 'ApproveTransaction', '{"amount":"10.00","currency":"EUR","payee":"Bäckerei"}', '1800000000', '1800000300', 'app-1', '10000');
EXECUTE s128 ('alpha', 'app-1');
EXECUTE s129 ('alpha', 't-2', 'alpha', 'demo', 'demo', 'ApproveTransaction', '{"amount":"10.00","currency":"EUR","payee":"Bäckerei"}', '1800000000', '1800000300', 'app-1', '10000');
PREPARE s130 (text, text) AS
SELECT id, realm, application_id, username, journey, fields, created_at, expires_at, decided_at, state, reason, signer, key_id, jws, nonce, account_id FROM transactions WHERE id = $1 AND realm_key = $2;
EXECUTE s130 ('t-1', 'alpha');
PREPARE s131 (double precision, text, text, text, text, text, bytea, text, text, text) AS
UPDATE transactions
SET decided_at = $1, state = $2, reason = $3, signer = $4, key_id = $5, jws = $6,
  nonce = $7, account_id = coalesce(account_id, $8)
WHERE id = $9 AND realm_key = $10 AND state = 'pending' AND expires_at > $1;
EXECUTE s131 ('1800000000', 'approved', NULL, 'demo', 'kid-1', 'a.b.c', '\x010203', NULL, 't-1', 'alpha');
EXECUTE s131 ('1800000000', 'refused', 'no', NULL, NULL, NULL, NULL, NULL, 't-2', 'alpha');
PREPARE s132 (text, text) AS
SELECT id, realm, name, secret_hash, created_at, plain_proofs FROM applications WHERE realm_key = $1 AND id = $2;
EXECUTE s132 ('alpha', 'app-1');
PREPARE s133 (text) AS
SELECT id, realm, name, secret_hash, created_at, plain_proofs FROM applications WHERE realm_key = $1 ORDER BY name_key;
EXECUTE s133 ('alpha');
PREPARE s134 (text, text) AS
DELETE FROM applications WHERE realm_key = $1 AND id = $2 RETURNING id, realm, name, secret_hash, created_at, plain_proofs;
EXECUTE s134 ('alpha', 'app-1');
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
UPDATE realm_version SET version = version + 1;
SELECT count(*) FROM realms WHERE deleted_at IS NULL;
PREPARE s135 (text, text, double precision) AS
INSERT INTO realms AS known (realm_key, name, created_at) VALUES ($1, $2, $3)
ON CONFLICT (realm_key) DO UPDATE SET name = $2, created_at = $3, deleted_at = NULL
  WHERE known.deleted_at IS NOT NULL;
EXECUTE s135 ('beta', 'beta', '1800000000');
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
EXECUTE s5 ('mail
unique badge', 'making mail
unique badge');
COMMIT;
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
PREPARE s136 (text) AS
SELECT true FROM realms WHERE realm_key = $1 AND deleted_at IS NULL FOR UPDATE;
EXECUTE s136 ('beta');
PREPARE s137 (text) AS
SELECT count(*) FROM users WHERE realm_key = $1;
EXECUTE s137 ('beta');
EXECUTE s126 ('beta');
PREPARE s138 (text) AS
SELECT count(*) FROM realms
  WHERE deleted_at IS NULL AND substr(realm_key, 1, length(CAST($1 AS text)) + 1) = CAST($1 AS text) || '/';
EXECUTE s138 ('beta');
COMMIT;
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
EXECUTE s136 ('beta');
EXECUTE s137 ('beta');
EXECUTE s126 ('beta');
EXECUTE s138 ('beta');
PREPARE s139 (text) AS
DELETE FROM users WHERE realm_key = $1;
EXECUTE s139 ('beta');
PREPARE s140 (text) AS
DELETE FROM applications WHERE realm_key = $1;
EXECUTE s140 ('beta');
PREPARE s141 (text) AS
DELETE FROM lockouts WHERE realm_key = $1;
EXECUTE s141 ('beta');
PREPARE s142 (text) AS
DELETE FROM suspended_journeys WHERE realm_key = $1;
EXECUTE s142 ('beta');
PREPARE s143 (text) AS
DELETE FROM journey_attempts WHERE realm_key = $1;
EXECUTE s143 ('beta');
PREPARE s144 (text) AS
DELETE FROM activity_counts WHERE realm_key = $1;
EXECUTE s144 ('beta');
PREPARE s145 (text) AS
DELETE FROM locked_names WHERE realm_key = $1;
EXECUTE s145 ('beta');
PREPARE s146 (text) AS
DELETE FROM server_secrets WHERE name IN (
  SELECT 'ssh authority key ' || fingerprint FROM ssh_keys WHERE realm_key = $1);
EXECUTE s146 ('beta');
PREPARE s147 (text) AS
UPDATE ssh_keys SET revoked_at = extract(epoch FROM now())::float8 WHERE realm_key = $1 AND revoked_at IS NULL;
EXECUTE s147 ('beta');
PREPARE s148 (text) AS
DELETE FROM ssh_certificates WHERE realm_key = $1;
EXECUTE s148 ('beta');
PREPARE s149 (text) AS
DELETE FROM ssh_authorities WHERE realm_key = $1;
EXECUTE s149 ('beta');
PREPARE s150 (double precision, text) AS
UPDATE realms SET deleted_at = $1 WHERE realm_key = $2;
EXECUTE s150 ('1800000000', 'beta');
UPDATE realm_version SET version = version + 1;
COMMIT;
EXECUTE s6 ('alpha', 'demo');
EXECUTE s35 ('1800001800', '\x0101010101010101010101010101010101010101010101010101010101010101', 'shandle:1', '1800000000', '1800000000', '1800', '1800007200', '{"AMCtxId":"context"}', '0', NULL, '1800000000', 'alpha', 'demo', 'id of demo', NULL, NULL);
EXECUTE s6 ('alpha', 'demo');
EXECUTE s36 ('alpha', 'demo', '100');
EXECUTE s16 ('alpha', 'demo', NULL);
PREPARE s151 (text, text, bigint, text, bytea, text, double precision, double precision, bytea, double precision, text, text, bytea) AS
INSERT INTO grants (realm_key, name_key, realm, username, id, account_id, password_version, client_id,
  session_hash, details, created_at, expires_at, ticket_hash, ticket_expires_at)
SELECT realm_key, name_key, realm, username, $1, $2, $3, $4, $5, $6, $7,
  $8, $9, $10
FROM users WHERE realm_key = $11 AND name_key = $12 AND is_active AND account_id = $2
  AND password_version = $3
  AND ($13 IS NULL OR EXISTS (SELECT 1 FROM sessions WHERE token_hash = $13 AND ends_at > $7));
EXECUTE s151 ('1', 'id of demo', '4', 'app', '\x0101010101010101010101010101010101010101010101010101010101010101', '{"sub":"s","scope":["openid"]}', '1800000000', '1800003600', '\x0707', '1800000060', 'alpha', 'demo', '\x0101010101010101010101010101010101010101010101010101010101010101');
PREPARE s152 (text, text, text, text) AS
DELETE FROM grants WHERE realm_key = $1 AND name_key = $2 AND id IN (
  SELECT id FROM grants WHERE realm_key = $3 AND name_key = $4 ORDER BY created_at DESC, id
    LIMIT 1000 OFFSET 200);
EXECUTE s152 ('alpha', 'demo', 'alpha', 'demo');
EXECUTE s16 ('alpha', 'demo', NULL);
EXECUTE s151 ('2', 'id of demo', '4', 'app', '\x0101010101010101010101010101010101010101010101010101010101010101', '{"scope":["openid"],"sub":"s"}', '1800000000', '1800003600', '\x0707', '1800000060', 'alpha', 'demo', '\x0101010101010101010101010101010101010101010101010101010101010101');
EXECUTE s152 ('alpha', 'demo', 'alpha', 'demo');
PREPARE s153 (text, text, text) AS
SELECT id, realm, username, account_id, password_version, client_id, session_hash, details, created_at, expires_at, ticket_hash, ticket_expires_at, ticket_used_at, refresh_hash, polled_at, ended_at FROM grants WHERE realm_key = $1 AND name_key = $2 AND id = $3;
EXECUTE s153 ('alpha', 'demo', '1');
PREPARE s154 (double precision, text, text, text, double precision) AS
UPDATE grants SET polled_at = $1 WHERE realm_key = $2 AND name_key = $3 AND id = $4 AND ended_at IS NULL AND expires_at > $1 AND (polled_at IS NULL OR polled_at <= $5);
EXECUTE s154 ('1800000000', 'alpha', 'demo', '1', '1800000000');
PREPARE s155 (double precision, text, bytea, text, text, text, bytea) AS
UPDATE grants SET ticket_used_at = $1, details = $2, refresh_hash = $3
WHERE realm_key = $4 AND name_key = $5 AND id = $6 AND ended_at IS NULL AND expires_at > $1 AND ticket_hash = $7 AND ticket_used_at IS NULL AND ticket_expires_at > $1;
EXECUTE s155 ('1800000000', '{"scope":["openid"]}', '\x01', 'alpha', 'demo', '1', '\x0707');
PREPARE s156 (bytea, text, text, text, double precision, bytea) AS
UPDATE grants SET refresh_hash = $1 WHERE realm_key = $2 AND name_key = $3 AND id = $4 AND ended_at IS NULL AND expires_at > $5 AND refresh_hash = $6;
EXECUTE s156 ('\x02', 'alpha', 'demo', '1', '1800000000', '\x01');
PREPARE s157 (bytea, text, text, text, text, double precision, bytea) AS
UPDATE grants SET refresh_hash = $1, details = $2 WHERE realm_key = $3 AND name_key = $4 AND id = $5 AND ended_at IS NULL AND expires_at > $6 AND refresh_hash = $7;
EXECUTE s157 ('\x03', '{"scope":["openid"]}', 'alpha', 'demo', '1', '1800000000', '\x02');
PREPARE s158 (text, text, double precision) AS
SELECT id, realm, username, account_id, password_version, client_id, session_hash, details, created_at, expires_at, ticket_hash, ticket_expires_at, ticket_used_at, refresh_hash, polled_at, ended_at FROM grants WHERE realm_key = $1 AND name_key = $2 AND ended_at IS NULL AND expires_at > $3
  ORDER BY created_at, id;
EXECUTE s158 ('alpha', 'demo', '1800000000');
PREPARE s159 (double precision, text, text, text) AS
UPDATE grants SET ended_at = $1
WHERE realm_key = $2 AND name_key = $3 AND id = $4 AND ended_at IS NULL;
EXECUTE s159 ('1800000000', 'alpha', 'demo', '2');
EXECUTE s16 ('alpha', 'demo', NULL);
EXECUTE s45 ('1800000000', '1800003600', 'app', 'alpha', 'demo', '\x0101010101010101010101010101010101010101010101010101010101010101');
EXECUTE s46 ('1800000000', 'alpha', 'demo', '\x0101010101010101010101010101010101010101010101010101010101010101');
EXECUTE s47 ('alpha', 'demo', '\x0101010101010101010101010101010101010101010101010101010101010101');
EXECUTE s19 ('alpha', 'demo');
PREPARE s160 (double precision, double precision, bigint) AS
SELECT realm, username, id, client_id, details, attempts FROM logout_notices WHERE next_at <= $1 AND expires_at > $2 ORDER BY next_at LIMIT $3;
EXECUTE s160 ('1800000000', '1800000000', '10');
PREPARE s161 (double precision, text, text, text) AS
UPDATE logout_notices SET attempts = attempts + 1, next_at = $1 + 15.0 * (1 + 4 * attempts * attempts)
WHERE realm_key = $2 AND name_key = $3 AND id = $4 AND next_at <= $1;
EXECUTE s161 ('1800000000', 'alpha', 'demo', '1');
PREPARE s162 (text, text, text) AS
DELETE FROM logout_notices WHERE realm_key = $1 AND name_key = $2 AND id = $3;
EXECUTE s162 ('alpha', 'demo', '1');
PREPARE s163 (text, text, double precision, text, text, text) AS
INSERT INTO consents (realm_key, name_key, client_id, scopes, given_at)
SELECT realm_key, name_key, $1, $2, $3 FROM users
WHERE realm_key = $4 AND name_key = $5 AND ($6 IS NULL OR account_id = $6)
ON CONFLICT (realm_key, name_key, client_id) DO UPDATE
  SET scopes = excluded.scopes, given_at = excluded.given_at;
EXECUTE s163 ('app', '["openid"]', '1800000000', 'alpha', 'demo', NULL);
PREPARE s164 (text, text, text) AS
SELECT scopes FROM consents WHERE realm_key = $1 AND name_key = $2 AND client_id = $3;
EXECUTE s164 ('alpha', 'demo', 'app');
PREPARE s165 (text, text, text, text, text, text, text, text, double precision, double precision, double precision, text) AS
INSERT INTO journey_attempts
  (realm_key, run_id, part, name_key, journey, state, steps, reason, started_at, latest_at, expires_at,
    client_address)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) ON CONFLICT DO NOTHING;
EXECUTE s165 ('alpha', 'run', '787d05350548', 'demo', 'Login', 'failure', '[["Login","n","N","T","true"]]', 'no', '1800000000', '1800000000', '1802592000', NULL);
PREPARE s166 (text, text, bigint, bigint, text, bigint, double precision) AS
INSERT INTO activity_counts (realm_key, series, grain, period, label, amount, expires_at)
VALUES ($1, $2, $3, $4, $5, $6, $7)
ON CONFLICT (realm_key, series, grain, period, label)
  DO UPDATE SET amount = activity_counts.amount + excluded.amount;
EXECUTE s166 ('alpha', 'edges', '3600', '1800000000', 'Login
n
true', '1', '1834560000');
EXECUTE s165 ('alpha', 'run', 'd6eaba1cfbe3', 'demo', 'Login', 'failure', '[["Login","n","N","T","true"]]', 'no', '1800000000', '1800000000', '1802592000', NULL);
EXECUTE s166 ('alpha', 'edges', '3600', '1800000000', 'Login
n
true', '1', '1834560000');
PREPARE s167 (text, text, bigint) AS
SELECT run_id FROM journey_attempts WHERE realm_key = $1 AND name_key = $2 ORDER BY latest_at DESC LIMIT $3;
EXECUTE s167 ('alpha', 'demo', '12');
PREPARE s168 (text, text) AS
SELECT realm_key, run_id, journey, name_key, started_at, latest_at, state, steps, reason, client_address FROM journey_attempts WHERE realm_key = $1 AND run_id IN ($2)
  ORDER BY run_id, latest_at, part;
EXECUTE s168 ('alpha', 'run');
PREPARE s169 (text, double precision, bigint) AS
SELECT run_id FROM journey_attempts WHERE realm_key = $1 AND latest_at < $2 ORDER BY latest_at DESC LIMIT $3;
EXECUTE s169 ('alpha', '1800000001', '12');
EXECUTE s168 ('alpha', 'run');
EXECUTE s168 ('alpha', 'run');
PREPARE s170 (text, text, bigint, bigint, bigint) AS
SELECT period, label, amount FROM activity_counts
  WHERE realm_key = $1 AND series = $2 AND grain = $3 AND period >= $4 AND period < $5 ORDER BY period, label;
EXECUTE s170 ('alpha', 'edges', '3600', '1799996400', '1800003600');
PREPARE s171 (text, text, bigint, bigint, text, text) AS
SELECT label, amount FROM activity_counts
  WHERE realm_key = $1 AND series = $2 AND grain = $3 AND period >= $4 AND label >= $5 AND label < $6;
EXECUTE s171 ('alpha', 'edges', '3600', '1800000000', 'Login
', 'Login');
PREPARE s172 (text) AS
SELECT kind, model, attestation, count(*) AS devices FROM (
  SELECT 'bound' AS kind, CASE WHEN key LIKE '%"P-256"%' THEN 'P-256 key' WHEN key LIKE '%"P-384"%' THEN 'P-384 key'
    WHEN key LIKE '%"P-521"%' THEN 'P-521 key' WHEN key LIKE '%"kty":"RSA"%' THEN 'RSA key' ELSE 'other key' END AS model,
      CASE WHEN attestation IS NULL THEN 'none' WHEN attestation LIKE '%"kind":"tpm"%' THEN 'tpm'
        WHEN attestation LIKE '%"kind":"android"%' THEN 'android' ELSE 'other' END AS attestation
    FROM bound_devices WHERE realm_key = $1
  UNION ALL SELECT 'webauthn', aaguid, attestation_format FROM webauthn_devices WHERE realm_key = $1
  UNION ALL SELECT 'oath', CASE WHEN period IS NULL THEN 'HOTP' ELSE 'TOTP' END, 'none'
    FROM oath_devices WHERE realm_key = $1
  UNION ALL SELECT 'push', device_type, 'none' FROM push_devices WHERE realm_key = $1) AS all_devices
GROUP BY kind, model, attestation ORDER BY kind, devices DESC, model, attestation LIMIT 500;
EXECUTE s172 ('alpha');
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
EXECUTE s1 ('alpha');
PREPARE s173 (text, text, text, double precision) AS
INSERT INTO ssh_authorities (realm_key, realm, settings, created_at) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING;
EXECUTE s173 ('alpha', 'alpha', '{"lifetime":60}', '1800000000');
EXECUTE s25 ('ssh authority key SHA256:k1', '\x680240353e702488ea50840d3a70f827aeafb0166fae94b0c436dd88eb');
PREPARE s174 (text, text, text, bytea, double precision, double precision) AS
INSERT INTO ssh_keys (realm_key, fingerprint, purpose, public_key, created_at, revoked_at) VALUES ($1, $2, $3, $4, $5, $6) ;
EXECUTE s174 ('alpha', 'SHA256:k1', 'user', '\x6b31', '1800000000', NULL);
EXECUTE s25 ('ssh authority key SHA256:h1', '\x2488c5fe3d743cab84449d8d1c7e3d7fa8c4c41977440e8d7baa40f96d');
EXECUTE s174 ('alpha', 'SHA256:h1', 'host', '\x6831', '1800000000', NULL);
COMMIT;
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
EXECUTE s1 ('alpha');
EXECUTE s173 ('alpha', 'alpha', '{"lifetime":90}', '1800000000');
PREPARE s175 (text, text) AS
UPDATE ssh_authorities SET settings = $1 WHERE realm_key = $2;
EXECUTE s175 ('{"lifetime":90}', 'alpha');
COMMIT;
PREPARE s176 (text) AS
SELECT realm, settings FROM ssh_authorities WHERE realm_key = $1;
EXECUTE s176 ('alpha');
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
EXECUTE s1 ('alpha');
EXECUTE s25 ('ssh authority key SHA256:k0', '\x79e3270c4965a6409194133cc7aed99b1b2c34013ca2d4fb357b1f96f1');
EXECUTE s174 ('alpha', 'SHA256:k0', 'user', '\x6b30', '1799999999', NULL);
COMMIT;
PREPARE s177 (text) AS
SELECT fingerprint, purpose, public_key, created_at, revoked_at FROM ssh_keys
  WHERE realm_key = $1 AND purpose <> 'none' AND revoked_at IS NULL ORDER BY created_at DESC, fingerprint;
EXECUTE s177 ('alpha');
EXECUTE s24 ('ssh authority key SHA256:k1');
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
EXECUTE s1 ('alpha');
PREPARE s178 (bigint, text, text, text, text, boolean, double precision, double precision, text, text, text, bigint) AS
INSERT INTO ssh_certificates (realm_key, name_key, realm, username, account_id, serial, purpose, authority, subject, principals, attested,
  created_at, expires_at)
SELECT realm_key, name_key, realm, username, account_id, $1, $2, $3, $4, $5,
  $6, $7, $8
FROM users WHERE realm_key = $9 AND name_key = $10 AND account_id = $11 AND is_active
  AND ($12 IS NULL OR revision = $12) AND EXISTS (SELECT 1 FROM ssh_keys WHERE ssh_keys.realm_key = $9 AND fingerprint = $3
  AND purpose = $2 AND revoked_at IS NULL)
AND NOT EXISTS (SELECT 1 FROM ssh_keys WHERE fingerprint = $4
  AND (purpose <> 'none' OR ssh_keys.realm_key = $9));
EXECUTE s178 ('1', 'user', 'SHA256:k1', 'SHA256:subject', '["demo","deploy"]', 't', '1800000000', '1800000600', 'alpha', 'demo', 'id of demo', NULL);
EXECUTE s32 ('\x0909', '1800000060');
SELECT id FROM evidence_ledger WHERE id = 1 FOR NO KEY UPDATE;
EXECUTE s59 ('1099511627776');
EXECUTE s60 ('\xe46a0246cc39b88bdd1d76fa5ae9b94884f08f3a4ffd4e101032db3dca1107f8', 'd8ea8f055a354a9a');
EXECUTE s61 ('alpha', 'certificates demo', '20833', '337', '2097152');
EXECUTE s62 ('4', 'alpha', 'demo', NULL, '{"number":4,"previous":"GaLSPB7hs7YapVtqjXZ5n8uiF9eVWkNNaiv_ZSmeMYs","kind":"certify","time":1800000000000,"realm":"alpha","journey":"SignIn","node":"node","username":"demo","userId":"id=demo","device":"device-1","key":{"kty":"EC"},"attestation":null,"transaction":null,"jws":"a.b.c","hash":"jRTaIRsmKS_NsU4FYq1I2MMVsjtBqGaZvg7DKQtfQrc"}', '\x8d14da211b26292fcdb14e0562ad48d8c315b23b41a86699be0ec3290b5f42b7');
COMMIT;
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
EXECUTE s1 ('alpha');
PREPARE s179 (bigint, text, text, text, text, boolean, double precision, double precision, text) AS
INSERT INTO ssh_certificates (realm_key, name_key, realm, username, account_id, serial, purpose, authority, subject, principals, attested,
  created_at, expires_at)
SELECT realm_key, '', realm, '', NULL, $1, $2, $3, $4, $5, $6, $7,
  $8
FROM ssh_authorities WHERE realm_key = $9 AND EXISTS (SELECT 1 FROM ssh_keys WHERE ssh_keys.realm_key = $9 AND fingerprint = $3
  AND purpose = $2 AND revoked_at IS NULL)
AND NOT EXISTS (SELECT 1 FROM ssh_keys WHERE fingerprint = $4
  AND (purpose <> 'none' OR ssh_keys.realm_key = $9));
EXECUTE s179 ('2', 'host', 'SHA256:h1', 'SHA256:subject', '["demo","deploy"]', 't', '1800000000', '1800000600', 'alpha');
COMMIT;
PREPARE s180 (text) AS
SELECT realm_key, fingerprint, purpose, public_key, created_at, revoked_at FROM ssh_keys WHERE fingerprint = $1;
EXECUTE s180 ('SHA256:subject');
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
PREPARE s181 (double precision, text, bigint) AS
UPDATE ssh_certificates SET revoked_at = $1 WHERE realm_key = $2 AND revoked_at IS NULL AND expires_at > $1 AND serial = $3 RETURNING purpose;
EXECUTE s181 ('1800000000', 'alpha', '1');
COMMIT;
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
PREPARE s182 (double precision, text, text) AS
UPDATE ssh_certificates SET revoked_at = $1 WHERE realm_key = $2 AND revoked_at IS NULL AND expires_at > $1 AND name_key = $3 AND purpose = 'user' RETURNING purpose;
EXECUTE s182 ('1800000000', 'alpha', 'demo');
COMMIT;
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
PREPARE s183 (double precision, text, text) AS
UPDATE ssh_certificates SET revoked_at = $1 WHERE realm_key = $2 AND revoked_at IS NULL AND expires_at > $1 AND subject = $3 RETURNING purpose;
EXECUTE s183 ('1800000000', 'alpha', 'SHA256:subject');
PREPARE s184 (text, text, text, bytea, double precision, double precision) AS
INSERT INTO ssh_keys (realm_key, fingerprint, purpose, public_key, created_at, revoked_at) VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING;
EXECUTE s184 ('alpha', 'SHA256:subject', 'none', '\x04', '1800000000', '1800000000');
COMMIT;
PREPARE s185 (text, bigint) AS
SELECT EXISTS (SELECT 1 FROM ssh_certificates WHERE realm_key = $1 AND serial = $2);
EXECUTE s185 ('alpha', '1');
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
PREPARE s186 (double precision, text, text) AS
UPDATE ssh_keys SET revoked_at = $1
WHERE realm_key = $2 AND fingerprint = $3 AND revoked_at IS NULL AND EXISTS (
  SELECT 1 FROM ssh_keys AS newer WHERE newer.realm_key = $2 AND newer.purpose = ssh_keys.purpose
    AND newer.revoked_at IS NULL AND (newer.created_at > ssh_keys.created_at
      OR (newer.created_at = ssh_keys.created_at AND newer.fingerprint < ssh_keys.fingerprint)))
  AND purpose <> 'none';
EXECUTE s186 ('1800000000', 'alpha', 'SHA256:k0');
PREPARE s187 (text) AS
DELETE FROM server_secrets WHERE name = $1;
EXECUTE s187 ('ssh authority key SHA256:k0');
COMMIT;
PREPARE s188 (text) AS
SELECT public_key FROM ssh_keys WHERE realm_key = $1 AND revoked_at IS NOT NULL ORDER BY fingerprint;
EXECUTE s188 ('alpha');
PREPARE s189 (text) AS
SELECT public_key, serial FROM ssh_certificates JOIN ssh_keys
    ON ssh_keys.realm_key = ssh_certificates.realm_key AND fingerprint = authority
  WHERE ssh_certificates.realm_key = $1 AND ssh_certificates.revoked_at IS NOT NULL ORDER BY serial;
EXECUTE s189 ('alpha');
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL idle_in_transaction_session_timeout = 5000;
EXECUTE s16 ('alpha', 'other', NULL);
PREPARE s190 (text, text) AS
DELETE FROM users WHERE realm_key = $1 AND name_key = $2 RETURNING realm, username, password_hash, is_active, is_administrator, mail, attributes, created_at, account_id, password_version, must_change_password, password_expires_at, is_help_desk, is_auditor, revision;
EXECUTE s190 ('alpha', 'other');
EXECUTE s31 ('alpha', 'other');
PREPARE s191 (text, text) AS
DELETE FROM journey_attempts WHERE realm_key = $1 AND name_key = $2;
EXECUTE s191 ('alpha', 'other');
EXECUTE s19 ('alpha', 'other');
COMMIT;
SELECT extract(epoch FROM clock_timestamp())::double precision AS time;
PREPARE s192 (double precision, bigint) AS
DELETE FROM push_decisions WHERE (realm_key, message_id) IN (
  SELECT realm_key, message_id FROM push_decisions AS old WHERE decided_at <= $1 LIMIT $2 FOR UPDATE SKIP LOCKED);
EXECUTE s192 ('1765440000', '500');
PREPARE s193 (double precision, bigint) AS
DELETE FROM push_messages WHERE (realm_key, id) IN (
  SELECT realm_key, id FROM push_messages AS old WHERE expires_at <= $1 LIMIT $2 FOR UPDATE SKIP LOCKED);
EXECUTE s193 ('1799999100', '500');
PREPARE s194 (double precision, bigint) AS
DELETE FROM sessions WHERE (token_hash) IN (
  SELECT token_hash FROM sessions AS old WHERE ends_at <= $1 LIMIT $2 FOR UPDATE SKIP LOCKED);
EXECUTE s194 ('1800000000', '500');
PREPARE s195 (double precision, bigint) AS
DELETE FROM consumed WHERE (key) IN (
  SELECT key FROM consumed AS old WHERE expires_at <= $1 LIMIT $2 FOR UPDATE SKIP LOCKED);
EXECUTE s195 ('1799996400', '500');
PREPARE s196 (double precision, bigint) AS
DELETE FROM suspended_journeys WHERE (realm_key, id_hash) IN (
  SELECT realm_key, id_hash FROM suspended_journeys AS old WHERE expires_at <= $1 LIMIT $2 FOR UPDATE SKIP LOCKED);
EXECUTE s196 ('1800000000', '500');
PREPARE s197 (double precision, double precision, bigint) AS
DELETE FROM lockouts WHERE (realm_key, name_key, kind, device) IN (
  SELECT realm_key, name_key, kind, device FROM lockouts AS old WHERE latest_failure <= $1 AND (locked_until > $2) IS NOT TRUE
  AND (device != '' OR NOT EXISTS (
    SELECT 1 FROM users WHERE realm_key = old.realm_key AND name_key = old.name_key)) LIMIT $3 FOR UPDATE SKIP LOCKED);
EXECUTE s197 ('1799913600', '1800000000', '500');
PREPARE s198 (double precision, bigint) AS
DELETE FROM locked_names WHERE (realm_key, name_key) IN (
  SELECT realm_key, name_key FROM locked_names AS old WHERE latest <= $1 LIMIT $2 FOR UPDATE SKIP LOCKED);
EXECUTE s198 ('1799913600', '500');
PREPARE s199 (double precision, bigint) AS
DELETE FROM transactions WHERE (realm_key, id) IN (
  SELECT realm_key, id FROM transactions AS old WHERE expires_at <= $1 LIMIT $2 FOR UPDATE SKIP LOCKED);
EXECUTE s199 ('1797408000', '500');
PREPARE s200 (bigint, bigint) AS
DELETE FROM evidence_use WHERE (realm_key, name_key) IN (
  SELECT realm_key, name_key FROM evidence_use AS old WHERE day < $1 LIMIT $2 FOR UPDATE SKIP LOCKED);
EXECUTE s200 ('20830', '500');
PREPARE s201 (double precision, bigint) AS
DELETE FROM grants WHERE (realm_key, name_key, id) IN (
  SELECT realm_key, name_key, id FROM grants AS old WHERE expires_at <= $1 LIMIT $2 FOR UPDATE SKIP LOCKED);
EXECUTE s201 ('1800000000', '500');
PREPARE s202 (double precision, bigint) AS
DELETE FROM logout_notices WHERE (realm_key, name_key, id) IN (
  SELECT realm_key, name_key, id FROM logout_notices AS old WHERE expires_at <= $1 LIMIT $2 FOR UPDATE SKIP LOCKED);
EXECUTE s202 ('1800000000', '500');
PREPARE s203 (double precision, bigint) AS
DELETE FROM journey_attempts WHERE (realm_key, run_id, part) IN (
  SELECT realm_key, run_id, part FROM journey_attempts AS old WHERE expires_at <= $1 LIMIT $2 FOR UPDATE SKIP LOCKED);
EXECUTE s203 ('1800000000', '500');
PREPARE s204 (double precision, bigint) AS
DELETE FROM activity_counts WHERE (realm_key, series, grain, period, label) IN (
  SELECT realm_key, series, grain, period, label FROM activity_counts AS old WHERE expires_at <= $1 LIMIT $2 FOR UPDATE SKIP LOCKED);
EXECUTE s204 ('1800000000', '500');
PREPARE s205 (double precision, bigint) AS
DELETE FROM ssh_certificates WHERE (realm_key, serial) IN (
  SELECT realm_key, serial FROM ssh_certificates AS old WHERE expires_at <= $1 LIMIT $2 FOR UPDATE SKIP LOCKED);
EXECUTE s205 ('1799913600', '500');

-- Outcomes
-- (0 rows)
-- INSERT 0 1
-- DELETE 0
-- INSERT 0 1
-- INSERT 0 1
-- UPDATE 0
-- (0 rows)
-- INSERT 0 1
-- DELETE 0
-- INSERT 0 1
-- INSERT 0 1
-- UPDATE 0
-- (0 rows)
-- INSERT 0 1
-- DELETE 0
-- INSERT 0 1
-- INSERT 0 1
-- UPDATE 0
-- (0 rows)
-- INSERT 0 1
-- DELETE 0
-- INSERT 0 1
-- UPDATE 0
-- (1 row)
-- (2 rows)
-- (0 rows)
-- INSERT 0 1
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
-- UPDATE 1
-- (1 row)
-- (0 rows)
-- (0 rows)
-- (2 rows)
-- UPDATE 1
-- (2 rows)
-- (1 row)
-- (1 row)
-- UPDATE 1
-- (1 row)
-- DELETE 2
-- INSERT 0 1
-- UPDATE 0
-- DELETE 0
-- UPDATE 0
-- (1 row)
-- (0 rows)
-- UPDATE 0
-- (1 row)
-- (2 rows)
-- (1 row)
-- (1 row)
-- UPDATE 1
-- (1 row)
-- DELETE 0
-- UPDATE 0
-- (1 row)
-- (1 row)
-- UPDATE 1
-- DELETE 0
-- UPDATE 0
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
-- INSERT 0 1
-- (2 rows)
-- INSERT 0 1
-- (2 rows)
-- DELETE 1
-- DELETE 1
-- INSERT 0 1
-- (1 row)
-- INSERT 0 1
-- INSERT 0 1
-- INSERT 0 1
-- (2 rows)
-- INSERT 0 1
-- (3 rows)
-- INSERT 0 1
-- (3 rows)
-- DELETE 1
-- INSERT 0 1
-- (2 rows)
-- INSERT 0 1
-- INSERT 0 1
-- (1 row)
-- INSERT 0 1
-- INSERT 0 1
-- (2 rows)
-- INSERT 0 1
-- (2 rows)
-- DELETE 1
-- DELETE 1
-- INSERT 0 1
-- (1 row)
-- INSERT 0 1
-- INSERT 0 1
-- (3 rows)
-- (0 rows)
-- DELETE 5
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
-- (1 row)
-- DELETE 0
-- INSERT 0 1
-- (1 row)
-- DELETE 0
-- INSERT 0 1
-- (1 row)
-- DELETE 0
-- INSERT 0 1
-- (1 row)
-- DELETE 0
-- INSERT 0 1
-- (1 row)
-- DELETE 0
-- (1 row)
-- DELETE 1
-- INSERT 0 1
-- (1 row)
-- UPDATE 0
-- (1 row)
-- UPDATE 1
-- (5 rows)
-- (1 row)
-- (1 row)
-- DELETE 0
-- (1 row)
-- (1 row)
-- INSERT 0 0
-- UPDATE 0
-- DELETE 1
-- UPDATE 0
-- UPDATE 1
-- INSERT 0 0
-- UPDATE 0
-- UPDATE 0
-- DELETE 3
-- UPDATE 0
-- UPDATE 1
-- INSERT 0 0
-- UPDATE 0
-- DELETE 1
-- UPDATE 0
-- (1 row)
-- (1 row)
-- (1 row)
-- INSERT 0 1
-- (1 row)
-- (1 row)
-- (1 row)
-- INSERT 0 1
-- INSERT 0 1
-- (1 row)
-- (1 row)
-- UPDATE 1
-- INSERT 0 1
-- INSERT 0 1
-- (1 row)
-- (1 row)
-- (1 row)
-- (1 row)
-- (1 row)
-- (1 row)
-- UPDATE 1
-- INSERT 0 1
-- DELETE 0
-- (1 row)
-- (1 row)
-- UPDATE 1
-- INSERT 0 1
-- INSERT 0 1
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
-- UPDATE 1
-- INSERT 0 1
-- INSERT 0 1
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
-- INSERT 0 1
-- (1 row)
-- (1 row)
-- UPDATE 1
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
-- DELETE 0
-- INSERT 0 1
-- INSERT 0 1
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
-- (1 row)
-- DELETE 1
-- (2 rows)
-- INSERT 0 1
-- (2 rows)
-- DELETE 0
-- DELETE 1
-- UPDATE 1
-- UPDATE 1
-- (1 row)
-- DELETE 1
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
-- DELETE 0
-- INSERT 0 1
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
-- UPDATE 0
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
-- DELETE 0
-- UPDATE 0
-- DELETE 0
-- DELETE 0
-- UPDATE 1
-- UPDATE 1
-- (1 row)
-- INSERT 0 1
-- (1 row)
-- DELETE 0
-- (1 row)
-- INSERT 0 1
-- DELETE 0
-- (1 row)
-- INSERT 0 1
-- DELETE 0
-- (1 row)
-- UPDATE 1
-- UPDATE 1
-- UPDATE 1
-- UPDATE 1
-- (2 rows)
-- UPDATE 1
-- (1 row)
-- INSERT 0 1
-- UPDATE 1
-- DELETE 1
-- UPDATE 0
-- (1 row)
-- UPDATE 1
-- DELETE 1
-- INSERT 0 1
-- (1 row)
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
-- (0 rows)
-- INSERT 0 1
-- INSERT 0 1
-- INSERT 0 1
-- INSERT 0 1
-- INSERT 0 1
-- (0 rows)
-- INSERT 0 0
-- UPDATE 1
-- (1 row)
-- (0 rows)
-- INSERT 0 1
-- INSERT 0 1
-- (3 rows)
-- (1 row)
-- (0 rows)
-- INSERT 0 1
-- INSERT 0 1
-- (1 row)
-- (1 row)
-- UPDATE 1
-- INSERT 0 1
-- INSERT 0 1
-- (0 rows)
-- INSERT 0 1
-- (0 rows)
-- (1 row)
-- UPDATE 1
-- (0 rows)
-- UPDATE 0
-- (1 row)
-- UPDATE 1
-- INSERT 0 1
-- (1 row)
-- UPDATE 1
-- DELETE 1
-- (2 rows)
-- (2 rows)
-- (1 row)
-- (1 row)
-- DELETE 1
-- DELETE 0
-- DELETE 0
-- UPDATE 0
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
-- DELETE 0
-- DELETE 0
-- DELETE 0
-- DELETE 0
-- DELETE 0
