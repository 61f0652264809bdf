internal import Foundation
internal import OATH
internal import StrictJSON

/// The table of one kind of devices.
package struct DeviceTable<Record: DeviceRecord>: Sendable {
  let table: StoreTable

  package var name: String { table.name }

  /// The name of one device in error messages.
  package let noun: String

  /// Columns whose values no two devices share, each by itself.
  package let unique: [String]

  /// Whether ``unique`` counts in the whole realm, not only among one user's devices.
  package var isUniqueInRealm = false

  /// The kind of the recovery codes that replace the devices and are deleted with the last one; `nil` for no recovery codes.
  package var recoveryCodes: String?

  /// The table whose column `skip` says whether an account may do without the kind; `nil` when none does.
  package var choices: String?

  /// The row of a record without the account, whose spelling the account's own record decides.
  package let row: @Sendable (Record) throws -> StatementValues
  package let record: @Sendable (StoredRow) throws -> Record

  /// The columns that ``record`` reads.
  package var columns: String { table.readColumns }
}

extension OathDeviceRecord {
  /// Whether the device was added.
  package func wasAdded(_ addition: DeviceAddition) throws -> Bool {
    switch addition {
    case .added: return true
    case .limitReached, .notFirst: return false
    case .duplicate, .replayed: throw StoreError.conflict("the authenticator \(uuid) of \(username)")
    case .noSuchUser: throw StoreError.missing("the account \(username) of realm \(realm)")
    }
  }
}

extension PushDeviceRecord {
  /// The outcome of the enrolment that adds the device.
  package func enrolmentResult(_ addition: DeviceAddition) throws -> PushEnrolmentResult {
    switch addition {
    case .added: return .added
    case .duplicate, .replayed: return .duplicate
    case .limitReached, .notFirst: return .limitReached
    case .noSuchUser: throw StoreError.missing("the account \(username) of realm \(realm)")
    }
  }
}

extension DeviceTable<BoundDeviceRecord> {
  package static var bound: Self {
    DeviceTable(
      table: .boundDevices, noun: "the device", unique: ["uuid", "thumbprint"],
      row: { device in
        [
          "uuid": device.uuid, "device_id": device.deviceID, "device_name": device.deviceName,
          "key": device.key, "thumbprint": device.thumbprint, "created_date": device.createdDate,
          "last_access_date": device.lastAccessDate, "attestation": device.attestation,
        ]
      },
      record: { row in
        try BoundDeviceRecord(
          uuid: row.text("uuid"), realm: row.text("realm"), username: row.text("username"),
          deviceID: row.text("device_id"), deviceName: row.text("device_name"), key: row.object("key"),
          thumbprint: row.text("thumbprint"), createdDate: row.date("created_date"),
          lastAccessDate: row.date("last_access_date"), attestation: row.optionalObject("attestation"))
      })
  }
}

extension DeviceTable<OathDeviceRecord> {
  package static func oath(_ serverKey: ServerKey) -> Self {
    DeviceTable(
      table: .oathDevices, noun: "the authenticator", unique: ["uuid"], recoveryCodes: "OATH",
      choices: "oath_accounts",
      row: { device in
        [
          "uuid": device.uuid, "device_name": device.deviceName,
          "sealed": try StoreTable.oathDevices.seal(device.secret.reveal(), of: device.uuid, serverKey),
          "period": device.profile.period, "hash": device.profile.hash.rawValue,
          "digits": device.profile.digits.rawValue,
          "truncation_offset": device.profile.truncationOffset, "adds_checksum": device.profile.addsChecksum,
          "next_factor": device.nextFactor, "drift": device.drift, "created_date": device.createdDate,
          "last_access_date": device.lastAccessDate,
        ]
      },
      record: { row in
        let uuid = try row.text("uuid")
        guard let next = UInt64(exactly: try row.integer("next_factor")) else {
          throw row.damaged("next_factor", "a counter")
        }
        return try OathDeviceRecord(
          uuid: uuid, realm: row.text("realm"), username: row.text("username"),
          deviceName: row.text("device_name"),
          secret: StoredSecret(StoreTable.oathDevices.open(row, of: uuid, serverKey)),
          profile: OATHProfile(
            factor: row.optionalInteger("period").map { .time(period: $0) } ?? .counter,
            hash: row.known("hash"), digits: row.known("digits"),
            truncationOffset: row.optionalInteger("truncation_offset"),
            addsChecksum: row.flag("adds_checksum")),
          nextFactor: next, drift: row.integer("drift"), createdDate: row.date("created_date"),
          lastAccessDate: row.date("last_access_date"))
      })
  }
}

