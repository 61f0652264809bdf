package import Accounts
package import BindingFormats
internal import Bytes
internal import Foundation
package import JourneyStore
package import StrictJSON

/// A kind of device that ``DevicesEndpoint`` lists, renames and removes. Journeys create the devices.
package protocol DeviceKind: Sendable {
  associatedtype Record: DeviceRecord

  /// The path of the kind's devices below their user's.
  static var path: String { get }

  /// The kind in security events.
  static var name: String { get }

  /// Whether a single device can be read. PingAM has that for WebAuthn only.
  static var isReadable: Bool { get }

  /// Whether users may do without the kind: PingAM's actions `check`, `skip` and `reset`.
  static var isOptional: Bool { get }

  /// Whether a device signs for this server only, so that nobody can be talked out of its answer.
  static var isKey: Bool { get }

  /// The request member with a device's new name; `deviceName` is accepted, too.
  static var nameMember: String { get }

  var devices: any DeviceStore<Record> { get }

  /// The members that clients see of this kind only, beside those of all kinds: no secret, no token.
  static func members(of device: Record) -> JSONObject

  /// Whether the path segment `id` names the device.
  static func names(_ id: String, _ device: Record) -> Bool

  /// What is wrong with a device's new name beyond the rules of all kinds; `nil` when it is valid.
  static func fault(inName name: String) -> String?

  /// Called after a device has been removed.
  func ended(_ device: Record)
}

extension DeviceKind {
  package static var isReadable: Bool { false }
  package static var isOptional: Bool { false }
  package static var isKey: Bool { false }
  package static var nameMember: String { "deviceName" }
  package static func members(of device: Record) -> JSONObject { JSONObject() }
  package static func names(_ id: String, _ device: Record) -> Bool { device.uuid == id }
  package static func fault(inName name: String) -> String? { nil }
  package func ended(_ device: Record) {}
}

extension DeviceKind {
  package func all(of account: UniversalID) async throws -> [Record] { try await devices.all(of: account) }

  /// - Returns: `nil` when the device is gone, as with ``remove(_:of:by:_:)``.
  package func rename(
    _ id: String, to name: String, of account: UniversalID, by actor: AccountActor, _ accounts: Accounts
  ) async throws -> Record? {
    try await accounts.renameMethod(id, to: name, kind: Self.name, in: devices, of: account, by: actor)
  }

  package func remove(
    _ id: String, of account: UniversalID, by actor: AccountActor, _ accounts: Accounts
  ) async throws -> Record? {
    let gone = try await accounts.removeMethod(id, kind: Self.name, in: devices, of: account, by: actor)
    if let gone { ended(gone) }
    return gone
  }

  package func reset(
    _ account: UniversalID, by actor: AccountActor, _ accounts: Accounts
  ) async throws {
    for device in try await accounts.resetMethods(kind: Self.name, in: devices, of: account, by: actor) {
      ended(device)
    }
  }
}

extension DeviceRecord {
  /// What clients see of a device; times are milliseconds since 1970.
  ///
  /// - Parameter members: those of the kind.
  package func representation(_ members: JSONObject) -> JSONObject {
    var object: JSONObject = [
      "createdDate": .integer(createdDate.millisecondsSince1970),
      "lastAccessDate": .integer(lastAccessDate.millisecondsSince1970),
    ]
    object.merge(members)
    object["deviceName"] = .string(deviceName)
    object["uuid"] = .string(uuid)
    object["deviceManagementStatus"] = false
    return object.identified(by: uuid)
  }
}
