internal import Foundation
internal import GRDB
internal import StrictJSON

extension SQLiteStore {
  public func addWebAuthnDevice(
    _ device: WebAuthnDeviceRecord, limit: DeviceLimit
  ) async throws -> WebAuthnDeviceAddition {
    let key = AccountKey(username: device.username, realm: device.realm)
    let limit = quotas.deviceLimit(limit)
    return try await write("the WebAuthn device \(device.uuid) of \(device.username)") { db in
      // The transaction holds the write lock, so nothing changes between the question and the insertion.
      let (hasUser, isDuplicate, count) =
        try db.all(
          "webauthn_devices", WebAuthnSQL.mayAdd, [key.realm, key.name, Data(device.credentialID)]
        ) { row in (try row.flag(), try row.flag(), try row.integer()) }.first ?? (false, false, 0)
      guard hasUser else { return .noSuchUser }
      guard !isDuplicate else { return .duplicate }
      guard count < limit.count else { return .limitReached }
      guard try !limit.onlyAsFirstFactor || !Self.hasFactors(key, in: db) else { return .notFirst }
      _ = try db.change(WebAuthnSQL.insert, [key.realm, key.name] + device.values)
      return .added
    }
  }

  public func webAuthnDevices(username: String, realm: String) async throws -> [WebAuthnDeviceRecord] {
    let key = AccountKey(username: username, realm: realm)
    return try await read { db in
      try db.all(
        "webauthn_devices", WebAuthnSQL.ofUser, [key.realm, key.name], WebAuthnDeviceRecord.init)
    }
  }

  public func webAuthnDevice(
    credentialID: [UInt8], realm: String
  ) async throws -> WebAuthnDeviceRecord? {
    let key = AccountKey.realm(realm)
    return try await read { db in
      try db.all(
        "webauthn_devices", WebAuthnSQL.ofCredential, [key.realm, Data(credentialID)],
        WebAuthnDeviceRecord.init
      ).first
    }
  }

  public func recordWebAuthnUse(
    _ use: WebAuthnUse, credentialID: [UInt8], realm: String
  ) async throws -> WebAuthnUseResult {
    let key = AccountKey.realm(realm)
    let arguments: StatementArguments = [
      key.realm, Data(credentialID), Int64(use.signCount), use.isBackedUp, use.isUserVerified,
      use.date.timeIntervalSince1970,
    ]
    return try await write("the use of a WebAuthn device") { db in
      if try db.change(WebAuthnSQL.useAndAdvance, arguments) == 1 { return .recorded }
      return try db.change(WebAuthnSQL.use, arguments) == 1 ? .counterNotAdvanced : .noSuchDevice
    }
  }

  public func renameWebAuthnDevice(
    uuid: String, username: String, realm: String, to name: String
  ) async throws -> WebAuthnDeviceRecord? {
    let key = AccountKey(username: username, realm: realm)
    return try await write("the WebAuthn device \(uuid) of \(username)") { db in
      try db.all(
        "webauthn_devices", WebAuthnSQL.rename, [name, key.realm, key.name, uuid], WebAuthnDeviceRecord.init
      ).first
    }
  }

  public func deleteWebAuthnDevice(
    uuid: String, username: String, realm: String
  ) async throws -> WebAuthnDeviceRecord? {
    let key = AccountKey(username: username, realm: realm)
    return try await write("the WebAuthn device \(uuid) of \(username)") { db in
      let deleted = try db.all(
        "webauthn_devices", WebAuthnSQL.delete, [key.realm, key.name, uuid], WebAuthnDeviceRecord.init
      ).first
      if deleted != nil {
        try Self.forgetRecoveryCodes(kind: "WEB_AUTHN", unlessInUseBy: "webauthn_devices", of: key, in: db)
      }
      return deleted
    }
  }
}

private enum WebAuthnSQL {
  static let columns = """
    uuid, realm, username, device_name, credential_id, public_key, sign_count, user_handle, relying_party_id, aaguid,
    attestation_format, attestation_type, attachment, transports, is_backup_eligible, is_backed_up, is_uv_initialized,
    created_date, last_access_date
    """
  static let byID = "realm_key = ? AND name_key = ? AND uuid = ?"
  static let byCredential = "realm_key = ?1 AND credential_id = ?2"

  static let mayAdd = """
    SELECT EXISTS (SELECT 1 FROM users WHERE realm_key = ?1 AND name_key = ?2),
      EXISTS (SELECT 1 FROM webauthn_devices WHERE realm_key = ?1 AND credential_id = ?3),
      (SELECT count(*) FROM webauthn_devices WHERE realm_key = ?1 AND name_key = ?2)
    """
  static let insert = """
    INSERT INTO webauthn_devices (realm_key, name_key, \(columns))
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    """
  static let ofUser = """
    SELECT \(columns) FROM webauthn_devices WHERE realm_key = ? AND name_key = ?
      ORDER BY created_date DESC, rowid DESC
    """
  static let ofCredential = "SELECT \(columns) FROM webauthn_devices WHERE \(byCredential)"
  static let use = """
    UPDATE webauthn_devices SET is_backed_up = ?4 AND is_backup_eligible,
      is_uv_initialized = is_uv_initialized OR ?5, last_access_date = max(last_access_date, ?6),
      sign_count = max(sign_count, ?3)
      WHERE \(byCredential)
    """
  static let useAndAdvance = "\(use) AND (sign_count < ?3 OR (sign_count = 0 AND ?3 = 0))"
  static let rename = "UPDATE webauthn_devices SET device_name = ? WHERE \(byID) RETURNING \(columns)"
  static let delete = "DELETE FROM webauthn_devices WHERE \(byID) RETURNING \(columns)"
}

extension WebAuthnDeviceRecord {
  /// In the order of ``WebAuthnSQL/columns``.
  fileprivate var values: StatementArguments {
    [
      uuid, realm, username, deviceName, Data(credentialID), Data(publicKey), Int64(signCount),
      Data(userHandle), relyingPartyID, aaguid, attestationFormat, attestationType, attachment,
      JSONValue.array(transports.map(JSONValue.string)).text, isBackupEligible, isBackedUp,
      isUserVerificationInitialized, createdDate.timeIntervalSince1970, lastAccessDate.timeIntervalSince1970,
    ]
  }

  fileprivate init(_ row: inout StoredRow) throws {
    self.init(
      uuid: try row.text(), realm: try row.text(), username: try row.text(), deviceName: try row.text(),
      credentialID: try row.bytes(), publicKey: try row.bytes(), signCount: try row.counter(),
      userHandle: try row.bytes(), relyingPartyID: try row.text(), aaguid: try row.text(),
      attestationFormat: try row.text(), attestationType: try row.text(),
      attachment: try row.optionalText(), transports: try row.strings(), isBackupEligible: try row.flag(),
      isBackedUp: try row.flag(), isUserVerificationInitialized: try row.flag(),
      createdDate: try row.date(), lastAccessDate: try row.date())
  }
}
