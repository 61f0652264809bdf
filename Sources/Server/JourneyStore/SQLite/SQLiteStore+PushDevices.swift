public import Foundation
internal import GRDB
internal import StrictJSON

extension SQLiteStore {
  public func pushDevice(mechanismUID: String, realm: String) async throws -> PushDeviceRecord? {
    try await read { [serverKey] in
      try DeviceTable.push.device("mechanism_uid", mechanismUID, in: RealmKey(realm), serverKey, $0)
    }
  }

  public func refreshPushDevice(
    mechanismUID: String, realm: String, with refresh: PushDeviceRefresh
  ) async throws -> Bool {
    let values = refresh.values(mechanismUID: mechanismUID, RealmKey(realm))
    return try await write("the push device \(mechanismUID)") {
      try $0.change(PushDeviceSQL.refresh, values) == 1
    }
  }

  public func retirePushToken(
    mechanismUID: String, realm: String, token: String, at date: Date
  ) async throws -> Bool {
    let values: StatementValues = [
      "realm": RealmKey(realm).realm, "mechanism": mechanismUID, "token": token, "date": date,
    ]
    return try await write("the push device \(mechanismUID)") {
      try $0.change(PushDeviceSQL.retire, values) == 1
    }
  }

  /// Sets the device's last access; in the transaction of the caller.
  static func noteUse(ofPushDevice mechanismUID: String, realm: String, at date: Date, in db: Database) throws
  {
    try db.change(
      """
      UPDATE push_devices SET last_access_date = max(last_access_date, ?)
      WHERE realm_key = ? AND mechanism_uid = ?
      """, [date, realm, mechanismUID])
  }

  public func existingPushDevices(among addresses: Set<PushAddress>) async throws -> Set<PushAddress> {
    let names = JSONValue.strings(addresses.map(\.mechanismUID))
    return try await read { db in
      Set(try db.all("push_devices", PushDeviceSQL.existing, [names], PushAddress.init))
    }.intersection(addresses)
  }
}

private enum PushDeviceSQL {
  /// An undated refresh is accepted only while no dated one is stored, or when the token stays the same.
  static let refresh = """
    UPDATE push_devices SET device_token = :token, communication_id = :communicationID,
      communication_type = :communicationType, device_type = :deviceType,
      device_name = coalesce(:name, device_name), refreshed_at = coalesce(:signedAt, refreshed_at),
      token_retired_at = NULL
    WHERE realm_key = :realm AND mechanism_uid = :mechanism
      AND (refreshed_at IS NULL OR (:signedAt > refreshed_at) IS TRUE
        OR (:signedAt IS NULL AND device_token = :token))
    """
  static let retire = """
    UPDATE push_devices SET token_retired_at = :date
    WHERE realm_key = :realm AND mechanism_uid = :mechanism AND device_token = :token
      AND token_retired_at IS NULL AND coalesce(refreshed_at, created_date) <= :date
    """
  static let existing = """
    SELECT realm, mechanism_uid FROM push_devices WHERE mechanism_uid IN (SELECT value FROM json_each(?))
    """
}
