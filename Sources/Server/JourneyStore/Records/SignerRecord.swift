/// Whoever signs with a bound device: the account, whether its signatures are locked, and the device.
public struct SignerRecord: Sendable, Hashable {
  public var user: UserRecord
  public var lockout: LockoutState

  /// `nil` when the account has no device of the id that was asked for.
  public var device: BoundDeviceRecord?
}
