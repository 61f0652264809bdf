public import PingJourneyPlugin
public import PingOrchestrate

/// Asks to accept terms and conditions.
// Its stored properties are guarded.
public class TermsAndConditionsCallback: AbstractCallback, @unchecked Sendable {
  /// The version of the terms.
  @Guarded public private(set) var version: String = ""

  /// The terms.
  @Guarded public private(set) var terms: String = ""

  /// When the terms were written, as ISO 8601 text.
  @Guarded public private(set) var createDate: String = ""

  /// The answer.
  @Guarded public var accepted: Bool = false

  public override func initValue(name: String, value: Any) {
    switch name {
    case JourneyConstants.version: self.version = OutputValue.string(value) ?? self.version
    case JourneyConstants.terms: self.terms = OutputValue.string(value) ?? self.terms
    case JourneyConstants.createDate: self.createDate = OutputValue.string(value) ?? self.createDate
    default: break
    }
  }

  public override func payload() -> [String: Any] { input(accepted) }
}
