public import Foundation
internal import GRDB

extension SQLiteStore {
  public var pushDevices: any DeviceStore<PushDeviceRecord> { SQLiteDevices(store: self, table: .push) }

  public func pushDevice(mechanismUID: String, realm: String) async throws -> PushDeviceRecord? {
    let (key, serverKey) = (RealmKey(realm), serverKey)
    return try await read {
      try DeviceTable.push.device("mechanism_uid", mechanismUID, in: key, serverKey, $0)
    }
  }

  public func refreshPushDevice(
    mechanismUID: String, realm: String, with refresh: PushDeviceRefresh
  ) async throws -> Bool {
    let arguments: StatementArguments = [
      "realm": RealmKey(realm).realm, "mechanism": mechanismUID, "token": refresh.deviceToken,
      "communicationID": refresh.communicationID, "communicationType": refresh.communicationType,
      "deviceType": refresh.deviceType, "name": refresh.deviceName,
      "signedAt": refresh.issuedAt?.timeIntervalSince1970,
    ]
    return try await write("the push device \(mechanismUID)") {
      try $0.change(PushDeviceSQL.refresh, arguments) == 1
    }
  }

  public func retirePushToken(
    mechanismUID: String, realm: String, token: String, at date: Date
  ) async throws -> Bool {
    let arguments: StatementArguments = [
      "realm": RealmKey(realm).realm, "mechanism": mechanismUID, "token": token,
      "date": date.timeIntervalSince1970,
    ]
    return try await write("the push device \(mechanismUID)") {
      try $0.change(PushDeviceSQL.retire, arguments) == 1
    }
  }

  /// Sets the device's last access; in the transaction of the caller.
  static func noteUse(ofPushDevice mechanismUID: String, realm: String, at date: Date, in db: Database) throws
  {
    _ = try db.change(
      """
      UPDATE push_devices SET last_access_date = max(last_access_date, ?)
      WHERE realm_key = ? AND mechanism_uid = ?
      """, [date.timeIntervalSince1970, realm, mechanismUID])
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
}

extension DeviceTable<PushDeviceRecord> {
  static var push: Self {
    DeviceTable(
      name: "push_devices", noun: "the push device", unique: ["mechanism_uid"], isUniqueInRealm: true,
      recoveryCodes: "PUSH", choices: "push_accounts",
      row: { device, serverKey in
        NewRow([
          "uuid": device.uuid, "device_name": device.deviceName, "mechanism_uid": device.mechanismUID,
          "issuer": device.issuer,
          "sealed": try serverKey.seal(device.sharedSecret.reveal(), named: secretName(device.mechanismUID)),
          "communication_type": device.communicationType, "communication_id": device.communicationID,
          "device_type": device.deviceType, "device_token": device.deviceToken,
          "created_date": device.createdDate.timeIntervalSince1970,
          "last_access_date": device.lastAccessDate.timeIntervalSince1970,
          "token_retired_at": device.tokenRetiredAt?.timeIntervalSince1970,
        ])
      },
      record: { row, serverKey in
        let mechanismUID = try row.text("mechanism_uid")
        return PushDeviceRecord(
          uuid: try row.text("uuid"), realm: try row.text("realm"), username: try row.text("username"),
          deviceName: try row.text("device_name"), mechanismUID: mechanismUID, issuer: try row.text("issuer"),
          sharedSecret: StoredSecret(
            try serverKey.open(try row.bytes("sealed"), named: secretName(mechanismUID), in: "push_devices")),
          communicationType: try row.text("communication_type"),
          communicationID: try row.text("communication_id"), deviceType: try row.text("device_type"),
          deviceToken: try row.text("device_token"), createdDate: try row.date("created_date"),
          lastAccessDate: try row.date("last_access_date"),
          tokenRetiredAt: try row.optionalDate("token_retired_at"))
      })
  }

  private static func secretName(_ mechanismUID: String) -> String { "push device \(mechanismUID)" }
}
