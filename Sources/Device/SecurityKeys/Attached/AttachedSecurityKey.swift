/// A security key that is plugged in.
public struct AttachedSecurityKey: Sendable, Hashable, CustomStringConvertible {
  /// Its file, such as `/dev/hidraw3`. Another key may have it after unplugging.
  public let path: String

  /// What the key calls itself, at most 100 characters on one line. Nothing vouches for it.
  public let name: String

  /// USB's numbers of its maker and model, as the key says.
  public let vendor: UInt16
  public let product: UInt16

  /// Whether this user may open it.
  public let isPermitted: Bool

  /// The path and the name.
  public var description: String { "\(path) (\(name))" }
}
