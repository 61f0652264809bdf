public import Foundation

/// Push devices, and what they and their transports say of them.
public protocol PushDeviceStore: Sendable {
  var pushDevices: any DeviceStore<PushDeviceRecord> { get }

  /// The device of that credential, or `nil`.
  func pushDevice(mechanismUID: String, realm: String) async throws -> PushDeviceRecord?

  /// Stores what the device says of itself, unless something that it signed later, or at the same moment, has been stored:
  /// one conditional write. `false` for such a replay and for a device that is gone.
  func refreshPushDevice(mechanismUID: String, realm: String, with refresh: PushDeviceRefresh) async throws
    -> Bool

  /// Notes that a transport takes nothing for the device's token since `date`: one conditional write. `false` when the
  /// device has another token, told this one after `date`, or is gone, and when the token was retired before.
  func retirePushToken(mechanismUID: String, realm: String, token: String, at date: Date) async throws -> Bool

  /// The subset of `addresses` that belong to stored devices.
  func existingPushDevices(among addresses: Set<PushAddress>) async throws -> Set<PushAddress>
}
