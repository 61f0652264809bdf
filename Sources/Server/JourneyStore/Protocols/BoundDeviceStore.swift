public import BindingFormats

/// Bound devices.
public protocol BoundDeviceStore: Sendable {
  var boundDevices: any DeviceStore<BoundDeviceRecord> { get }

  /// Adds the device if the user still has fewer than `limit` (0 means no limit) and neither its `uuid` nor
  /// its `thumbprint` is already this user's: one conditional write. The user must exist.
  func addBoundDevice(_ device: BoundDeviceRecord, limit: DeviceLimit) async throws -> BoundDeviceAddition

  /// One device of the user, or `nil`.
  func boundDevice(uuid: String, of account: UniversalID) async throws -> BoundDeviceRecord?

  /// All that a proof by a bound key is judged by, in one visit of the store; `nil` when there is no such account.
  func signer(uuid: String, of account: UniversalID) async throws -> SignerRecord?
}

/// What became of ``BoundDeviceStore/addBoundDevice(_:limit:)``.
public enum BoundDeviceAddition: Sendable, Hashable {
  case added
  /// The proof that the device is bound by has been accepted before.
  case replayed
  case limitReached
  /// It was to be added only as the user's first factor, and is not.
  case notFirst
  /// The user already has a device with this `kid` or with this key.
  case duplicate
  case noSuchUser
}
