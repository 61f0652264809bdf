/// A statement that is the same in every database, with its values.
package struct SharedStatement: Sendable {
  package let sql: String
  package let values: StatementValues

  fileprivate init(_ sql: String, _ values: StatementValues) {
    self.sql = sql
    self.values = values
  }
}

extension AccountKey {
  /// Whether there is an account of that name, and with that id; `nil` for any.
  package func isThere(id: String?) -> SharedStatement {
    SharedStatement(
      """
      SELECT EXISTS (SELECT 1 FROM users
        WHERE realm_key = ?1 AND name_key = ?2 AND (?3 IS NULL OR account_id = ?3))
      """, [realm, name, id])
  }

  /// Whether the account has a device of any kind.
  package var hasFactors: SharedStatement {
    let kinds = ["bound_devices", "webauthn_devices", "push_devices", "oath_devices"].map {
      "EXISTS (SELECT 1 FROM \($0) WHERE realm_key = ?1 AND name_key = ?2)"
    }
    return SharedStatement("SELECT \(kinds.joined(separator: " OR "))", [realm, name])
  }
}

/// What is done with all kinds of devices in the same way.
extension DeviceTable {
  private var ofAccount: String { "realm_key = ? AND name_key = ?" }

  package func one(_ uuid: String, of key: AccountKey) -> SharedStatement {
    SharedStatement(
      "SELECT \(columns) FROM \(name) WHERE \(ofAccount) AND uuid = ?", [key.realm, key.name, uuid])
  }

  /// The device of the realm that has the value in a column that is unique there.
  package func one(
    with column: String, _ value: some StoredValueConvertible, in realm: RealmKey
  ) -> SharedStatement {
    SharedStatement(
      "SELECT \(columns) FROM \(name) WHERE realm_key = ? AND \(column) = ?", [realm.realm, value])
  }

  package func count(of key: AccountKey) -> SharedStatement {
    SharedStatement("SELECT count(*) FROM \(name) WHERE \(ofAccount)", [key.realm, key.name])
  }

  /// Whether a device has a value that is to be unique.
  package func duplicate(_ row: NewRow, of key: AccountKey) -> SharedStatement {
    let equals = unique.map { "\($0) = ?" }.joined(separator: " OR ")
    let condition = isUniqueInRealm ? "realm_key = ?" : ofAccount
    return SharedStatement(
      "SELECT EXISTS (SELECT 1 FROM \(name) WHERE \(condition) AND (\(equals)))",
      (isUniqueInRealm ? [key.realm] : [key.realm, key.name]) + StatementValues(unique.map { row[$0] }))
  }

  package func rename(_ uuid: String, of key: AccountKey, to newName: String) -> SharedStatement {
    SharedStatement(
      "UPDATE \(name) SET device_name = ? WHERE \(ofAccount) AND uuid = ? RETURNING \(columns)",
      [newName, key.realm, key.name, uuid])
  }

  /// - Parameter uuid: `nil` for all of the account.
  package func delete(_ uuid: String?, of key: AccountKey) -> SharedStatement {
    SharedStatement(
      "DELETE FROM \(name) WHERE realm_key = ?1 AND name_key = ?2 AND (?3 IS NULL OR uuid = ?3) RETURNING \(columns)",
      [key.realm, key.name, uuid])
  }

  /// Forgets the recovery codes that stood in for the devices, if the account has none of them left; `nil` for kinds without.
  package func forgetRecoveryCodes(of key: AccountKey) -> SharedStatement? {
    recoveryCodes.map { kind in
      SharedStatement(
        """
        DELETE FROM recovery_codes WHERE realm_key = ?1 AND name_key = ?2 AND kind = ?3
          AND NOT EXISTS (SELECT 1 FROM \(name) WHERE realm_key = ?1 AND name_key = ?2)
        """, [key.realm, key.name, kind])
    }
  }

  /// `nil` for kinds that leave no choice; and so below.
  package func skipSetting(of key: AccountKey) -> SharedStatement? {
    choices.map { SharedStatement("SELECT skip FROM \($0) WHERE \(ofAccount)", [key.realm, key.name]) }
  }

  package func set(_ setting: SkipSetting, of key: AccountKey) -> SharedStatement? {
    choices.map { table in
      SharedStatement(
        """
        INSERT INTO \(table) (realm_key, name_key, skip)
        SELECT realm_key, name_key, ?3 FROM users WHERE realm_key = ?1 AND name_key = ?2
        ON CONFLICT (realm_key, name_key) DO UPDATE SET skip = ?3
        """, [key.realm, key.name, setting.rawValue])
    }
  }
}
