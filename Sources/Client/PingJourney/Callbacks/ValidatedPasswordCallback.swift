internal import PingJourneyPlugin
public import PingOrchestrate

/// Asks for a new password.
// Its stored properties are guarded.
public class ValidatedPasswordCallback: AbstractValidatedCallback, @unchecked Sendable {
  /// Whether the password may be seen while it is typed.
  @Guarded public private(set) var echoOn: Bool = false

  /// The answer. A secret: never log it.
  @Guarded public var password: String = ""

  /// Takes one output.
  public override func initValue(name: String, value: Any) {
    if name == JourneyConstants.echoOn {
      echoOn = OutputValue.bool(value) ?? echoOn
    } else {
      super.initValue(name: name, value: value)
    }
  }

  /// The callback with ``password`` as its answer.
  public override func payload() -> [String: Any] { validated(password) }
}
