/// Observes passwords that wait for a thread, for metrics.
public struct HashingObserver: Sendable {
  /// Called with the time that a password waited for its thread; it may be zero.
  public var waited: @Sendable (Duration) -> Void

  /// Called when a password is refused because too many wait.
  public var refused: @Sendable () -> Void

  public init(
    waited: @escaping @Sendable (Duration) -> Void = { _ in }, refused: @escaping @Sendable () -> Void = {}
  ) {
    self.waited = waited
    self.refused = refused
  }
}
