public import BindingFormats
public import Foundation

extension ServerStore {
  public var boundDevices: any DeviceStore<BoundDeviceRecord> { StoredDevices(store: self, table: .bound) }
  public var oathDevices: any DeviceStore<OathDeviceRecord> {
    StoredDevices(store: self, table: .oath(serverKey))
  }
  public var pushDevices: any DeviceStore<PushDeviceRecord> {
    StoredDevices(store: self, table: .push(serverKey))
  }
  public var webAuthnDevices: any DeviceStore<WebAuthnDeviceRecord> {
    StoredDevices(store: self, table: .webAuthn)
  }

  /// Whether the user has a bound device, a WebAuthn credential, a push device or an authenticator for one-time codes.
  public func hasFactors(of account: UniversalID) async throws -> Bool {
    try await read(AccountKey(account).hasFactors)
  }

  /// Adds a device of any kind.
  private func add<Record>(
    _ device: Record, to table: DeviceTable<Record>, _ limit: DeviceLimit
  ) async throws -> DeviceAddition {
    try await write("\(table.noun) \(device.uuid) of \(device.username)") {
      try table.add(device, limit: quotas.deviceLimit(limit))
    }
  }
}

// MARK: - Bound keys

extension ServerStore {
  /// Adds the device if the user still has fewer than `limit` (0 means no limit) and neither its `uuid` nor
  /// its `thumbprint` is already this user's: one conditional write. The user must exist.
  public func addBoundDevice(
    _ device: BoundDeviceRecord, limit: DeviceLimit
  ) async throws -> DeviceAddition {
    try await add(device, to: .bound, limit)
  }

  /// Everything that a proof by a bound key is judged by, in one read; `nil` when there is no such account.
  public func signer(uuid: String, of account: UniversalID) async throws -> SignerRecord? {
    let key = AccountKey(account)
    let (user, lockouts, device) = try await look(
      .all(.user(key), .lockouts(key, .signatures), DeviceTable.bound.one(uuid, of: key)))
    return user.map { SignerRecord(user: $0, lockout: lockouts.state, device: device) }
  }
}

// MARK: - WebAuthn

extension ServerStore {
  /// Adds the device if the user still has fewer than `limit` (0 means no limit) and no account of the realm has its
  /// credential id: one conditional write. The user must exist.
  public func addWebAuthnDevice(
    _ device: WebAuthnDeviceRecord, limit: DeviceLimit
  ) async throws -> DeviceAddition {
    try await add(device, to: .webAuthn, limit)
  }

  /// The device with that credential, of any account of the realm; or `nil`.
  public func webAuthnDevice(credentialID: [UInt8], realm: String) async throws -> WebAuthnDeviceRecord? {
    try await read(DeviceTable.webAuthn.one(with: "credential_id", credentialID, in: realm))
  }

  /// Stores what an accepted assertion changes, in one conditional write. The counter is stored only if it is above the stored one, or if
  /// both are 0, so the second of two assertions with the same counter is reported. The counter never falls.
  public func recordWebAuthnUse(
    _ use: WebAuthnUse, credentialID: [UInt8], realm: String
  ) async throws -> WebAuthnUseResult {
    let realm = RealmKey(realm).realm
    let counter = SQLStatement(DeviceSQL.counter, [realm, credentialID])
    let update = SQLStatement(
      DeviceSQL.use,
      [
        "isBackedUp": use.isBackedUp, "isVerified": use.isUserVerified, "now": use.date,
        "count": use.signCount, "realm": realm, "credential": credentialID,
      ])
    let (before, _) = try await change(
      "the use of a WebAuthn device",
      .all(counter.row(of: "webauthn_devices") { try $0.counter("sign_count") }, .silent([update])))
    guard let before else { return .noSuchDevice }
    return before < use.signCount || (before == 0 && use.signCount == 0) ? .recorded : .counterNotAdvanced
  }
}

// MARK: - One-time codes

extension ServerStore {
  /// Stores a device unless the user has as many as `limit` allows: one conditional write. `false` when the limit forbids it.
  /// Throws ``StoreError/missing(_:)`` without the user.
  public func addOathDevice(_ device: OathDeviceRecord, limit: DeviceLimit) async throws -> Bool {
    try device.wasAdded(await add(device, to: .oath(serverKey), limit))
  }

