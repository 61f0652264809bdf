internal import Foundation
internal import JourneyStore
internal import StrictJSON

/// A kind of devices of an account, as ``DevicesEndpoint`` lists, renames and removes them. They come from journeys.
protocol DeviceKind: Sendable {
  associatedtype Record: Sendable

  /// The path of the kind's devices below their user's.
  static var path: String { get }

  /// The kind in security events.
  static var name: String { get }

  /// Whether one device can be read alone. PingAM has that for WebAuthn only.
  static var isReadable: Bool { get }

  /// The user's devices, newest first.
  func devices(of account: UniversalID) async throws -> [Record]

  /// Gives the device a new name; the record after, or `nil` when there is none.
  func rename(_ id: String, of account: UniversalID, to name: String) async throws -> Record?

  /// Removes the device; the record before, or `nil` when there was none.
  func remove(_ id: String, of account: UniversalID) async throws -> Record?

  /// What clients see of a device: no secret, no token. Times are milliseconds since 1970.
  static func representation(of device: Record) -> JSONObject

  /// Whether `id`, as it stands in a path, names the device that is to be read.
  static func names(_ id: String, _ device: Record) -> Bool

  /// What is wrong with a device's new name beside the rules of all kinds; `nil` when nothing is.
  static func fault(inName name: String) -> String?

  /// The user's choice to do without the kind; `nil` for kinds that leave none.
  var choice: (any DeviceChoice)? { get }
}

/// Whether a user may do without a kind of devices: PingAM's actions `check`, `skip` and `reset`.
protocol DeviceChoice: Sendable {
  func skipSetting(of account: UniversalID) async throws -> SkipSetting

  /// `false` when there is no such user.
  func set(_ setting: SkipSetting, of account: UniversalID) async throws -> Bool

  /// Removes all devices of the kind, and the setting with them.
  func reset(_ account: UniversalID) async throws
}

extension DeviceKind {
  static var isReadable: Bool { false }
  static func names(_ id: String, _ device: Record) -> Bool { false }
  static func fault(inName name: String) -> String? { nil }
  var choice: (any DeviceChoice)? { nil }
}

extension DeviceRecord {
  /// What clients see of a device of any kind.
  ///
  /// - Parameter members: those of the kind.
  func representation(_ members: JSONObject = JSONObject()) -> JSONObject {
    var object: JSONObject = [
      "createdDate": .integer(createdDate.milliseconds),
      "lastAccessDate": .integer(lastAccessDate.milliseconds),
    ]
    object.merge(members)
    object["deviceName"] = .string(deviceName)
    object["uuid"] = .string(uuid)
    object["deviceManagementStatus"] = false
    return object.identified(by: uuid)
  }
}
