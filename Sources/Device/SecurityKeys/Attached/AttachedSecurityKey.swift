/// A security key that is plugged in.
public struct AttachedSecurityKey: Sendable, Hashable, CustomStringConvertible {
  /// The key's file, such as `/dev/hidraw3`. After unplugging, another key may have it.
  public let path: String

  /// The name that the key reports, at most 100 characters on one line. Nothing vouches for it.
  public let name: String

  /// The USB numbers of the maker and the model, as the key reports them.
  public let vendor: UInt16
  public let product: UInt16

  /// Whether this user may open it.
  public let isPermitted: Bool

  /// The path and the name.
  public var description: String { "\(path) (\(name))" }
}
