internal import JourneyStore

extension PostgresSchema {
  /// The triggers that refuse changes in the tables themselves, whichever server makes them.
  static let guards = sealed + evidence

  /// A sealed value must be sealed under a key that is not retired, because a server may not know yet that its key is. The key's id stands
  /// before the sealed bytes (`LoadedServerKey.prefix`), except for the first key. While no key is registered, none can be retired.
  ///
  /// The lock (``KeyFence``) keeps a key from being retired between this check and the end of the transaction.
  private static let sealed =
    [
      """
      CREATE OR REPLACE FUNCTION sealring_require_key() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        PERFORM pg_advisory_xact_lock_shared(\(KeyFence.lock));
        IF NOT EXISTS (SELECT 1 FROM server_keys WHERE retired_at IS NULL
            AND CASE WHEN substr(NEW.sealed, 1, 8) = '\\x5345414c524e4731'::bytea
              THEN id = encode(substr(NEW.sealed, 9, 8), 'hex') ELSE generation = 0 END)
          AND EXISTS (SELECT 1 FROM server_keys)
        THEN
          RAISE EXCEPTION USING ERRCODE = 'SR001',
            MESSAGE = 'the row is sealed under a server key that is retired or unknown';
        END IF;
        RETURN NEW;
      END $$
      """
    ]
    + StoreTable.sealed(upTo: 9, in: .postgres).map { table in
      """
      CREATE TRIGGER sealed_under_a_key BEFORE INSERT OR UPDATE OF sealed ON \(table)
        FOR EACH ROW EXECUTE FUNCTION sealring_require_key()
      """
    }

  /// Evidence stays when users and devices are deleted. Only the content of old entries may be removed.
  private static let evidence =
    [
      """
      CREATE OR REPLACE FUNCTION sealring_keep_evidence() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        RAISE EXCEPTION USING ERRCODE = 'SR002', MESSAGE = TG_TABLE_NAME || ' cannot be changed or deleted';
      END $$
      """,
      """
      CREATE TRIGGER evidence_is_not_changed BEFORE UPDATE ON evidence FOR EACH ROW
        WHEN (NEW.number IS DISTINCT FROM OLD.number OR NEW.hash IS DISTINCT FROM OLD.hash
          OR (NEW.line IS DISTINCT FROM OLD.line OR NEW.realm_key IS DISTINCT FROM OLD.realm_key
              OR NEW.name_key IS DISTINCT FROM OLD.name_key)
            AND (NEW.line <> '' OR NEW.realm_key <> '' OR NEW.name_key <> ''))
        EXECUTE FUNCTION sealring_keep_evidence()
      """,
      """
      CREATE TRIGGER evidence_ledger_keeps_header BEFORE UPDATE OF id, header ON evidence_ledger FOR EACH ROW
        EXECUTE FUNCTION sealring_keep_evidence()
      """,
      """
      CREATE TRIGGER evidence_epochs_are_not_changed BEFORE UPDATE ON evidence_epochs FOR EACH ROW
        EXECUTE FUNCTION sealring_keep_evidence()
      """,
    ]
    + ["evidence", "evidence_ledger", "evidence_lanes", "evidence_epochs"].flatMap { table in
      [
        """
        CREATE TRIGGER \(table)_is_not_deleted BEFORE DELETE ON \(table) FOR EACH ROW
          EXECUTE FUNCTION sealring_keep_evidence()
        """,
        """
        CREATE TRIGGER \(table)_is_not_emptied BEFORE TRUNCATE ON \(table)
          EXECUTE FUNCTION sealring_keep_evidence()
        """,
      ]
    }
}
