public import PingJourneyPlugin
public import PingOrchestrate

/// Asks to choose one of several options, usually shown as buttons.
// Its stored properties are guarded.
public class ConfirmationCallback: AbstractCallback, @unchecked Sendable {
  /// The options, in order.
  @Guarded public private(set) var options: [String] = []

  /// The default index read as an ``OptionType``, which has no meaning: use ``defaultOptionIndex``.
  @Guarded public private(set) var defaultOption: OptionType = .unspecified

  /// The index into ``options`` of the default.
  ///
  /// The default is not preset as the answer: on a polling page that would press the exit button.
  @Guarded public private(set) var defaultOptionIndex: Int?

  /// The answers that are offered when there are no ``options``.
  @Guarded public private(set) var optionType: OptionType = .unknown

  /// What kind of message it is.
  @Guarded public private(set) var messageType: MessageType = .unknown

  /// The text to show.
  @Guarded public private(set) var prompt: String = ""

  /// The answer: an index into ``options``, or `nil` for no choice.
  @Guarded public var selectedIndex: Int?

  public override func initValue(name: String, value: Any) {
    switch name {
    case JourneyConstants.prompt: prompt = OutputValue.string(value) ?? prompt
    case JourneyConstants.options: options = OutputValue.strings(value) ?? options
    case JourneyConstants.defaultOption:
      defaultOptionIndex = OutputValue.int(value)
      defaultOption = defaultOptionIndex.flatMap(OptionType.init(rawValue:)) ?? .unspecified
    case JourneyConstants.optionType:
      optionType = OutputValue.int(value).flatMap(OptionType.init(rawValue:)) ?? .unknown
    case JourneyConstants.messageType:
      messageType = OutputValue.int(value).flatMap(MessageType.init(rawValue:)) ?? .unknown
    default: break
    }
  }

  /// The callback with ``selectedIndex`` as its answer, or as received without one.
  public override func payload() -> [String: Any] { selectedIndex.map { input($0) } ?? json }
}
