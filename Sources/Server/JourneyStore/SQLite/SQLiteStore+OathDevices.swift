public import Foundation
internal import GRDB
internal import OATH

extension SQLiteStore {
  public func oathDevices(username: String, realm: String) async throws -> [OathDeviceRecord] {
    let key = AccountKey(username: username, realm: realm)
    let serverKey = serverKey
    return try await read { db in
      try db.all("oath_devices", OathSQL.ofUser, [key.realm, key.name]) {
        try OathDeviceRecord(&$0, serverKey)
      }
    }
  }

  public func addOathDevice(_ device: OathDeviceRecord, limit: DeviceLimit) async throws -> Bool {
    let key = AccountKey(username: device.username, realm: device.realm)
    let serverKey = serverKey
    let limit = quotas.deviceLimit(limit)
    return try await write("the authenticator \(device.uuid) of \(device.username)") { db in
      guard try !limit.onlyAsFirstFactor || !Self.hasFactors(key, in: db) else { return false }
      return try Self.insertOathDevice(device, key, limit: limit.count, serverKey, in: db)
    }
  }

  /// Inserts in the transaction of the caller; `false` when the limit is reached.
  static func insertOathDevice(
    _ device: OathDeviceRecord, _ key: AccountKey, limit: Int, _ serverKey: ServerKey, in db: Database
  ) throws -> Bool {
    let values = try device.values(serverKey)
    if try db.change(OathSQL.insert, [key.realm, key.name, limit] + values) == 1 { return true }
    let isKnown = try db.all("users", OathSQL.userExists, [key.realm, key.name]) { try $0.flag() }.first
    guard isKnown == true else {
      throw StoreError.missing("the account \(device.username) of realm \(device.realm)")
    }
    return false
  }

  static func hasOathDevice(_ key: AccountKey, in db: Database) throws -> Bool {
    try db.all("oath_devices", OathSQL.hasDevice, [key.realm, key.name]) { try $0.flag() }.first ?? false
  }

  public func renameOathDevice(
    uuid: String, username: String, realm: String, to name: String
  ) async throws -> OathDeviceRecord? {
    let key = AccountKey(username: username, realm: realm)
    let serverKey = serverKey
    return try await write("the authenticator \(uuid)") { db in
      try db.all("oath_devices", OathSQL.rename, [name, key.realm, key.name, uuid]) {
        try OathDeviceRecord(&$0, serverKey)
      }.first
    }
  }

  public func deleteOathDevice(
    uuid: String, username: String, realm: String
  ) async throws -> OathDeviceRecord? {
    let key = AccountKey(username: username, realm: realm)
    let serverKey = serverKey
    return try await write("the authenticator \(uuid)") { db in
      let deleted = try db.all("oath_devices", OathSQL.delete, [key.realm, key.name, uuid]) {
        try OathDeviceRecord(&$0, serverKey)
      }.first
      if deleted != nil {
        try Self.forgetRecoveryCodes(kind: "OATH", unlessInUseBy: "oath_devices", of: key, in: db)
      }
      return deleted
    }
  }

  public func resetOath(username: String, realm: String) async throws -> Int {
    let key = AccountKey(username: username, realm: realm)
    return try await write("the authenticators of \(username)") { db in
      _ = try db.change(OathSQL.forgetSkip, [key.realm, key.name])
      let count = try db.change(OathSQL.deleteAll, [key.realm, key.name])
      try Self.forgetRecoveryCodes(kind: "OATH", unlessInUseBy: "oath_devices", of: key, in: db)
      return count
    }
  }

  public func oathSkipSetting(username: String, realm: String) async throws -> SkipSetting {
    let key = AccountKey(username: username, realm: realm)
    return try await read { db in
      try db.all(
        "oath_accounts", "SELECT skip FROM oath_accounts WHERE realm_key = ? AND name_key = ?",
        [key.realm, key.name]
      ) { try $0.integer() }.first.flatMap(SkipSetting.init(rawValue:)) ?? .notSet
    }
  }

  public func setOathSkipSetting(
    _ setting: SkipSetting, username: String, realm: String
  ) async throws -> Bool {
    let key = AccountKey(username: username, realm: realm)
    return try await write("the setting of one-time codes of \(username)") { db in
      try db.change(OathSQL.setSkip, [key.realm, key.name, setting.rawValue]) == 1
    }
  }
}

// MARK: - Codes

extension SQLiteStore {
  public func acceptOathCode(
    uuid: String, username: String, realm: String, device: String?, factor: UInt64, drift: Int, now: Date
  ) async throws -> OathAcceptance {
    let scope = LockoutScope(.guesses, device: device)
    let key = AccountKey(username: username, realm: realm)
    guard let factor = Int64(exactly: factor), factor < Int64.max else { return .used }
    return try await write("a one-time code of \(username)") { db in
      // The transaction holds the write lock, so no failure is counted between the question and the acceptance.
      guard try !Self.lockout(key, scope, in: db).isLocked(at: now) else { return .locked }
      let accepted = try db.change(
        OathSQL.accept, [key.realm, key.name, uuid, factor, drift, now.timeIntervalSince1970])
      guard accepted == 1 else { return .used }
      for ofCodes in [false, true] { try Self.forgetFailures(of: key, scope, ofCodes: ofCodes, in: db) }
      return .accepted
    }
  }

