/// What became of ``ServerStore/user(_:using:)``.
public enum StepReading: Sendable, Hashable {
  /// Nobody has used the step before. The account is as it was then; `nil` when there is none.
  case first(UserRecord?)

  /// Somebody has.
  case used
}
