public import PingJourneyPlugin
public import PingOrchestrate

/// Asks for a user name.
// Its stored properties are guarded.
public class NameCallback: AbstractCallback, @unchecked Sendable {
  /// The text to show.
  @Guarded public private(set) var prompt: String = ""

  /// The answer.
  @Guarded public var name: String = ""

  public override func initValue(name: String, value: Any) {
    if name == JourneyConstants.prompt { prompt = OutputValue.string(value) ?? prompt }
  }

  public override func payload() -> [String: Any] { input(name) }
}

/// Asks for a password.
// Its stored properties are guarded.
public class PasswordCallback: AbstractCallback, @unchecked Sendable {
  /// The text to show.
  @Guarded public private(set) var prompt: String = ""

  /// The answer. A secret: never log it.
  @Guarded public var password: String = ""

  public override func initValue(name: String, value: Any) {
    if name == JourneyConstants.prompt { prompt = OutputValue.string(value) ?? prompt }
  }

  public override func payload() -> [String: Any] { input(password) }
}

/// Asks for a text.
// Its stored properties are guarded.
public class TextInputCallback: AbstractCallback, @unchecked Sendable {
  /// The text to show.
  @Guarded public private(set) var prompt: String = ""

  /// The text that is preset.
  @Guarded public private(set) var defaultText: String = ""

  /// The answer. Starts as ``defaultText``.
  @Guarded public var text: String = ""

  public override func initValue(name: String, value: Any) {
    switch name {
    case JourneyConstants.prompt: self.prompt = OutputValue.string(value) ?? self.prompt
    case JourneyConstants.defaultText:
      self.defaultText = OutputValue.string(value) ?? self.defaultText
      self.text = self.defaultText
    default: break
    }
  }

  public override func payload() -> [String: Any] { input(text) }
}
