public import Foundation
internal import GRDB
internal import StrictJSON

extension SQLiteStore {
  public func pushDevice(mechanismUID: String, realm: String) async throws -> PushDeviceRecord? {
    try await look { [serverKey] in
      try DeviceTable.push.device("mechanism_uid", mechanismUID, in: RealmKey(realm), serverKey, $0)
    }
  }

  public func refreshPushDevice(
    mechanismUID: String, realm: String, with refresh: PushDeviceRefresh
  ) async throws -> Bool {
    let values = refresh.values(mechanismUID: mechanismUID, RealmKey(realm))
    return try await write("the push device \(mechanismUID)") {
      try $0.change(SharedSQL.refreshPushDevice, values) == 1
    }
  }

  public func retirePushToken(
    mechanismUID: String, realm: String, token: String, at date: Date
  ) async throws -> Bool {
    let values: StatementValues = [
      "realm": RealmKey(realm).realm, "mechanism": mechanismUID, "token": token, "date": date,
    ]
    return try await write("the push device \(mechanismUID)") {
      try $0.change(SharedSQL.retirePushToken, values) == 1
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
  static let existing = """
    SELECT realm, mechanism_uid FROM push_devices WHERE mechanism_uid IN (SELECT value FROM json_each(?))
    """
}
