public import BindingFormats
public import Foundation
internal import GRDB
internal import OATH

extension SQLiteStore {
  public var oathDevices: any DeviceStore<OathDeviceRecord> { SQLiteDevices(store: self, table: .oath) }

  public func addOathDevice(_ device: OathDeviceRecord, limit: DeviceLimit) async throws -> Bool {
    try await write("the authenticator \(device.uuid) of \(device.username)") { [quotas, serverKey] db in
      try Self.add(device, limit: quotas.deviceLimit(limit), serverKey, in: db)
    }
  }

  /// Adds the device in the transaction of the caller; `false` when the limit forbids it.
  static func add(
    _ device: OathDeviceRecord, limit: DeviceLimit, _ serverKey: ServerKey, in db: Database
  ) throws -> Bool {
    switch try DeviceTable.oath.add(device, limit: limit, serverKey, in: db) {
    case nil: return true
    case .limitReached, .notFirst: return false
    case .duplicate: throw StoreError.conflict("the authenticator \(device.uuid) of \(device.username)")
    case .noSuchUser:
      throw StoreError.missing("the account \(device.username) of realm \(device.realm)")
    }
  }
}

// MARK: - Codes

extension SQLiteStore {
  public func acceptOathCode(
    uuid: String, of account: UniversalID, device: String?, factor: UInt64, drift: Int, now: Date
  ) async throws -> OathAcceptance {
    let scope = LockoutScope(.guesses, device: device)
    let key = AccountKey(account)
    guard let factor = Int64(exactly: factor), factor < Int64.max else { return .used }
    return try await write("a one-time code of \(account.username)") { db in
      // The transaction holds the write lock, so no failure is counted between the question and the acceptance.
      guard try !Self.lockout(key, scope, in: db).isLocked(at: now) else { return .locked }
      let accepted = try db.change(
        acceptance,
        [
          "realm": key.realm, "name": key.name, "uuid": uuid, "factor": factor, "drift": drift,
          "now": now.timeIntervalSince1970,
        ])
      guard accepted == 1 else { return .used }
      for ofCodes in [false, true] { try Self.forgetFailures(of: key, scope, ofCodes: ofCodes, in: db) }
      return .accepted
    }
  }

  public func recordWrongOathCode(
    of account: UniversalID, device: String?, policy: LockoutPolicy, now: Date
  ) async throws {
    let key = AccountKey(account)
    let scope = LockoutScope(.guesses, device: device)
    try await write("a wrong one-time code of \(account.username)") { db in
      for ofCodes in [false, true] {
        try Self.recordFailure(key, scope, ofCodes: ofCodes, policy: policy, now: now, in: db)
      }
    }
  }
}

private let acceptance = """
  UPDATE oath_devices SET next_factor = :factor + 1, drift = :drift,
    last_access_date = max(last_access_date, :now)
  WHERE realm_key = :realm AND name_key = :name AND uuid = :uuid AND next_factor <= :factor
  """

extension DeviceTable<OathDeviceRecord> {
  static var oath: Self {
    DeviceTable(
      name: "oath_devices", noun: "the authenticator", unique: ["uuid"], recoveryCodes: "OATH",
      choices: "oath_accounts",
      row: { device, serverKey in
        var period: Int?
        if case .time(let seconds) = device.profile.factor { period = seconds }
        return NewRow([
          "uuid": device.uuid, "device_name": device.deviceName,
          "sealed": try serverKey.seal(device.secret.reveal(), named: secretName(device.uuid)),
          "period": period, "hash": device.profile.hash.rawValue, "digits": device.profile.digits.rawValue,
          "truncation_offset": device.profile.truncationOffset, "adds_checksum": device.profile.addsChecksum,
          "next_factor": Int64(clamping: device.nextFactor), "drift": device.drift,
          "created_date": device.createdDate.timeIntervalSince1970,
          "last_access_date": device.lastAccessDate.timeIntervalSince1970,
        ])
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

  private static func secretName(_ uuid: String) -> String { "authenticator \(uuid)" }
}
