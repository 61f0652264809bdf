package import BindingFormats
package import Foundation
package import JourneyStore

extension PostgresStore {
  package var boundDevices: any DeviceStore<BoundDeviceRecord> { PostgresDevices(store: self, table: .bound) }
  package var oathDevices: any DeviceStore<OathDeviceRecord> { PostgresDevices(store: self, table: .oath) }
  package var pushDevices: any DeviceStore<PushDeviceRecord> { PostgresDevices(store: self, table: .push) }
  package var webAuthnDevices: any DeviceStore<WebAuthnDeviceRecord> {
    PostgresDevices(store: self, table: .webAuthn)
  }

  package func hasFactors(of account: UniversalID) async throws -> Bool {
    try await read([Statement(AccountKey(account).hasFactors)])[0].flag()
  }
}

// MARK: - Bound keys

extension PostgresStore {
  package func addBoundDevice(
    _ device: BoundDeviceRecord, limit: DeviceLimit
  ) async throws -> BoundDeviceAddition {
    try await write("the device \(device.uuid) of \(device.username)") { [quotas, serverKey] transaction in
      BoundDeviceAddition(
        try await transaction.add(device, to: .bound, limit: quotas.deviceLimit(limit), serverKey))
    }
  }

  package func boundDevice(uuid: String, of account: UniversalID) async throws -> BoundDeviceRecord? {
    let table = DeviceTable.bound
    return try table.devices(await read([Statement(table.one(uuid, of: AccountKey(account)))])[0], serverKey)
      .first
  }

  package func signer(uuid: String, of account: UniversalID) async throws -> SignerRecord? {
    let (key, table) = (AccountKey(account), DeviceTable.bound)
    let answers = try await read([
      Statement(UserSQL.one, [key.realm, key.name]), LockoutSQL.read(key, .signatures),
      Statement(table.one(uuid, of: key)),
    ])
    return try answers[0].all("users", UserRecord.init).first.map { user in
      SignerRecord(
        user: user, lockout: try answers[1].lockouts(.signatures).counts.state,
        device: try table.devices(answers[2], serverKey).first)
    }
  }
}

// MARK: - WebAuthn

extension PostgresStore {
  package func addWebAuthnDevice(
    _ device: WebAuthnDeviceRecord, limit: DeviceLimit
  ) async throws -> WebAuthnDeviceAddition {
    try await write("the WebAuthn device \(device.uuid) of \(device.username)") {
      [quotas, serverKey] transaction in
      WebAuthnDeviceAddition(
        try await transaction.add(device, to: .webAuthn, limit: quotas.deviceLimit(limit), serverKey))
    }
  }

  package func webAuthnDevice(credentialID: [UInt8], realm: String) async throws -> WebAuthnDeviceRecord? {
    let table = DeviceTable.webAuthn
    let statement = table.one(with: "credential_id", credentialID, in: RealmKey(realm))
    return try table.devices(await read([Statement(statement)])[0], serverKey).first
  }

  package func recordWebAuthnUse(
    _ use: WebAuthnUse, credentialID: [UInt8], realm: String
  ) async throws -> WebAuthnUseResult {
    let values = use.values(credentialID: credentialID, RealmKey(realm))
    let answer = try await change("the use of a WebAuthn device", Statement(DeviceSQL.use, values))[0]
    let advanced = try answer.all("webauthn_devices") { try $0.flag() }.first
    return advanced.map { $0 ? .recorded : .counterNotAdvanced } ?? .noSuchDevice
  }
}

// MARK: - One-time codes

extension PostgresStore {
  package func addOathDevice(_ device: OathDeviceRecord, limit: DeviceLimit) async throws -> Bool {
    try await write("the authenticator \(device.uuid) of \(device.username)") {
      [quotas, serverKey] transaction in
      try device.wasAdded(
        await transaction.add(device, to: .oath, limit: quotas.deviceLimit(limit), serverKey))
    }
  }

  package func acceptOathCode(
    uuid: String, of account: UniversalID, device: String?, factor: UInt64, drift: Int, now: Date
  ) async throws -> OathAcceptance {
    let scope = LockoutScope(.authenticatorCodes, device: device)
    let key = AccountKey(account)
    guard let factor = Int64(exactly: factor), factor < Int64.max else { return .used }
    return try await write("a one-time code of \(account.username)") { transaction in
      let place = try await transaction.lockouts(key, scope, now)
      guard !place.counts.state.isLocked(at: now) else { return .locked }
      let accepted = try await transaction.change(
        DeviceSQL.acceptCode,
        [
          "realm": key.realm, "name": key.name, "uuid": uuid, "factor": factor, "drift": drift, "now": now,
        ])
      guard accepted == 1 else { return .used }
      transaction.forgetFailures(of: key, place, scope)
      return .accepted
    }
  }
}

// MARK: - Recovery codes

extension PostgresStore {
  package func setRecoveryCodes(
    _ hashes: [[UInt8]], kind: String, of account: UniversalID, id: String?
  ) async throws {
    let key = AccountKey(account)
    try await write("the recovery codes of \(account.username)") { transaction in
      let answers = try await transaction.run(
        [
          .lock(key, id: id),
          Statement(
            "DELETE FROM recovery_codes WHERE realm_key = ? AND name_key = ? AND kind = ?",
            [key.realm, key.name, kind]),
        ]
          + hashes.map {
            .insert(
              ["realm_key": key.realm, "name_key": key.name, "kind": kind, "hash": $0],
              into: "recovery_codes")
          })
      guard try answers[0].flag() else {
        throw StoreError.missing("the account \(account.username) of realm \(account.realm)")
      }
    }
  }

  package func useRecoveryCode(
    _ hash: [UInt8], kind: String, of account: UniversalID
  ) async throws -> Bool {
    let key = AccountKey(account)
    return try await change(
      "a recovery code of \(account.username)",
      Statement(
        "DELETE FROM recovery_codes WHERE realm_key = ? AND name_key = ? AND kind = ? AND hash = ?",
        [key.realm, key.name, kind, hash]))[0].count == 1
  }

  package func recoveryCodes(of account: UniversalID) async throws -> [String: Int] {
    let key = AccountKey(account)
    let counts = try await read(SharedSQL.recoveryCodes, [key.realm, key.name]).all("recovery_codes") { row in
      (try row.text("kind"), try row.integer("codes"))
    }
    return Dictionary(counts) { $0 + $1 }
  }
}

enum DeviceSQL {
  /// Returns whether the counter advanced. `RETURNING` shows the row after the change, so what was before comes from a row
  /// that is locked first.
  fileprivate static let use = """
    UPDATE webauthn_devices AS d SET is_backed_up = :isBackedUp AND d.is_backup_eligible,
      is_uv_initialized = d.is_uv_initialized OR :isVerified,
      last_access_date = greatest(d.last_access_date, :now), sign_count = greatest(d.sign_count, :count)
      FROM (SELECT realm_key, credential_id, sign_count AS before FROM webauthn_devices
        WHERE realm_key = :realm AND credential_id = :credential FOR NO KEY UPDATE) AS old
      WHERE d.realm_key = old.realm_key AND d.credential_id = old.credential_id
      RETURNING before < :count OR (before = 0 AND :count = 0) AS advanced
    """

  fileprivate static let acceptCode = """
    UPDATE oath_devices SET next_factor = :factor + 1, drift = :drift,
      last_access_date = greatest(last_access_date, :now)
    WHERE realm_key = :realm AND name_key = :name AND uuid = :uuid AND next_factor <= :factor
    """
}
