public import PingJourneyPlugin
public import PingOrchestrate

/// Shows a message.
// Its stored properties are guarded.
public class TextOutputCallback: AbstractCallback, @unchecked Sendable {
  /// What kind of message it is.
  @Guarded public private(set) var messageType: MessageType = .unknown

  /// The message.
  @Guarded public private(set) var message: String = ""

  /// Takes one output; the type may be a number or its text.
  public override func initValue(name: String, value: Any) {
    switch name {
    case JourneyConstants.message: message = OutputValue.string(value) ?? message
    case JourneyConstants.messageType:
      messageType = OutputValue.digits(value).flatMap(MessageType.init(rawValue:)) ?? .unknown
    default: break
    }
  }

  /// The callback as received; nothing for a script or an unknown type, which are left out of the answer.
  public override func payload() -> [String: Any] {
    switch messageType {
    case .information, .warning, .error: json
    case .script, .unknown: [:]
    }
  }
}

/// Shows a message while the journey is suspended until a link resumes it; see `Journey.resume(_:configure:)`. Do not answer its
/// node.
// Adds no stored property.
public class SuspendedTextOutputCallback: TextOutputCallback, @unchecked Sendable {}
