public import PingJourneyPlugin
public import PingOrchestrate

/// A callback whose answer the server checks against policies.
// Its stored properties are guarded; subclasses guard theirs.
open class AbstractValidatedCallback: AbstractCallback, @unchecked Sendable {
  /// The text to show.
  @Guarded public private(set) var prompt: String = ""

  /// Whether the server only checks the answer, and stays at this step.
  @Guarded public var validateOnly: Bool = false

  /// The policies that the last answer did not meet.
  @Guarded public private(set) var failedPolicies: [FailedPolicy] = []

  @Guarded private var policyBox = JSONBox()

  /// The policies that apply. A list of policy names, as old servers send it, is found under `policyRequirements`.
  public private(set) var policies: [String: Any] {
    get { policyBox.object }
    set { policyBox = JSONBox(newValue) }
  }

  open override func initValue(name: String, value: Any) {
    switch name {
    case JourneyConstants.prompt: prompt = OutputValue.string(value) ?? prompt
    case JourneyConstants.validateOnly: validateOnly = OutputValue.bool(value) ?? validateOnly
    case JourneyConstants.policies:
      if let object = value as? [String: Any] {
        policies = object
      } else if let list = value as? [Any] {
        policies = ["policyRequirements": list]
      }
    case JourneyConstants.failedPolicies:
      failedPolicies = (value as? [Any] ?? [value]).compactMap(FailedPolicy.init(received:))
    default: break
    }
  }

  /// The callback with `value` and ``validateOnly`` in its inputs, which differ by name. When `value` is `nil`, its input
  /// stays as received.
  func validated(_ value: Any?) -> [String: Any] {
    let validateOnly = validateOnly
    var isAnswered = false
    return answer { _, name in
      if name.hasSuffix(JourneyConstants.validateOnly) { return validateOnly }
      defer { isAnswered = true }
      return isAnswered ? nil : value
    }
  }
}

/// Asks for a new user name.
// Its stored property is guarded.
public class ValidatedUsernameCallback: AbstractValidatedCallback, @unchecked Sendable {
  /// The answer.
  @Guarded public var username: String = ""

  public override func payload() -> [String: Any] { validated(username) }
}

/// Asks for a new password.
// Its stored properties are guarded.
public class ValidatedPasswordCallback: AbstractValidatedCallback, @unchecked Sendable {
  /// Whether the password may be seen while it is typed.
  @Guarded public private(set) var echoOn: Bool = false

  /// The answer. A secret: never log it.
  @Guarded public var password: String = ""

  public override func initValue(name: String, value: Any) {
    guard name == JourneyConstants.echoOn else { return super.initValue(name: name, value: value) }
    echoOn = OutputValue.bool(value) ?? echoOn
  }

  public override func payload() -> [String: Any] { validated(password) }
}
