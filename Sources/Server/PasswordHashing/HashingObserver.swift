/// Hears what becomes of passwords that wait for a thread, for metrics.
public struct HashingObserver: Sendable {
  /// One got its thread after this time, which may be zero.
  public var waited: @Sendable (Duration) -> Void

  /// One was refused, because too many wait.
  public var refused: @Sendable () -> Void

  public init(
    waited: @escaping @Sendable (Duration) -> Void = { _ in }, refused: @escaping @Sendable () -> Void = {}
  ) {
    self.waited = waited
    self.refused = refused
  }
}
