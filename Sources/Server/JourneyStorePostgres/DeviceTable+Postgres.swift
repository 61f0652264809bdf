internal import BindingFormats
internal import JourneyStore

extension DeviceTable {
  func devices(_ answer: Answer, _ serverKey: ServerKey) throws -> [Record] {
    try answer.all(name) { try record($0, serverKey) }
  }

  fileprivate func all(of key: AccountKey) -> Statement {
    Statement(
      "SELECT \(columns) FROM \(name) WHERE realm_key = ? AND name_key = ? ORDER BY created_date DESC, added_at DESC",
      [key.realm, key.name])
  }
}

extension Statement {
  init(_ shared: SharedStatement) { self.init(shared.sql, shared.values) }
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
      .lock(key, id: limit.accountID), Statement(table.duplicate(row, of: key)),
      Statement(table.count(of: key)),
      Statement(key.hasFactors),
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
    let answers = try await store.change(
      "\(table.noun) \(uuid) of \(account.username)",
      Statement(table.rename(uuid, of: AccountKey(account), to: name)))
    return try table.devices(answers[0], store.serverKey).first
  }

  func delete(_ uuid: String, of account: UniversalID) async throws -> Record? {
    let key = AccountKey(account)
    return try await store.write("\(table.noun) \(uuid) of \(account.username)") {
      [table, serverKey = store.serverKey] transaction in
      let answers = try await transaction.run([.lock(key), Statement(table.delete(uuid, of: key))])
      let deleted = try table.devices(answers[1], serverKey).first
      if deleted != nil, let forgetting = table.forgetRecoveryCodes(of: key) {
        transaction.later(Statement(forgetting))
      }
      return deleted
    }
  }

  func reset(_ account: UniversalID) async throws -> [Record] {
    let key = AccountKey(account)
    return try await store.write("\(table.noun)s of \(account.username)") {
      [table, serverKey = store.serverKey] transaction in
      let answers = try await transaction.run([.lock(key), Statement(table.delete(nil, of: key))])
      for statement in [table.set(.notSet, of: key), table.forgetRecoveryCodes(of: key)] {
        if let statement { transaction.later(Statement(statement)) }
      }
      return try table.devices(answers[1], serverKey)
    }
  }

  func skipSetting(of account: UniversalID) async throws -> SkipSetting {
    guard let statement = table.skipSetting(of: AccountKey(account)) else { return .notSet }
    return try await store.read([Statement(statement)])[0].all(table.choices ?? "") { row -> SkipSetting in
      try row.known("skip")
    }.first ?? .notSet
  }

  func set(_ setting: SkipSetting, of account: UniversalID) async throws -> Bool {
    guard let statement = table.set(setting, of: AccountKey(account)) else { return false }
    return try await store.change(
      "the choice of \(account.username) to do without \(table.noun)", Statement(statement))[0].count == 1
  }
}
