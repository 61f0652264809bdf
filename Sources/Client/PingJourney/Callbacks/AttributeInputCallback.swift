internal import PingJourneyPlugin
public import PingOrchestrate

/// Asks for the value of an attribute.
// Its stored properties are guarded; subclasses guard theirs.
public class AttributeInputCallback: AbstractValidatedCallback, @unchecked Sendable {
  /// The attribute's name.
  @Guarded public private(set) var name: String = ""

  /// Whether a value is required.
  @Guarded public private(set) var required: Bool = false

  public override func initValue(name: String, value: Any) {
    switch name {
    case JourneyConstants.name: self.name = OutputValue.string(value) ?? self.name
    case JourneyConstants.required: required = OutputValue.bool(value) ?? required
    default: super.initValue(name: name, value: value)
    }
  }
}

/// Asks for a text.
// Its stored property is guarded.
public class StringAttributeInputCallback: AttributeInputCallback, @unchecked Sendable {
  /// The answer; preset by the server.
  @Guarded public var value: String = ""

  public override func initValue(name: String, value: Any) {
    guard name == JourneyConstants.value else { return super.initValue(name: name, value: value) }
    self.value = OutputValue.string(value) ?? self.value
  }

  public override func payload() -> [String: Any] { validated(value) }
}

/// Asks for a number.
// Its stored property is guarded.
public class NumberAttributeInputCallback: AttributeInputCallback, @unchecked Sendable {
  /// `nil` as long as neither the server nor the app has given a value: 0 would be an answer.
  @Guarded private var given: Double?

  /// The answer; preset by the server. Without an answer it reads 0, and nothing is posted.
  public var value: Double {
    get { given ?? 0 }
    set { given = newValue }
  }

  public override func initValue(name: String, value: Any) {
    guard name == JourneyConstants.value else { return super.initValue(name: name, value: value) }
    given = OutputValue.decimal(value) ?? given
  }

  /// The callback with ``value`` as its answer, or as received while there is none.
  public override func payload() -> [String: Any] { validated(given) }
}

/// Asks for yes or no.
// Its stored property is guarded.
public class BooleanAttributeInputCallback: AttributeInputCallback, @unchecked Sendable {
  /// `nil` as long as neither the server nor the app has given a value: false would be an answer.
  @Guarded private var given: Bool?

  /// The answer; preset by the server. Without an answer it reads `false`, and nothing is posted.
  public var value: Bool {
    get { given ?? false }
    set { given = newValue }
  }

  public override func initValue(name: String, value: Any) {
    guard name == JourneyConstants.value else { return super.initValue(name: name, value: value) }
    given = OutputValue.bool(value) ?? given
  }

  /// The callback with ``value`` as its answer, or as received while there is none.
  public override func payload() -> [String: Any] { validated(given) }
}
