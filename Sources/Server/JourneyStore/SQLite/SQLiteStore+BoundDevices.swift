internal import Foundation
internal import GRDB
internal import StrictJSON

extension SQLiteStore {
  public func addBoundDevice(
    _ device: BoundDeviceRecord, limit: DeviceLimit
  ) async throws -> BoundDeviceAddition {
    try await write("the device \(device.uuid) of \(device.username)") { [quotas] db in
      try Self.add(device, limit: quotas.deviceLimit(limit), in: db)
    }
  }

  static func add(
    _ device: BoundDeviceRecord, limit: DeviceLimit, in db: Database
  ) throws -> BoundDeviceAddition {
    let key = AccountKey(username: device.username, realm: device.realm)
    // The transaction holds the write lock, so nothing changes between the question and the insertion.
    let (hasUser, isDuplicate, count) =
      try db.all(
        "bound_devices", DeviceSQL.mayAdd, [key.realm, key.name, device.uuid, device.thumbprint]
      ) { row in (try row.flag(), try row.flag(), try row.integer()) }.first ?? (false, false, 0)
    guard hasUser else { return .noSuchUser }
    guard !isDuplicate else { return .duplicate }
    guard limit.count <= 0 || count < limit.count else { return .limitReached }
    guard try !limit.onlyAsFirstFactor || !hasFactors(key, in: db) else { return .notFirst }
    _ = try db.change(DeviceSQL.insert, [key.realm, key.name] + device.values)
    return .added
  }

  public func boundDevices(username: String, realm: String) async throws -> [BoundDeviceRecord] {
    let key = AccountKey(username: username, realm: realm)
    return try await read { db in
      try db.all("bound_devices", DeviceSQL.ofUser, [key.realm, key.name], BoundDeviceRecord.init)
    }
  }

  public func boundDevice(uuid: String, username: String, realm: String) async throws -> BoundDeviceRecord? {
    let key = AccountKey(username: username, realm: realm)
    return try await read { db in try Self.boundDevice(uuid, of: key, in: db) }
  }

  private static func boundDevice(
    _ uuid: String, of key: AccountKey, in db: Database
  ) throws -> BoundDeviceRecord? {
    try db.all("bound_devices", DeviceSQL.one, [key.realm, key.name, uuid], BoundDeviceRecord.init).first
  }

  public func signer(uuid: String, username: String, realm: String) async throws -> SignerRecord? {
    let key = AccountKey(username: username, realm: realm)
    return try await read { db in
      guard let user = try Self.user(key, in: db) else { return nil }
      return SignerRecord(
        user: user, lockout: try Self.lockout(key, .signatures, in: db),
        device: try Self.boundDevice(uuid, of: key, in: db))
    }
  }

  public func renameBoundDevice(
    uuid: String, username: String, realm: String, to name: String
  ) async throws -> BoundDeviceRecord? {
    let key = AccountKey(username: username, realm: realm)
    return try await write("the device \(uuid) of \(username)") { db in
      try db.all(
        "bound_devices", DeviceSQL.rename, [name, key.realm, key.name, uuid], BoundDeviceRecord.init
      ).first
    }
  }

  public func deleteBoundDevice(
    uuid: String, username: String, realm: String
  ) async throws -> BoundDeviceRecord? {
    let key = AccountKey(username: username, realm: realm)
    return try await write("the device \(uuid) of \(username)") { db in
      try db.all("bound_devices", DeviceSQL.delete, [key.realm, key.name, uuid], BoundDeviceRecord.init).first
    }
  }
}

private enum DeviceSQL {
  static let columns = """
    uuid, realm, username, device_id, device_name, key, thumbprint, created_date, last_access_date, attestation
    """
  static let byUser = "realm_key = ? AND name_key = ?"
  static let byID = "\(byUser) AND uuid = ?"

  static let mayAdd = """
    SELECT EXISTS (SELECT 1 FROM users WHERE realm_key = ?1 AND name_key = ?2),
      EXISTS (SELECT 1 FROM bound_devices
        WHERE realm_key = ?1 AND name_key = ?2 AND (uuid = ?3 OR thumbprint = ?4)),
      (SELECT count(*) FROM bound_devices WHERE realm_key = ?1 AND name_key = ?2)
    """
  static let insert = """
    INSERT INTO bound_devices (realm_key, name_key, \(columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    """
  static let ofUser = """
    SELECT \(columns) FROM bound_devices WHERE \(byUser) ORDER BY created_date DESC, rowid DESC
    """
  static let one = "SELECT \(columns) FROM bound_devices WHERE \(byID)"
  static let rename = "UPDATE bound_devices SET device_name = ? WHERE \(byID) RETURNING \(columns)"
  static let delete = "DELETE FROM bound_devices WHERE \(byID) RETURNING \(columns)"
}

extension BoundDeviceRecord {
  /// In the order of ``DeviceSQL/columns``.
  fileprivate var values: StatementArguments {
    [
      uuid, realm, username, deviceID, deviceName, JSONValue.object(key).text, thumbprint,
      createdDate.timeIntervalSince1970, lastAccessDate.timeIntervalSince1970,
      attestation.map { JSONValue.object($0).text },
    ]
  }

  fileprivate init(_ row: inout StoredRow) throws {
    self.init(
      uuid: try row.text(), realm: try row.text(), username: try row.text(), deviceID: try row.text(),
      deviceName: try row.text(), key: try row.object(), thumbprint: try row.text(),
      createdDate: try row.date(), lastAccessDate: try row.date(), attestation: try row.optionalObject())
  }
}