  public func recordWrongOathCode(
    username: String, realm: String, device: String?, policy: LockoutPolicy, now: Date
  ) async throws {
    let key = AccountKey(username: username, realm: realm)
    let scope = LockoutScope(.guesses, device: device)
    try await write("a wrong one-time code of \(username)") { db in
      for ofCodes in [false, true] {
        try Self.recordFailure(key, scope, ofCodes: ofCodes, policy: policy, now: now, in: db)
      }
    }
  }
}

private enum OathSQL {
  private static let columns = """
    uuid, realm, username, device_name, sealed, period, hash, digits, truncation_offset, adds_checksum,
    next_factor, drift, created_date, last_access_date
    """
  private static let byID = "realm_key = ? AND name_key = ? AND uuid = ?"
  private static let ofAccount = "realm_key = ?1 AND name_key = ?2"

  /// The account's own spelling is stored.
  static let insert = """
    INSERT INTO oath_devices (realm_key, name_key, \(columns))
    SELECT ?1, ?2, ?4, realm, username, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15
      FROM users WHERE \(ofAccount)
      AND (SELECT count(*) FROM oath_devices WHERE \(ofAccount)) < ?3
    """
  static let userExists = "SELECT EXISTS (SELECT 1 FROM users WHERE \(ofAccount))"
  static let hasDevice = "SELECT EXISTS (SELECT 1 FROM oath_devices WHERE \(ofAccount))"
  static let ofUser = """
    SELECT \(columns) FROM oath_devices WHERE \(ofAccount) ORDER BY created_date DESC, rowid DESC
    """
  static let rename = "UPDATE oath_devices SET device_name = ? WHERE \(byID) RETURNING \(columns)"
  static let delete = "DELETE FROM oath_devices WHERE \(byID) RETURNING \(columns)"
  static let deleteAll = "DELETE FROM oath_devices WHERE \(ofAccount)"
  static let accept = """
    UPDATE oath_devices SET next_factor = ?4 + 1, drift = ?5, last_access_date = max(last_access_date, ?6)
    WHERE \(ofAccount) AND uuid = ?3 AND next_factor <= ?4
    """
  static let forgetSkip = "DELETE FROM oath_accounts WHERE \(ofAccount)"
  static let setSkip = """
    INSERT INTO oath_accounts (realm_key, name_key, skip)
    SELECT realm_key, name_key, ?3 FROM users WHERE \(ofAccount)
    ON CONFLICT DO UPDATE SET skip = ?3
    """
}

extension OathDeviceRecord {
  private static func secretName(_ uuid: String) -> String { "authenticator \(uuid)" }

  /// For ``OathSQL/insert``, after the keys of the account and the limit.
  fileprivate func values(_ serverKey: ServerKey) throws -> StatementArguments {
    var period: Int?
    if case .time(let seconds) = profile.factor { period = seconds }
    return [
      uuid, deviceName, try serverKey.seal(secret.reveal(), named: Self.secretName(uuid)), period,
      profile.hash.rawValue, profile.digits.rawValue, profile.truncationOffset, profile.addsChecksum,
      Int64(clamping: nextFactor), drift, createdDate.timeIntervalSince1970,
      lastAccessDate.timeIntervalSince1970,
    ]
  }

  fileprivate init(_ row: inout StoredRow, _ serverKey: ServerKey) throws {
    let uuid = try row.text()
    let realm = try row.text()
    let username = try row.text()
    let deviceName = try row.text()
    let secret = try serverKey.open(
      try row.bytes(), named: Self.secretName(uuid), in: "oath_devices")
    let period = try row.optionalInteger()
    let hash = OATHProfile.Hash(rawValue: try row.text())
    let digits = OATHProfile.Digits(rawValue: try row.integer())
    let offset = try row.optionalInteger()
    let addsChecksum = try row.flag()
    guard let hash, let digits, let next = UInt64(exactly: try row.integer()) else {
      throw StoreError.corrupt(
        "table oath_devices, realm \(realm), username \(username), uuid \(uuid): a column has no known value")
    }
    self.init(
      uuid: uuid, realm: realm, username: username, deviceName: deviceName, secret: StoredSecret(secret),
      profile: OATHProfile(
        factor: period.map { .time(period: $0) } ?? .counter, hash: hash, digits: digits,
        truncationOffset: offset, addsChecksum: addsChecksum),
      nextFactor: next, drift: try row.integer(), createdDate: try row.date(),
      lastAccessDate: try row.date())
  }
}
