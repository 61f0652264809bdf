internal import BindingFormats
internal import JourneyStore

/// What is done with all kinds of devices in the same way.
extension DeviceTable {
  private static var ofAccount: String { "realm_key = ? AND name_key = ?" }

  func devices(_ answer: Answer, _ serverKey: ServerKey) throws -> [Record] {
    try answer.all(name) { try record($0, serverKey) }
  }

  func all(of key: AccountKey) -> Statement {
    Statement(
      "SELECT * FROM \(name) WHERE \(Self.ofAccount) ORDER BY created_date DESC, added_at DESC",
      [key.realm, key.name])
  }

  func one(_ uuid: String, of key: AccountKey) -> Statement {
    Statement("SELECT * FROM \(name) WHERE \(Self.ofAccount) AND uuid = ?", [key.realm, key.name, uuid])
  }

  func count(of key: AccountKey) -> Statement {
    Statement("SELECT count(*) FROM \(name) WHERE \(Self.ofAccount)", [key.realm, key.name])
  }

  /// Whether a device has a value that is to be unique.
  fileprivate func duplicate(_ row: NewRow, of key: AccountKey) -> Statement {
    let equals = unique.map { "\($0) = ?" }.joined(separator: " OR ")
    let values = StatementValues(unique.map { row[$0] })
    let condition = isUniqueInRealm ? "realm_key = ?" : Self.ofAccount
    return Statement(
      "SELECT EXISTS (SELECT 1 FROM \(name) WHERE \(condition) AND (\(equals)))",
      (isUniqueInRealm ? [key.realm] : [key.realm, key.name]) + values)
  }

  fileprivate func skipSetting(of key: AccountKey) -> Statement? {
    choices.map { Statement("SELECT skip FROM \($0) WHERE \(Self.ofAccount)", [key.realm, key.name]) }
  }

  fileprivate func set(_ setting: SkipSetting, of key: AccountKey) -> Statement? {
    choices.map { table in
      Statement(
        """
        INSERT INTO \(table) (realm_key, name_key, skip)
        SELECT realm_key, name_key, ?3 FROM users WHERE realm_key = ?1 AND name_key = ?2
        ON CONFLICT (realm_key, name_key) DO UPDATE SET skip = ?3
        """, [key.realm, key.name, setting.rawValue])
    }
  }

  fileprivate func delete(_ uuid: String?, of key: AccountKey) -> Statement {
    Statement(
      "DELETE FROM \(name) WHERE realm_key = ?1 AND name_key = ?2 AND (?3 IS NULL OR uuid = ?3) RETURNING *",
      [key.realm, key.name, uuid])
  }

  /// Forgets the recovery codes that stood in for the devices, if the account has none of them left.
  fileprivate func forgetRecoveryCodes(of key: AccountKey) -> Statement? {
    recoveryCodes.map { kind in
      Statement(
        """
        DELETE FROM recovery_codes WHERE realm_key = ?1 AND name_key = ?2 AND kind = ?3
          AND NOT EXISTS (SELECT 1 FROM \(name) WHERE realm_key = ?1 AND name_key = ?2)
        """, [key.realm, key.name, kind])
    }
  }
}

extension PostgresTransaction {
  /// Adds the device, unless something keeps it from being added. The account is locked first, so that nothing changes
  /// between the questions and the insertion.
  func add<Record>(
    _ device: Record, to table: DeviceTable<Record>, limit: DeviceLimit, _ serverKey: ServerKey
  ) async throws -> DeviceObstacle? {
    let key = AccountKey(username: device.username, realm: device.realm)
    let row = try table.row(device, serverKey)
    let answers = try await run([
      .lock(key), table.duplicate(row, of: key), table.count(of: key), DeviceSQL.hasFactors(key),
    ])
    guard try answers[0].flag() else { return .noSuchUser }
    guard try !answers[1].flag() else { return .duplicate }
    guard try answers[2].integer() < limit.count else { return .limitReached }
    guard try !limit.onlyAsFirstFactor || !answers[3].flag() else { return .notFirst }
    // What is unique in the realm may be added to another account at the same moment.
    let added = try await run([.insert(row, into: table.name, of: key, onConflict: "ON CONFLICT DO NOTHING")])
    return added[0].count == 1 ? nil : .duplicate
  }
}

/// One kind of devices in a store.
struct PostgresDevices<Record: DeviceRecord>: DeviceStore {
  let store: PostgresStore
  let table: DeviceTable<Record>

  func all(of account: UniversalID) async throws -> [Record] {
    try await table.devices(store.read([table.all(of: AccountKey(account))])[0], store.serverKey)
  }

  func rename(_ uuid: String, of account: UniversalID, to name: String) async throws -> Record? {
    let key = AccountKey(account)
    let answers = try await store.change(
      "\(table.noun) \(uuid) of \(account.username)",
      Statement(
        "UPDATE \(table.name) SET device_name = ? WHERE realm_key = ? AND name_key = ? AND uuid = ? RETURNING *",
        [name, key.realm, key.name, uuid]))
    return try table.devices(answers[0], store.serverKey).first
  }

  func delete(_ uuid: String, of account: UniversalID) async throws -> Record? {
    let key = AccountKey(account)
    return try await store.write("\(table.noun) \(uuid) of \(account.username)") {
      [table, serverKey = store.serverKey] transaction in
      let answers = try await transaction.run([.lock(key), table.delete(uuid, of: key)])
      let deleted = try table.devices(answers[1], serverKey).first
      if deleted != nil, let forgetting = table.forgetRecoveryCodes(of: key) { transaction.later(forgetting) }
      return deleted
    }
  }

  func reset(_ account: UniversalID) async throws -> [Record] {
    let key = AccountKey(account)
    return try await store.write("\(table.noun)s of \(account.username)") {
      [table, serverKey = store.serverKey] transaction in
      let answers = try await transaction.run([.lock(key), table.delete(nil, of: key)])
      for statement in [table.set(.notSet, of: key), table.forgetRecoveryCodes(of: key)] {
        if let statement { transaction.later(statement) }
      }
      return try table.devices(answers[1], serverKey)
    }
  }

  func skipSetting(of account: UniversalID) async throws -> SkipSetting {
    guard let statement = table.skipSetting(of: AccountKey(account)) else { return .notSet }
    return try await store.read([statement])[0].all(table.choices ?? "") { row -> SkipSetting in
      try row.known("skip")
    }.first ?? .notSet
  }

  func set(_ setting: SkipSetting, of account: UniversalID) async throws -> Bool {
    guard let statement = table.set(setting, of: AccountKey(account)) else { return false }
    return try await store.change(
      "the choice of \(account.username) to do without \(table.noun)", statement)[0].count == 1
  }
}
