public import BindingFormats
public import Foundation
internal import GRDB

extension SQLiteStore {
  public var boundDevices: any DeviceStore<BoundDeviceRecord> { SQLiteDevices(store: self, table: .bound) }
  public var oathDevices: any DeviceStore<OathDeviceRecord> { SQLiteDevices(store: self, table: .oath) }
  public var pushDevices: any DeviceStore<PushDeviceRecord> { SQLiteDevices(store: self, table: .push) }
  public var webAuthnDevices: any DeviceStore<WebAuthnDeviceRecord> {
    SQLiteDevices(store: self, table: .webAuthn)
  }

  public func hasFactors(of account: UniversalID) async throws -> Bool {
    let key = AccountKey(account)
    return try await read { try $0.flag(key.hasFactors) }
  }
}

// MARK: - Bound keys

extension SQLiteStore {
  public func addBoundDevice(
    _ device: BoundDeviceRecord, limit: DeviceLimit
  ) async throws -> BoundDeviceAddition {
    try await write("the device \(device.uuid) of \(device.username)") { [quotas, serverKey] db in
      BoundDeviceAddition(
        try DeviceTable.bound.add(device, limit: quotas.deviceLimit(limit), serverKey, in: db))
    }
  }

  public func boundDevice(uuid: String, of account: UniversalID) async throws -> BoundDeviceRecord? {
    try await read { [serverKey] in
      try DeviceTable.bound.device(uuid, of: AccountKey(account), serverKey, in: $0)
    }
  }

  public func signer(uuid: String, of account: UniversalID) async throws -> SignerRecord? {
    let key = AccountKey(account)
    return try await look { [serverKey] db in
      guard let user = try Self.user(key, in: db) else { return nil }
      return SignerRecord(
        user: user, lockout: try Self.lockouts(key, .signatures, in: db).state,
        device: try DeviceTable.bound.device(uuid, of: key, serverKey, in: db))
    }
  }
}

// MARK: - WebAuthn

extension SQLiteStore {
  public func addWebAuthnDevice(
    _ device: WebAuthnDeviceRecord, limit: DeviceLimit
  ) async throws -> WebAuthnDeviceAddition {
    try await write("the WebAuthn device \(device.uuid) of \(device.username)") { [quotas, serverKey] db in
      WebAuthnDeviceAddition(
        try DeviceTable.webAuthn.add(device, limit: quotas.deviceLimit(limit), serverKey, in: db))
    }
  }

  public func webAuthnDevice(credentialID: [UInt8], realm: String) async throws -> WebAuthnDeviceRecord? {
    try await read { [serverKey] in
      try DeviceTable.webAuthn.device("credential_id", credentialID, in: RealmKey(realm), serverKey, $0)
    }
  }

  public func recordWebAuthnUse(
    _ use: WebAuthnUse, credentialID: [UInt8], realm: String
  ) async throws -> WebAuthnUseResult {
    let values = use.values(credentialID: credentialID, RealmKey(realm))
    return try await write("the use of a WebAuthn device") { db in
      if try db.change(DeviceSQL.useAndAdvance, values) == 1 { return .recorded }
      return try db.change(DeviceSQL.use, values) == 1 ? .counterNotAdvanced : .noSuchDevice
    }
  }
}

// MARK: - One-time codes

extension SQLiteStore {
  public func addOathDevice(_ device: OathDeviceRecord, limit: DeviceLimit) async throws -> Bool {
    try await write("the authenticator \(device.uuid) of \(device.username)") { [quotas, serverKey] db in
      try device.wasAdded(DeviceTable.oath.add(device, limit: quotas.deviceLimit(limit), serverKey, in: db))
    }
  }

  public func acceptOathCode(
    uuid: String, of account: UniversalID, device: String?, factor: UInt64, drift: Int, now: Date
  ) async throws -> OathAcceptance {
    let scope = LockoutScope(.authenticatorCodes, device: device)
    let key = AccountKey(account)
    guard let factor = Int64(exactly: factor), factor < Int64.max else { return .used }
    return try await write("a one-time code of \(account.username)") { db in
      // The transaction holds the write lock, so no failure is counted between the question and the acceptance.
      guard try !Self.lockouts(key, scope, in: db).state.isLocked(at: now) else { return .locked }
      let accepted = try db.change(
        DeviceSQL.acceptCode,
        [
          "realm": key.realm, "name": key.name, "uuid": uuid, "factor": factor, "drift": drift, "now": now,
        ])
      guard accepted == 1 else { return .used }
      try Self.forgetFailures(of: key, scope, in: db)
      return .accepted
    }
  }
}

// MARK: - Recovery codes

extension SQLiteStore {
  public func setRecoveryCodes(
    _ hashes: [[UInt8]], kind: String, of account: UniversalID, id: String?
  ) async throws {
    let key = AccountKey(account)
    try await write("the recovery codes of \(account.username)") { db in
      guard try db.flag(key.isThere(id: id)) else {
        throw StoreError.missing("the account \(account.username) of realm \(account.realm)")
      }
      try db.change(
        "DELETE FROM recovery_codes WHERE realm_key = ? AND name_key = ? AND kind = ?",
        [key.realm, key.name, kind])
      for hash in hashes {
        try db.insert(
          ["realm_key": key.realm, "name_key": key.name, "kind": kind, "hash": hash], into: "recovery_codes")
      }
    }
  }

  public func useRecoveryCode(
    _ hash: [UInt8], kind: String, of account: UniversalID
  ) async throws -> Bool {
    let key = AccountKey(account)
    return try await write("a recovery code of \(account.username)") { db in
      try db.change(
        "DELETE FROM recovery_codes WHERE realm_key = ? AND name_key = ? AND kind = ? AND hash = ?",
        [key.realm, key.name, kind, hash]) == 1
    }
  }

  public func recoveryCodes(of account: UniversalID) async throws -> [String: Int] {
    let key = AccountKey(account)
    return try await read { db in
      let counts = try db.all("recovery_codes", SharedSQL.recoveryCodes, [key.realm, key.name]) { row in
        (try row.text("kind"), try row.integer("codes"))
      }
      return Dictionary(counts) { $0 + $1 }
    }
  }
}

private enum DeviceSQL {
  static let use = """
    UPDATE webauthn_devices SET is_backed_up = :isBackedUp AND is_backup_eligible,
      is_uv_initialized = is_uv_initialized OR :isVerified, last_access_date = max(last_access_date, :now),
      sign_count = max(sign_count, :count)
      WHERE realm_key = :realm AND credential_id = :credential
    """
  static let useAndAdvance = "\(use) AND (sign_count < :count OR (sign_count = 0 AND :count = 0))"

  static let acceptCode = """
    UPDATE oath_devices SET next_factor = :factor + 1, drift = :drift,
      last_access_date = max(last_access_date, :now)
    WHERE realm_key = :realm AND name_key = :name AND uuid = :uuid AND next_factor <= :factor
    """
}