extension DeviceTable<PushDeviceRecord> {
  package static func push(_ serverKey: ServerKey) -> Self {
    DeviceTable(
      table: .pushDevices, noun: "the push device", unique: ["mechanism_uid"], isUniqueInRealm: true,
      recoveryCodes: "PUSH", choices: "push_accounts",
      row: { device in
        [
          "uuid": device.uuid, "device_name": device.deviceName, "mechanism_uid": device.mechanismUID,
          "issuer": device.issuer,
          "sealed": try StoreTable.pushDevices.seal(
            device.sharedSecret.reveal(), of: device.mechanismUID, serverKey),
          "communication_type": device.communicationType, "communication_id": device.communicationID,
          "device_type": device.deviceType, "device_token": device.deviceToken,
          "created_date": device.createdDate, "last_access_date": device.lastAccessDate,
          "token_retired_at": device.tokenRetiredAt,
        ]
      },
      record: { row in
        let mechanismUID = try row.text("mechanism_uid")
        return try PushDeviceRecord(
          uuid: row.text("uuid"), realm: row.text("realm"), username: row.text("username"),
          deviceName: row.text("device_name"), mechanismUID: mechanismUID, issuer: row.text("issuer"),
          sharedSecret: StoredSecret(StoreTable.pushDevices.open(row, of: mechanismUID, serverKey)),
          communicationType: row.text("communication_type"), communicationID: row.text("communication_id"),
          deviceType: row.text("device_type"), deviceToken: row.text("device_token"),
          createdDate: row.date("created_date"), lastAccessDate: row.date("last_access_date"),
          tokenRetiredAt: row.optionalDate("token_retired_at"))
      })
  }
}

extension DeviceTable<WebAuthnDeviceRecord> {
  package static var webAuthn: Self {
    DeviceTable(
      table: .webAuthnDevices, noun: "the WebAuthn device", unique: ["credential_id"], isUniqueInRealm: true,
      recoveryCodes: "WEB_AUTHN",
      row: { device in
        [
          "uuid": device.uuid, "device_name": device.deviceName, "credential_id": device.credentialID,
          "public_key": device.publicKey, "sign_count": device.signCount, "user_handle": device.userHandle,
          "relying_party_id": device.relyingPartyID, "aaguid": device.aaguid,
          "attestation_format": device.attestationFormat, "attestation_type": device.attestationType,
          "attachment": device.attachment, "transports": JSONValue.strings(device.transports),
          "is_backup_eligible": device.isBackupEligible, "is_backed_up": device.isBackedUp,
          "is_uv_initialized": device.isUserVerificationInitialized, "created_date": device.createdDate,
          "last_access_date": device.lastAccessDate,
        ]
      },
      record: { row in
        try WebAuthnDeviceRecord(
          uuid: row.text("uuid"), realm: row.text("realm"), username: row.text("username"),
          deviceName: row.text("device_name"), credentialID: row.bytes("credential_id"),
          publicKey: row.bytes("public_key"), signCount: row.counter("sign_count"),
          userHandle: row.bytes("user_handle"), relyingPartyID: row.text("relying_party_id"),
          aaguid: row.text("aaguid"), attestationFormat: row.text("attestation_format"),
          attestationType: row.text("attestation_type"), attachment: row.optionalText("attachment"),
          transports: row.strings("transports"), isBackupEligible: row.flag("is_backup_eligible"),
          isBackedUp: row.flag("is_backed_up"), isUserVerificationInitialized: row.flag("is_uv_initialized"),
          createdDate: row.date("created_date"), lastAccessDate: row.date("last_access_date"))
      })
  }
}
