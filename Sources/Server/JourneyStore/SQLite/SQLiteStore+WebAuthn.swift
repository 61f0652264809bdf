internal import Foundation
internal import GRDB
internal import StrictJSON

extension SQLiteStore {
  public var webAuthnDevices: any DeviceStore<WebAuthnDeviceRecord> {
    SQLiteDevices(store: self, table: .webAuthn)
  }

  public func addWebAuthnDevice(
    _ device: WebAuthnDeviceRecord, limit: DeviceLimit
  ) async throws -> WebAuthnDeviceAddition {
    try await write("the WebAuthn device \(device.uuid) of \(device.username)") { [quotas, serverKey] db in
      switch try DeviceTable.webAuthn.add(device, limit: quotas.deviceLimit(limit), serverKey, in: db) {
      case nil: .added
      case .noSuchUser: .noSuchUser
      case .duplicate: .duplicate
      case .limitReached: .limitReached
      case .notFirst: .notFirst
      }
    }
  }

  public func webAuthnDevice(
    credentialID: [UInt8], realm: String
  ) async throws -> WebAuthnDeviceRecord? {
    let (key, serverKey) = (RealmKey(realm), serverKey)
    return try await read {
      try DeviceTable.webAuthn.device("credential_id", Data(credentialID), in: key, serverKey, $0)
    }
  }

  public func recordWebAuthnUse(
    _ use: WebAuthnUse, credentialID: [UInt8], realm: String
  ) async throws -> WebAuthnUseResult {
    let key = RealmKey(realm)
    let arguments: StatementArguments = [
      "realm": key.realm, "credential": Data(credentialID), "count": Int64(use.signCount),
      "isBackedUp": use.isBackedUp, "isVerified": use.isUserVerified,
      "now": use.date.timeIntervalSince1970,
    ]
    return try await write("the use of a WebAuthn device") { db in
      if try db.change(WebAuthnSQL.useAndAdvance, arguments) == 1 { return .recorded }
      return try db.change(WebAuthnSQL.use, arguments) == 1 ? .counterNotAdvanced : .noSuchDevice
    }
  }
}

private enum WebAuthnSQL {
  static let use = """
    UPDATE webauthn_devices SET is_backed_up = :isBackedUp AND is_backup_eligible,
      is_uv_initialized = is_uv_initialized OR :isVerified, last_access_date = max(last_access_date, :now),
      sign_count = max(sign_count, :count)
      WHERE realm_key = :realm AND credential_id = :credential
    """
  static let useAndAdvance = "\(use) AND (sign_count < :count OR (sign_count = 0 AND :count = 0))"
}

extension DeviceTable<WebAuthnDeviceRecord> {
  static var webAuthn: Self {
    DeviceTable(
      name: "webauthn_devices", noun: "the WebAuthn device", unique: ["credential_id"], isUniqueInRealm: true,
      recoveryCodes: "WEB_AUTHN",
      row: { device, _ in
        NewRow([
          "uuid": device.uuid, "device_name": device.deviceName, "credential_id": Data(device.credentialID),
          "public_key": Data(device.publicKey), "sign_count": Int64(device.signCount),
          "user_handle": Data(device.userHandle), "relying_party_id": device.relyingPartyID,
          "aaguid": device.aaguid, "attestation_format": device.attestationFormat,
          "attestation_type": device.attestationType, "attachment": device.attachment,
          "transports": JSONValue.array(device.transports.map(JSONValue.string)).text,
          "is_backup_eligible": device.isBackupEligible, "is_backed_up": device.isBackedUp,
          "is_uv_initialized": device.isUserVerificationInitialized,
          "created_date": device.createdDate.timeIntervalSince1970,
          "last_access_date": device.lastAccessDate.timeIntervalSince1970,
        ])
      },
      record: { row, _ in
        WebAuthnDeviceRecord(
          uuid: try row.text("uuid"), realm: try row.text("realm"), username: try row.text("username"),
          deviceName: try row.text("device_name"), credentialID: try row.bytes("credential_id"),
          publicKey: try row.bytes("public_key"), signCount: try row.counter("sign_count"),
          userHandle: try row.bytes("user_handle"), relyingPartyID: try row.text("relying_party_id"),
          aaguid: try row.text("aaguid"), attestationFormat: try row.text("attestation_format"),
          attestationType: try row.text("attestation_type"), attachment: try row.optionalText("attachment"),
          transports: try row.strings("transports"), isBackupEligible: try row.flag("is_backup_eligible"),
          isBackedUp: try row.flag("is_backed_up"),
          isUserVerificationInitialized: try row.flag("is_uv_initialized"),
          createdDate: try row.date("created_date"), lastAccessDate: try row.date("last_access_date"))
      })
  }
}
