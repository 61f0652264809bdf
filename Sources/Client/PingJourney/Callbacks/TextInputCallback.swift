public import PingJourneyPlugin
public import PingOrchestrate

/// Asks for a text.
// Its stored properties are guarded.
public class TextInputCallback: AbstractCallback, @unchecked Sendable {
  /// The text to show.
  @Guarded public private(set) var prompt: String = ""

  /// The text that is preset.
  @Guarded public private(set) var defaultText: String = ""

  /// The answer. Starts as ``defaultText``.
  @Guarded public var text: String = ""

  /// Takes one output.
  public override func initValue(name: String, value: Any) {
    switch name {
    case JourneyConstants.prompt: self.prompt = OutputValue.string(value) ?? self.prompt
    case JourneyConstants.defaultText:
      self.defaultText = OutputValue.string(value) ?? self.defaultText
      self.text = self.defaultText
    default: break
    }
  }

  /// The callback with ``text`` as its answer.
  public override func payload() -> [String: Any] { input(text) }
}
