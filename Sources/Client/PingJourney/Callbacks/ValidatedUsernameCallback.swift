internal import PingJourneyPlugin
public import PingOrchestrate

/// Asks for a new user name.
// Its stored property is guarded.
public class ValidatedUsernameCallback: AbstractValidatedCallback, @unchecked Sendable {
  /// The answer.
  @Guarded public var username: String = ""

  /// The callback with ``username`` as its answer.
  public override func payload() -> [String: Any] { validated(username) }
}
