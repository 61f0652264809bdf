internal import BindingFormats

/// Questions and operations that all kinds of devices share.
extension DeviceTable {
  func one(_ uuid: String, of key: AccountKey) -> SQLQuestion<Record?> {
    SQLStatement(
      "SELECT \(columns) FROM \(name) WHERE \(ofAccount) AND uuid = ?", [key.realm, key.name, uuid]
    ).row(of: name, record)
  }

  /// The realm's device that has `value` in `column`, which is unique in the realm.
  func one(
    with column: String, _ value: some StoredValueConvertible, in realm: String
  ) -> SQLQuestion<Record?> {
    SQLStatement(
      "SELECT \(columns) FROM \(name) WHERE realm_key = ? AND \(column) = ?", [RealmKey(realm).realm, value]
    ).row(of: name, record)
  }

  func count(of key: AccountKey) -> SQLQuestion<Int> {
    SQLStatement("SELECT count(*) FROM \(name) WHERE \(ofAccount)", key.values).integer
  }

  // MARK: Adding

  /// Adds the device unless a check refuses it. The account's row is locked first, so that nothing changes between the checks and the
  /// insertion.
  func add(_ device: Record, limit: DeviceLimit) throws -> SQLOperation<DeviceAddition> {
    let key = AccountKey(device.account)
    let row = try row(device)
    let insertion = SQLStatement.insert(row, into: name, of: key, onConflict: "ON CONFLICT DO NOTHING")
    let questions = SQLQuestion<(Bool, Bool, Int, Bool)>.all(
      SQLStatement.lock(key, id: limit.accountID).flag, duplicate(row, of: key), count(of: key),
      limit.onlyAsFirstFactor ? key.hasFactors : .known(false))
    return .ask(questions) { isThere, isDuplicate, count, hasFactors in
      guard isThere else { return .done(.noSuchUser) }
      guard !isDuplicate else { return .done(.duplicate) }
      guard count < limit.count else { return .done(.limitReached) }
      guard !hasFactors else { return .done(.notFirst) }
      // Another account may add the same value, unique in the realm, at the same moment.
      return .next(.ask(insertion.isDone) { .done($0 ? .added : .duplicate) })
    }
  }

  /// Whether another device already has one of the row's unique values.
  private func duplicate(_ row: StatementValues, of key: AccountKey) -> SQLQuestion<Bool> {
    let equals = unique.map { "\($0) = ?" }.joined(separator: " OR ")
    let condition = isUniqueInRealm ? "realm_key = ?" : ofAccount
    return SQLStatement(
      "SELECT EXISTS (SELECT 1 FROM \(name) WHERE \(condition) AND (\(equals)))",
      (isUniqueInRealm ? [key.realm] : key.values) + StatementValues(unique.map { row[$0] })
    ).flag
  }

  // MARK: Changing

  /// - Parameter uuid: `nil` for all devices of the account.
  func delete(_ uuid: String?, of key: AccountKey) -> SQLOperation<[Record]> {
    let deleted = SQLStatement(
      "DELETE FROM \(name) WHERE realm_key = ?1 AND name_key = ?2 AND (?3 IS NULL OR uuid = ?3) RETURNING \(columns)",
      [key.realm, key.name, uuid]
    ).rows(of: name, record)
    return .ask(.all(SQLQuestion.silent([.hold(key)]), deleted)) { _, devices in
      .done(devices, devices.isEmpty && uuid != nil ? [] : forgettingRecoveryCodes(of: key))
    }
  }

  /// Deletes the recovery codes of this kind if the account has no such device left.
  private func forgettingRecoveryCodes(of key: AccountKey) -> [SQLStatement] {
    guard let recoveryCodes else { return [] }
    return [
      SQLStatement(
        """
        DELETE FROM recovery_codes WHERE realm_key = ?1 AND name_key = ?2 AND kind = ?3
          AND NOT EXISTS (SELECT 1 FROM \(name) WHERE realm_key = ?1 AND name_key = ?2)
        """, [key.realm, key.name, recoveryCodes])
    ]
  }

  // MARK: Doing without

  /// Stores the setting. The answer is whether the account exists.
  func set(_ setting: SkipSetting, of key: AccountKey) -> SQLQuestion<Bool> {
    guard let choices else { return .known(false) }
    return SQLStatement(
      """
      INSERT INTO \(choices) (realm_key, name_key, skip)
      SELECT realm_key, name_key, ?3 FROM users WHERE realm_key = ?1 AND name_key = ?2
      ON CONFLICT (realm_key, name_key) DO UPDATE SET skip = ?3
      """, [key.realm, key.name, setting.rawValue]
    ).isDone
  }
}

private let ofAccount = "realm_key = ? AND name_key = ?"

extension AccountKey {
  /// Whether the account has a device of any kind.
  var hasFactors: SQLQuestion<Bool> { SQLStatement(Self.factors, [realm, name]).flag }

  private static let factors: SQL = {
    let kinds = ["bound_devices", "webauthn_devices", "push_devices", "oath_devices"].map {
      "EXISTS (SELECT 1 FROM \($0) WHERE realm_key = ?1 AND name_key = ?2)"
    }
    return "SELECT \(kinds.joined(separator: " OR "))"
  }()
}

/// One kind of devices in a store.
struct StoredDevices<Record: DeviceRecord>: DeviceStore {
  let store: any ServerStore
  let table: DeviceTable<Record>

  func all(of account: UniversalID) async throws -> [Record] {
    let sql: SQL = """
      SELECT \(table.columns) FROM \(table.name) WHERE \(ofAccount) ORDER BY created_date DESC, \(.age) DESC
      """
    return try await store.look(
      SQLStatement(sql, AccountKey(account).values).rows(of: table.name, table.record))
  }

  func rename(_ uuid: String, of account: UniversalID, to name: String) async throws -> Record? {
    let sql: SQL = """
      UPDATE \(table.name) SET device_name = ? WHERE \(ofAccount) AND uuid = ? RETURNING \(table.columns)
      """
    return try await store.change(
      "\(table.noun) \(uuid) of \(account.username)",
      SQLStatement(sql, [name] + AccountKey(account).values + [uuid]).row(of: table.name, table.record))
  }

  func delete(_ uuid: String, of account: UniversalID) async throws -> Record? {
    try await store.write("\(table.noun) \(uuid) of \(account.username)") {
      table.delete(uuid, of: AccountKey(account))
    }.first
  }

  func reset(_ account: UniversalID) async throws -> [Record] {
    let key = AccountKey(account)
    return try await store.write("\(table.noun)s of \(account.username)") {
      table.delete(nil, of: key).then { [table] in
        .done($0, table.set(.notSet, of: key).statements)
      }
    }
  }

  func skipSetting(of account: UniversalID) async throws -> SkipSetting {
    guard let choices = table.choices else { return .notSet }
    return try await store.look(
      SQLStatement("SELECT skip FROM \(choices) WHERE \(ofAccount)", AccountKey(account).values)
        .row(of: choices) { try $0.known("skip") as SkipSetting }) ?? .notSet
  }

  func set(_ setting: SkipSetting, of account: UniversalID) async throws -> Bool {
    try await store.change(
      "the choice of \(account.username) to do without \(table.noun)",
      table.set(setting, of: AccountKey(account)))
  }
}
