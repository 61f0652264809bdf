public import PingJourneyPlugin
public import PingOrchestrate

/// Asks for the consent to share attributes with another system.
// Its stored properties are guarded.
public class ConsentMappingCallback: AbstractCallback, @unchecked Sendable {
  /// The mapping's name.
  @Guarded public private(set) var name: String = ""

  /// The mapping's name for people.
  @Guarded public private(set) var displayName: String = ""

  /// The URL of an icon, or `""`.
  @Guarded public private(set) var icon: String = ""

  /// What is shared, such as `Actual Profile`.
  @Guarded public private(set) var accessLevel: String = ""

  /// Whether the journey continues only with consent.
  @Guarded public private(set) var isRequired: Bool = false

  /// The text to show.
  @Guarded public private(set) var message: String = ""

  /// The attributes that are shared.
  @Guarded public private(set) var fields: [String] = []

  /// The answer.
  @Guarded public var accepted: Bool = false

  public override func initValue(name: String, value: Any) {
    switch name {
    case JourneyConstants.name: self.name = OutputValue.string(value) ?? self.name
    case JourneyConstants.displayName: self.displayName = OutputValue.string(value) ?? self.displayName
    case JourneyConstants.icon: self.icon = OutputValue.string(value) ?? self.icon
    case JourneyConstants.accessLevel: self.accessLevel = OutputValue.string(value) ?? self.accessLevel
    case JourneyConstants.isRequired: self.isRequired = OutputValue.bool(value) ?? self.isRequired
    case JourneyConstants.message: self.message = OutputValue.string(value) ?? self.message
    case JourneyConstants.fields: self.fields = OutputValue.strings(value) ?? self.fields
    default: break
    }
  }

  public override func payload() -> [String: Any] { input(accepted) }
}
