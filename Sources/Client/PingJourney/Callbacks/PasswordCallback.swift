public import PingJourneyPlugin
public import PingOrchestrate

/// Asks for a password.
// Its stored properties are guarded.
public class PasswordCallback: AbstractCallback, @unchecked Sendable {
  /// The text to show.
  @Guarded public private(set) var prompt: String = ""

  /// The answer. A secret: never log it.
  @Guarded public var password: String = ""

  /// Takes one output.
  public override func initValue(name: String, value: Any) {
    switch name {
    case JourneyConstants.prompt: self.prompt = OutputValue.string(value) ?? self.prompt
    default: break
    }
  }

  /// The callback with ``password`` as its answer.
  public override func payload() -> [String: Any] { input(password) }
}
