internal import Foundation
internal import OATH
internal import StrictJSON

/// The table of one kind of devices.
package struct DeviceTable<Record: DeviceRecord>: Sendable {
  let table: StoreTable

  package var name: String { table.name }

  /// One device in the words of error messages.
  package let noun: String

  /// Columns whose values no two devices share, each by itself.
  package let unique: [String]

  /// Whether ``unique`` counts in the whole realm, not only among one user's devices.
  package var isUniqueInRealm = false

  /// The recovery codes that stand in for the devices and go with the last one; `nil` when none do.
  package var recoveryCodes: String?

  /// The table whose column `skip` says whether an account may do without the kind; `nil` when none does.
  package var choices: String?

  /// Everything but the account, whose spelling the account's own record decides.
  package let row: @Sendable (Record, ServerKey) throws -> NewRow
  package let record: @Sendable (StoredRow, ServerKey) throws -> Record

  /// What ``record`` reads.
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
  /// What became of the enrolment that was to add the device.
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
      row: { device, _ in
        [
          "uuid": device.uuid, "device_id": device.deviceID, "device_name": device.deviceName,
          "key": device.key, "thumbprint": device.thumbprint, "created_date": device.createdDate,
          "last_access_date": device.lastAccessDate, "attestation": device.attestation,
        ]
      },
      record: { row, _ in
        BoundDeviceRecord(
          uuid: try row.text("uuid"), realm: try row.text("realm"), username: try row.text("username"),
          deviceID: try row.text("device_id"), deviceName: try row.text("device_name"),
          key: try row.object("key"), thumbprint: try row.text("thumbprint"),
          createdDate: try row.date("created_date"), lastAccessDate: try row.date("last_access_date"),
          attestation: try row.optionalObject("attestation"))
      })
  }
}

extension DeviceTable<OathDeviceRecord> {
  package static var oath: Self {
    DeviceTable(
      table: .oathDevices, noun: "the authenticator", unique: ["uuid"], recoveryCodes: "OATH",
      choices: "oath_accounts",
      row: { device, serverKey in
        var period: Int?
        if case .time(let seconds) = device.profile.factor { period = seconds }
        return [
          "uuid": device.uuid, "device_name": device.deviceName,
          "sealed": try serverKey.seal(device.secret.reveal(), named: secretName(device.uuid)),
          "period": period, "hash": device.profile.hash.rawValue, "digits": device.profile.digits.rawValue,
          "truncation_offset": device.profile.truncationOffset, "adds_checksum": device.profile.addsChecksum,
          "next_factor": device.nextFactor, "drift": device.drift, "created_date": device.createdDate,
          "last_access_date": device.lastAccessDate,
        ]
      },
      record: { row, serverKey in
        let uuid = try row.text("uuid")
        guard let next = UInt64(exactly: try row.integer("next_factor")) else {
          throw row.damaged("next_factor", "a counter")
        }
        return OathDeviceRecord(
          uuid: uuid, realm: try row.text("realm"), username: try row.text("username"),
          deviceName: try row.text("device_name"),
          secret: StoredSecret(
            try serverKey.open(try row.bytes("sealed"), named: secretName(uuid), in: "oath_devices")),
          profile: OATHProfile(
            factor: try row.optionalInteger("period").map { .time(period: $0) } ?? .counter,
            hash: try row.known("hash"), digits: try row.known("digits"),
            truncationOffset: try row.optionalInteger("truncation_offset"),
            addsChecksum: try row.flag("adds_checksum")),
          nextFactor: next, drift: try row.integer("drift"), createdDate: try row.date("created_date"),
          lastAccessDate: try row.date("last_access_date"))
      })
  }

  private static func secretName(_ uuid: String) -> String { SealedNames.authenticator(uuid) }
}

extension DeviceTable<PushDeviceRecord> {
  package static var push: Self {
    DeviceTable(
      table: .pushDevices, noun: "the push device", unique: ["mechanism_uid"], isUniqueInRealm: true,
      recoveryCodes: "PUSH", choices: "push_accounts",
      row: { device, serverKey in
        [
          "uuid": device.uuid, "device_name": device.deviceName, "mechanism_uid": device.mechanismUID,
          "issuer": device.issuer,
          "sealed": try serverKey.seal(device.sharedSecret.reveal(), named: secretName(device.mechanismUID)),
          "communication_type": device.communicationType, "communication_id": device.communicationID,
          "device_type": device.deviceType, "device_token": device.deviceToken,
          "created_date": device.createdDate, "last_access_date": device.lastAccessDate,
          "token_retired_at": device.tokenRetiredAt,
        ]
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

  private static func secretName(_ mechanismUID: String) -> String {
    SealedNames.pushDevice(mechanismUID)
  }
}

extension DeviceTable<WebAuthnDeviceRecord> {
  package static var webAuthn: Self {
    DeviceTable(
      table: .webAuthnDevices, noun: "the WebAuthn device", unique: ["credential_id"], isUniqueInRealm: true,
      recoveryCodes: "WEB_AUTHN",
      row: { device, _ in
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

extension WebAuthnUse {
  /// By name.
  package func values(credentialID: [UInt8], _ key: RealmKey) -> StatementValues {
    [
      "realm": key.realm, "credential": credentialID, "count": signCount, "isBackedUp": isBackedUp,
      "isVerified": isUserVerified, "now": date,
    ]
  }
}
