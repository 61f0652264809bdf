extension StoreSchema {
  /// `evidence_use` counts what each account, and each application, added to the ledger on its latest day; days are counted since 1970. The index
  /// makes counting an application's open transactions independent of how many it had.
  static let quotas = """
    CREATE TABLE evidence_use (
      realm_key TEXT NOT NULL,
      name_key TEXT NOT NULL,
      day INTEGER NOT NULL,
      bytes INTEGER NOT NULL,
      PRIMARY KEY (realm_key, name_key)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX open_transactions ON transactions (application_id, expires_at) WHERE state = 'pending';
    """
}
