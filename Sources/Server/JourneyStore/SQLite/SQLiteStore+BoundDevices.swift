public import BindingFormats
internal import Foundation
internal import GRDB
internal import StrictJSON

extension SQLiteStore {
  public var boundDevices: any DeviceStore<BoundDeviceRecord> { SQLiteDevices(store: self, table: .bound) }

  public func addBoundDevice(
    _ device: BoundDeviceRecord, limit: DeviceLimit
  ) async throws -> BoundDeviceAddition {
    try await write("the device \(device.uuid) of \(device.username)") { [quotas, serverKey] db in
      try Self.add(device, limit: quotas.deviceLimit(limit), serverKey, in: db)
    }
  }

  static func add(
    _ device: BoundDeviceRecord, limit: DeviceLimit, _ serverKey: ServerKey, in db: Database
  ) throws -> BoundDeviceAddition {
    switch try DeviceTable.bound.add(device, limit: limit, serverKey, in: db) {
    case nil: .added
    case .noSuchUser: .noSuchUser
    case .duplicate: .duplicate
    case .limitReached: .limitReached
    case .notFirst: .notFirst
    }
  }

  public func boundDevice(uuid: String, of account: UniversalID) async throws -> BoundDeviceRecord? {
    let (key, serverKey) = (AccountKey(account), serverKey)
    return try await read { try DeviceTable.bound.device(uuid, of: key, serverKey, in: $0) }
  }

  public func signer(uuid: String, of account: UniversalID) async throws -> SignerRecord? {
    let (key, serverKey) = (AccountKey(account), serverKey)
    return try await read { db in
      guard let user = try Self.user(key, in: db) else { return nil }
      return SignerRecord(
        user: user, lockout: try Self.lockout(key, .signatures, in: db),
        device: try DeviceTable.bound.device(uuid, of: key, serverKey, in: db))
    }
  }
}

extension DeviceTable<BoundDeviceRecord> {
  static var bound: Self {
    DeviceTable(
      name: "bound_devices", noun: "the device", unique: ["uuid", "thumbprint"],
      row: { device, _ in
        NewRow([
          "uuid": device.uuid, "device_id": device.deviceID, "device_name": device.deviceName,
          "key": JSONValue.object(device.key).text, "thumbprint": device.thumbprint,
          "created_date": device.createdDate.timeIntervalSince1970,
          "last_access_date": device.lastAccessDate.timeIntervalSince1970,
          "attestation": device.attestation.map { JSONValue.object($0).text },
        ])
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
