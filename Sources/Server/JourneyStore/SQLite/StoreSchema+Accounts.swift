extension StoreSchema {
  /// Roles beside the administrator's. The index lists the few accounts that have one.
  static let roles = """
    ALTER TABLE users ADD COLUMN is_help_desk INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE users ADD COLUMN is_auditor INTEGER NOT NULL DEFAULT 0;
    CREATE INDEX users_with_roles ON users (realm_key, name_key)
      WHERE is_administrator OR is_help_desk OR is_auditor;
    """

  /// An account's id, and the state of its password, which had been ordinary attributes that their owner could set.
  ///
  /// A time that is none, which never had an effect, becomes no time.
  static let accountState = """
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
    """
}
