/// Whether a store can do something here and now.
public enum KeyStoreAvailability: Sendable, Hashable {
  case available
  /// It cannot; the text says why and what to do, in whole sentences.
  case unavailable(String)
  /// It cannot, because this device has no such hardware at all, rather than hardware that is busy, locked or unreachable. Only
  /// then may another store take its place. The text says what to do, in whole sentences.
  case absent(String)

  /// Why not; `nil` when it is available.
  public var problem: String? {
    switch self {
    case .available: nil
    case .unavailable(let reason), .absent(let reason): reason
    }
  }
}
