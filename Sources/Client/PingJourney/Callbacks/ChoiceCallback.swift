public import PingJourneyPlugin
public import PingOrchestrate

/// Asks for one of several choices.
// Its stored properties are guarded.
public class ChoiceCallback: AbstractCallback, @unchecked Sendable {
  /// The choices, in order.
  @Guarded public private(set) var choices: [String] = []

  /// The index of the choice that is preset.
  @Guarded public private(set) var defaultChoice: Int = 0

  /// The text to show.
  @Guarded public private(set) var prompt: String = ""

  /// The answer: an index into ``choices``. Starts as ``defaultChoice``.
  @Guarded public var selectedIndex: Int = 0

  public override func initValue(name: String, value: Any) {
    switch name {
    case JourneyConstants.prompt: self.prompt = OutputValue.string(value) ?? self.prompt
    case JourneyConstants.choices: self.choices = OutputValue.strings(value) ?? self.choices
    case JourneyConstants.defaultChoice:
      self.defaultChoice = OutputValue.int(value) ?? self.defaultChoice
      self.selectedIndex = self.defaultChoice
    default: break
    }
  }

  public override func payload() -> [String: Any] { input(selectedIndex) }
}
