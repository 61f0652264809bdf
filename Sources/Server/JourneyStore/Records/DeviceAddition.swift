/// What became of a device that was to be added.
public enum DeviceAddition: Sendable, Hashable {
  case added
  /// The proof that a device is bound by has been accepted before.
  case replayed
  case limitReached
  /// It was to be added only as the user's first factor, and is not.
  case notFirst
  /// The user already has a bound device with this id or this key, or some account of the realm has a WebAuthn credential of this id.
  case duplicate
  case noSuchUser
}
