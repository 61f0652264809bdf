public import PingJourneyPlugin
public import PingOrchestrate

/// Asks for a user name.
// Its stored properties are guarded.
public class NameCallback: AbstractCallback, @unchecked Sendable {
  /// The text to show.
  @Guarded public private(set) var prompt: String = ""

  /// The answer.
  @Guarded public var name: String = ""

  /// Takes one output.
  public override func initValue(name: String, value: Any) {
    switch name {
    case JourneyConstants.prompt: self.prompt = OutputValue.string(value) ?? self.prompt
    default: break
    }
  }

  /// The callback with ``name`` as its answer.
  public override func payload() -> [String: Any] { input(name) }
}
