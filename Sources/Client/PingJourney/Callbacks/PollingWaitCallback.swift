public import PingJourneyPlugin
public import PingOrchestrate

/// Tells the client to wait, then to post the step unchanged.
// Its stored properties are guarded.
public class PollingWaitCallback: AbstractCallback, @unchecked Sendable {
  /// How long to wait, in milliseconds.
  @Guarded public private(set) var waitTime: Int = 0

  /// The text to show meanwhile.
  @Guarded public private(set) var message: String = ""

  public override func initValue(name: String, value: Any) {
    switch name {
    case JourneyConstants.waitTime: self.waitTime = OutputValue.digits(value) ?? self.waitTime
    case JourneyConstants.message: self.message = OutputValue.string(value) ?? self.message
    default: break
    }
  }
}
