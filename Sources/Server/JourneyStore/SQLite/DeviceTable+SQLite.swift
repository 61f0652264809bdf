internal import BindingFormats
internal import GRDB

/// What is done with all kinds of devices in the same way.
extension DeviceTable {
  private var ofAccount: String { "realm_key = ? AND name_key = ?" }

  // MARK: Reading

  func devices(of key: AccountKey, _ serverKey: ServerKey, in db: Database) throws -> [Record] {
    try all(
      "SELECT \(columns) FROM \(name) WHERE \(ofAccount) ORDER BY created_date DESC, rowid DESC",
      [key.realm, key.name], serverKey, in: db)
  }

  func device(_ uuid: String, of key: AccountKey, _ serverKey: ServerKey, in db: Database) throws -> Record? {
    try all(one(uuid, of: key), serverKey, in: db).first
  }

  /// The device of the realm that has the value in a column that is unique there.
  func device(
    _ column: String, _ value: some StoredValueConvertible, in realm: RealmKey, _ serverKey: ServerKey,
    _ db: Database
  ) throws -> Record? {
    try all(one(with: column, value, in: realm), serverKey, in: db).first
  }

  func count(of key: AccountKey, in db: Database) throws -> Int {
    let statement = count(of: key)
    return try db.all(name, statement.sql, statement.values) { try $0.integer() }.first ?? 0
  }

  // MARK: Adding

  /// What keeps the device from being added now; `nil` when nothing does. The caller's transaction holds the write lock, so
  /// nothing changes between this question and ``add(_:limit:_:in:)``.
  func obstacle(to row: NewRow, of key: AccountKey, limit: DeviceLimit, in db: Database) throws
    -> DeviceObstacle?
  {
    guard try db.flag(key.isThere(id: limit.accountID)) else { return .noSuchUser }
    guard try !db.flag(duplicate(row, of: key)) else { return .duplicate }
    guard try count(of: key, in: db) < limit.count else { return .limitReached }
    guard try !limit.onlyAsFirstFactor || !db.flag(key.hasFactors) else { return .notFirst }
    return nil
  }

  /// Adds the device, unless something keeps it from being added.
  func add(
    _ device: Record, limit: DeviceLimit, _ serverKey: ServerKey, in db: Database
  ) throws -> DeviceObstacle? {
    let key = AccountKey(username: device.username, realm: device.realm)
    let row = try row(device, serverKey)
    if let obstacle = try obstacle(to: row, of: key, limit: limit, in: db) { return obstacle }
    return try db.insert(row, into: name, of: key) ? nil : .noSuchUser
  }

  // MARK: Changing

  func rename(
    _ uuid: String, of key: AccountKey, to newName: String, _ serverKey: ServerKey, in db: Database
  ) throws -> Record? {
    try all(rename(uuid, of: key, to: newName), serverKey, in: db).first
  }

  /// - Parameter uuid: `nil` for all of the account.
  func delete(
    _ uuid: String?, of key: AccountKey, _ serverKey: ServerKey, in db: Database
  ) throws -> [Record] {
    let deleted = try all(delete(uuid, of: key), serverKey, in: db)
    if !deleted.isEmpty || uuid == nil, let forgetting = forgetRecoveryCodes(of: key) {
      try db.change(forgetting.sql, forgetting.values)
    }
    return deleted
  }

  // MARK: Doing without

  func skipSetting(of key: AccountKey, in db: Database) throws -> SkipSetting {
    guard let statement = skipSetting(of: key) else { return .notSet }
    return try db.all(choices ?? "", statement.sql, statement.values) { row -> SkipSetting in
      try row.known("skip")
    }.first ?? .notSet
  }

  /// - Returns: whether there is such an account.
  func set(_ setting: SkipSetting, of key: AccountKey, in db: Database) throws -> Bool {
    guard let statement = set(setting, of: key) else { return false }
    return try db.change(statement.sql, statement.values) == 1
  }

  private func all(
    _ sql: String, _ arguments: StatementValues, _ serverKey: ServerKey, in db: Database
  ) throws -> [Record] {
    try db.all(name, sql, arguments) { try record($0, serverKey) }
  }

  private func all(
    _ statement: SharedStatement, _ serverKey: ServerKey, in db: Database
  ) throws -> [Record] {
    try all(statement.sql, statement.values, serverKey, in: db)
  }
}

// MARK: - The store's side

/// One kind of devices in a store.
struct SQLiteDevices<Record: DeviceRecord>: DeviceStore {
  let store: SQLiteStore
  let table: DeviceTable<Record>

  func all(of account: UniversalID) async throws -> [Record] {
    try await store.look { [table, key = store.serverKey] in
      try table.devices(of: AccountKey(account), key, in: $0)
    }
  }

  func rename(_ uuid: String, of account: UniversalID, to name: String) async throws -> Record? {
    try await store.write("\(table.noun) \(uuid) of \(account.username)") { [table, key = store.serverKey] in
      try table.rename(uuid, of: AccountKey(account), to: name, key, in: $0)
    }
  }

  func delete(_ uuid: String, of account: UniversalID) async throws -> Record? {
    try await store.write("\(table.noun) \(uuid) of \(account.username)") { [table, key = store.serverKey] in
      try table.delete(uuid, of: AccountKey(account), key, in: $0).first
    }
  }

  func reset(_ account: UniversalID) async throws -> [Record] {
    try await store.write("\(table.noun)s of \(account.username)") { [table, key = store.serverKey] db in
      _ = try table.set(.notSet, of: AccountKey(account), in: db)
      return try table.delete(nil, of: AccountKey(account), key, in: db)
    }
  }

  func skipSetting(of account: UniversalID) async throws -> SkipSetting {
    try await store.look { [table] in try table.skipSetting(of: AccountKey(account), in: $0) }
  }

  func set(_ setting: SkipSetting, of account: UniversalID) async throws -> Bool {
    try await store.write("the choice of \(account.username) to do without \(table.noun)") { [table] in
      try table.set(setting, of: AccountKey(account), in: $0)
    }
  }
}
