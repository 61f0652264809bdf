public import Foundation
internal import GRDB

extension SQLiteStore {
  public func pushDevices(username: String, realm: String) async throws -> [PushDeviceRecord] {
    let key = AccountKey(username: username, realm: realm)
    return try await readDevices(PushDeviceSQL.ofUser, [key.realm, key.name])
  }

  public func pushDevice(mechanismUID: String, realm: String) async throws -> PushDeviceRecord? {
    let key = AccountKey(username: "", realm: realm)
    return try await readDevices(PushDeviceSQL.ofMechanism, [key.realm, mechanismUID]).first
  }

  private func readDevices(_ sql: String, _ arguments: StatementArguments) async throws -> [PushDeviceRecord]
  {
    let serverKey = serverKey
    return try await read { db in
      try db.all("push_devices", sql, arguments) { try PushDeviceRecord(&$0, serverKey) }
    }
  }

  public func renamePushDevice(
    uuid: String, username: String, realm: String, to name: String
  ) async throws -> PushDeviceRecord? {
    let key = AccountKey(username: username, realm: realm)
    let serverKey = serverKey
    return try await write("the push device \(uuid)") { db in
      try db.all("push_devices", PushDeviceSQL.rename, [name, key.realm, key.name, uuid]) {
        try PushDeviceRecord(&$0, serverKey)
      }.first
    }
  }

  public func deletePushDevice(
    uuid: String, username: String, realm: String
  ) async throws -> PushDeviceRecord? {
    let key = AccountKey(username: username, realm: realm)
    return try await deletePushDevices(of: key, PushDeviceSQL.delete, [key.realm, key.name, uuid]).first
  }

  public func resetPush(username: String, realm: String) async throws -> [PushDeviceRecord] {
    let key = AccountKey(username: username, realm: realm)
    _ = try await setPushSkipSetting(.notSet, username: username, realm: realm)
    return try await deletePushDevices(of: key, PushDeviceSQL.deleteAll, [key.realm, key.name])
  }

  private func deletePushDevices(
    of key: AccountKey, _ sql: String, _ arguments: StatementArguments
  ) async throws -> [PushDeviceRecord] {
    let serverKey = serverKey
    return try await write("push devices of \(key.name)") { db in
      let deleted = try db.all("push_devices", sql, arguments) { try PushDeviceRecord(&$0, serverKey) }
      if !deleted.isEmpty {
        try Self.forgetRecoveryCodes(kind: "PUSH", unlessInUseBy: "push_devices", of: key, in: db)
      }
      return deleted
    }
  }

  public func refreshPushDevice(
    mechanismUID: String, realm: String, with refresh: PushDeviceRefresh
  ) async throws -> Bool {
    let key = AccountKey(username: "", realm: realm)
    return try await write("the push device \(mechanismUID)") { db in
      try db.change(
        PushDeviceSQL.refresh,
        [
          key.realm, mechanismUID, refresh.deviceToken, refresh.communicationID, refresh.communicationType,
          refresh.deviceType, refresh.deviceName, refresh.issuedAt?.timeIntervalSince1970,
        ]) == 1
    }
  }

  public func retirePushToken(
    mechanismUID: String, realm: String, token: String, at date: Date
  ) async throws -> Bool {
    let key = AccountKey(username: "", realm: realm)
    return try await write("the push device \(mechanismUID)") { db in
      try db.change(
        PushDeviceSQL.retire, [key.realm, mechanismUID, token, date.timeIntervalSince1970]) == 1
    }
  }

  public func pushSkipSetting(username: String, realm: String) async throws -> SkipSetting {
    let key = AccountKey(username: username, realm: realm)
    return try await read { db in
      try db.all(
        "push_accounts", "SELECT skip FROM push_accounts WHERE realm_key = ? AND name_key = ?",
        [key.realm, key.name]
      ) { try $0.integer() }.first.flatMap(SkipSetting.init(rawValue:)) ?? .notSet
    }
  }

  public func setPushSkipSetting(
    _ setting: SkipSetting, username: String, realm: String
  ) async throws -> Bool {
    let key = AccountKey(username: username, realm: realm)
    return try await write("the push setting of \(username)") { db in
      try db.change(PushDeviceSQL.setSkip, [key.realm, key.name, setting.rawValue]) == 1
    }
  }
}

