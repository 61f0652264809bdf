public import PingJourneyPlugin
public import PingOrchestrate

/// A place for a value which a script or another callback computes, found by its id.
// Its stored properties are guarded.
public class HiddenValueCallback: AbstractCallback, ValueCallbackProtocol, @unchecked Sendable {
  /// The id on the wire, such as `webAuthnOutcome`.
  @Guarded public var valueId: String = ""

  /// The answer; preset by the server.
  @Guarded public var value: String = ""

  /// Sets the answer.
  public func setValue(_ value: String) { self.value = value }

  public override func initValue(name: String, value: Any) {
    switch name {
    case JourneyConstants.id: self.valueId = OutputValue.string(value) ?? self.valueId
    case JourneyConstants.value: self.value = OutputValue.string(value) ?? self.value
    default: break
    }
  }

  public override func payload() -> [String: Any] { input(value) }
}
