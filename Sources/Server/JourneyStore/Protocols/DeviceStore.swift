public import BindingFormats

/// The devices of one kind, of all users. The operations that enrol a device of the kind add it.
public protocol DeviceStore<Record>: Sendable {
  associatedtype Record: DeviceRecord

  /// The user's devices, newest first.
  func all(of account: UniversalID) async throws -> [Record]

  /// Renames the device. Returns the record after the change; `nil` when there is no such device.
  func rename(_ uuid: String, of account: UniversalID, to name: String) async throws -> Record?

  /// Removes the device, and with the last one the recovery codes that stand in for the kind. Returns the record before; `nil` when there
  /// was none.
  func delete(_ uuid: String, of account: UniversalID) async throws -> Record?

  /// Removes all devices of the user, the recovery codes that stand in for them and the skip setting. Returns the records before. What was
  /// counted against the user stays.
  func reset(_ account: UniversalID) async throws -> [Record]

  /// Whether the user may do without the kind; ``SkipSetting/notSet`` for kinds that leave no choice.
  func skipSetting(of account: UniversalID) async throws -> SkipSetting

  /// Sets the skip setting. `false` when there is no such user, or no choice.
  func set(_ setting: SkipSetting, of account: UniversalID) async throws -> Bool
}
