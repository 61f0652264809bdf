public import BindingFormats
public import Foundation

/// Authenticators of one-time codes, and what limits guessing.
public protocol OathStore: Sendable {
  var oathDevices: any DeviceStore<OathDeviceRecord> { get }

  /// Stores a device unless the user has as many as `limit` allows: one conditional write. `false` when the limit forbids it.
  /// Throws ``StoreError/missing(_:)`` without the user.
  func addOathDevice(_ device: OathDeviceRecord, limit: DeviceLimit) async throws -> Bool

  /// Uses up the code of `factor`, a counter or a time step, and with it those of all lower ones: one conditional write.
  /// On success the drift is kept and the wrong codes before it are forgotten. While guesses are
  /// locked nothing is accepted, so that those sent all at once do not outrun the count.
  ///
  /// - Parameter device: the known device of the ``LockoutScope``.
  func acceptOathCode(
    uuid: String, of account: UniversalID, device: String?, factor: UInt64, drift: Int, now: Date
  ) async throws -> OathAcceptance
}

/// What became of a right code.
public enum OathAcceptance: Sendable, Hashable {
  case accepted
  /// It, or a later one, was accepted before; or the device is gone.
  case used
  case locked
}
