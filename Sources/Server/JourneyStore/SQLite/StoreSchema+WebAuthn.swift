extension StoreSchema {
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
}
