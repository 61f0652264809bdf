public import BindingFormats

/// The devices of one kind, of all users. They are added by what enrols the kind.
public protocol DeviceStore<Record>: Sendable {
  associatedtype Record: DeviceRecord

  /// The user's devices, newest first.
  func all(of account: UniversalID) async throws -> [Record]

  /// Gives the device a new name; the record after, or `nil` when there is none.
  func rename(_ uuid: String, of account: UniversalID, to name: String) async throws -> Record?

  /// Removes the device, and with the last one the recovery codes that stand in for the kind; the record before, or `nil`
  /// when there was none.
  func delete(_ uuid: String, of account: UniversalID) async throws -> Record?

  /// Removes all devices of the user, the recovery codes that stand in for them and the skip setting; the records before.
  /// What was counted against the user stays.
  func reset(_ account: UniversalID) async throws -> [Record]

  /// Whether the user may do without the kind; ``SkipSetting/notSet`` for kinds that leave no choice.
  func skipSetting(of account: UniversalID) async throws -> SkipSetting

  /// Sets it. `false` when there is no such user, or no choice.
  func set(_ setting: SkipSetting, of account: UniversalID) async throws -> Bool
}