  /// Consumes the code of `factor`, a counter or a time step, and the codes of all lower ones: one conditional write. On success the drift
  /// is stored and earlier wrong codes are forgotten. While guesses are locked no code is accepted, so that codes sent all at once cannot
  /// outrun the count.
  ///
  /// - Parameter device: the known device of the ``LockoutScope``.
  public func acceptOathCode(
    uuid: String, of account: UniversalID, device: String?, factor: UInt64, drift: Int, now: Date
  ) async throws -> OathAcceptance {
    let scope = LockoutScope(.authenticatorCodes, device: device)
    let key = AccountKey(account)
    guard let factor = Int64(exactly: factor), factor < Int64.max else { return .used }
    let accept = SQLStatement(
      DeviceSQL.acceptCode,
      ["factor": factor, "drift": drift, "now": now, "realm": key.realm, "name": key.name, "uuid": uuid])
    return try await write("a one-time code of \(account.username)") {
      .ask(.heldLockouts(key, scope, now)) { counts in
        guard !counts.state.isLocked(at: now) else { return .done(.locked) }
        return .next(.ask(accept.isDone) { $0 ? .done(.accepted, counts.forgetting(key)) : .done(.used) })
      }
    }
  }
}

// MARK: - Recovery codes

extension ServerStore {
  /// Replaces the user's codes of that kind (`PUSH`, `OATH`, `WEB_AUTHN`). Throws ``StoreError/missing(_:)`` without the user.
  ///
  /// - Parameter id: the id that the account must have; `nil` for any account of that name.
  public func setRecoveryCodes(
    _ hashes: [[UInt8]], kind: String, of account: UniversalID, id: String? = nil
  ) async throws {
    let key = AccountKey(account)
    try await write("the recovery codes of \(account.username)") {
      .ask(SQLStatement.lock(key, id: id).flag) { isThere in
        guard isThere else {
          throw StoreError.missing("the account \(account.username) of realm \(account.realm)")
        }
        let codes = hashes.map { hash in
          SQLStatement.insert(
            ["realm_key": key.realm, "name_key": key.name, "kind": kind, "hash": hash], into: "recovery_codes"
          )
        }
        return .done((), [SQLStatement(DeviceSQL.forgetCodes, [key.realm, key.name, kind])] + codes)
      }
    }
  }

  /// Uses a code up: one conditional write, `true` for exactly one caller.
  public func useRecoveryCode(
    _ hash: [UInt8], kind: String, of account: UniversalID
  ) async throws -> Bool {
    try await change(
      "a recovery code of \(account.username)",
      SQLStatement("\(DeviceSQL.forgetCodes) AND hash = ?", AccountKey(account).values + [kind, hash]).isDone)
  }

  /// How many unused codes the user has, by kind; kinds without any are left out.
  public func recoveryCodes(of account: UniversalID) async throws -> [String: Int] {
    let counts = try await rows("recovery_codes", DeviceSQL.codeCounts, AccountKey(account).values) { row in
      (try row.text("kind"), try row.integer("codes"))
    }
    return Dictionary(counts) { $0 + $1 }
  }
}

private enum DeviceSQL {
  static let counter: SQL = """
    SELECT sign_count FROM webauthn_devices WHERE realm_key = ? AND credential_id = ? \(.held)
    """

  static let use: SQL = """
    UPDATE webauthn_devices SET is_backed_up = :isBackedUp AND is_backup_eligible,
      is_uv_initialized = is_uv_initialized OR :isVerified,
      last_access_date = \(.greatest)(last_access_date, :now),
      sign_count = \(.greatest)(sign_count, :count)
      WHERE realm_key = :realm AND credential_id = :credential
    """

  static let acceptCode: SQL = """
    UPDATE oath_devices SET next_factor = :factor + 1, drift = :drift,
      last_access_date = \(.greatest)(last_access_date, :now)
    WHERE realm_key = :realm AND name_key = :name AND uuid = :uuid AND next_factor <= :factor
    """

  static let forgetCodes: SQL = "DELETE FROM recovery_codes WHERE realm_key = ? AND name_key = ? AND kind = ?"

  static let codeCounts: SQL = """
    SELECT kind, count(*) AS codes FROM recovery_codes WHERE realm_key = ? AND name_key = ? GROUP BY kind
    """
}