enum PushDeviceSQL {
  private static let columns = """
    uuid, realm, username, device_name, mechanism_uid, issuer, sealed, communication_type, communication_id,
    device_type, device_token, created_date, last_access_date
    """
  private static let allColumns = "\(columns), token_retired_at"
  private static let byID = "realm_key = ? AND name_key = ? AND uuid = ?"

  /// The account's own spelling is stored.
  static let insert = """
    INSERT INTO push_devices (realm_key, name_key, \(columns))
    SELECT ?1, ?2, ?3, realm, username, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13
      FROM users WHERE realm_key = ?1 AND name_key = ?2
    """
  static let mayAdd = """
    SELECT EXISTS (SELECT 1 FROM push_devices WHERE realm_key = ?1 AND mechanism_uid = ?3),
      (SELECT count(*) FROM push_devices WHERE realm_key = ?1 AND name_key = ?2)
    """
  static let ofUser = """
    SELECT \(allColumns) FROM push_devices WHERE realm_key = ? AND name_key = ? ORDER BY created_date DESC, rowid DESC
    """
  static let ofMechanism = "SELECT \(allColumns) FROM push_devices WHERE realm_key = ? AND mechanism_uid = ?"
  static let rename = "UPDATE push_devices SET device_name = ? WHERE \(byID) RETURNING \(allColumns)"
  static let delete = "DELETE FROM push_devices WHERE \(byID) RETURNING \(allColumns)"
  static let deleteAll = """
    DELETE FROM push_devices WHERE realm_key = ? AND name_key = ? RETURNING \(allColumns)
    """

  /// Without a moment of its own, a body is taken while none with one was, or when it changes no token.
  static let refresh = """
    UPDATE push_devices SET device_token = ?3, communication_id = ?4, communication_type = ?5, device_type = ?6,
      device_name = coalesce(?7, device_name), refreshed_at = coalesce(?8, refreshed_at),
      token_retired_at = NULL
    WHERE realm_key = ?1 AND mechanism_uid = ?2
      AND (refreshed_at IS NULL OR (?8 > refreshed_at) IS TRUE OR (?8 IS NULL AND device_token = ?3))
    """
  static let retire = """
    UPDATE push_devices SET token_retired_at = ?4
    WHERE realm_key = ?1 AND mechanism_uid = ?2 AND device_token = ?3 AND token_retired_at IS NULL
      AND coalesce(refreshed_at, created_date) <= ?4
    """
  static let noteUse = """
    UPDATE push_devices SET last_access_date = max(last_access_date, ?) WHERE realm_key = ? AND mechanism_uid = ?
    """
  static let setSkip = """
    INSERT INTO push_accounts (realm_key, name_key, skip)
    SELECT realm_key, name_key, ?3 FROM users WHERE realm_key = ?1 AND name_key = ?2
    ON CONFLICT DO UPDATE SET skip = ?3
    """
}

extension PushDeviceRecord {
  /// For ``PushDeviceSQL/insert``, after the keys of the account.
  func values(_ serverKey: ServerKey) throws -> StatementArguments {
    [
      uuid, deviceName, mechanismUID, issuer,
      try serverKey.seal(sharedSecret.reveal(), named: Self.secretName(mechanismUID)), communicationType,
      communicationID, deviceType, deviceToken, createdDate.timeIntervalSince1970,
      lastAccessDate.timeIntervalSince1970,
    ]
  }

  private static func secretName(_ mechanismUID: String) -> String { "push device \(mechanismUID)" }

  fileprivate init(_ row: inout StoredRow, _ serverKey: ServerKey) throws {
    let uuid = try row.text()
    let realm = try row.text()
    let username = try row.text()
    let deviceName = try row.text()
    let mechanismUID = try row.text()
    let issuer = try row.text()
    let secret = try serverKey.open(try row.bytes(), named: Self.secretName(mechanismUID))
    self.init(
      uuid: uuid, realm: realm, username: username, deviceName: deviceName, mechanismUID: mechanismUID,
      issuer: issuer, sharedSecret: StoredSecret(secret), communicationType: try row.text(),
      communicationID: try row.text(), deviceType: try row.text(), deviceToken: try row.text(),
      createdDate: try row.date(), lastAccessDate: try row.date(), tokenRetiredAt: try row.optionalDate())
  }
}
