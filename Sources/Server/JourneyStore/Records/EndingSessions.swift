/// Which sessions of an account end.
public enum EndingSessions: Sendable, Hashable {
  case all

  /// All live ones but the one whose token has this hash.
  case others(than: [UInt8])

  /// The one whose token has this hash.
  case one([UInt8])
}

/// What an ending has ended.
public struct EndedSessions: Sendable, Hashable {
  public var sessions: Int

  /// SSH certificates that were taken back.
  public var certificates: Int
}
