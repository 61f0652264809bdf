public import StrictJSON

/// A node that gives its step texts of its own, as pages have them.
public protocol TitledNode: JourneyNode {
  /// The texts for the step that the node has just asked, from the notes that it left.
  func texts(notes: JSONObject) -> StepTexts
}

/// The texts around the callbacks of a step.
public struct StepTexts: Sendable, Hashable {
  public var header: String?
  public var description: String?
  public var stage: String?

  public init(header: String? = nil, description: String? = nil, stage: String? = nil) {
    self.header = header
    self.description = description
    self.stage = stage
  }
}

extension JourneyState {
  private static let failureMessageKey = "journey.failureMessage"
  private static let sessionPropertiesKey = "journey.sessionProperties"

  /// Texts that the session of a successful run gets beside its own properties, for applications to read.
  public var sessionProperties: JSONObject {
    get { secure[Self.sessionPropertiesKey]?.objectValue ?? JSONObject() }
    set { secure[Self.sessionPropertiesKey] = newValue.isEmpty ? nil : .object(newValue) }
  }

  /// What the client reads in place of `Login failure` if the run fails; `nil` to keep that text.
  public var failureMessage: String? {
    get { secure[Self.failureMessageKey]?.stringValue }
    set { secure[Self.failureMessageKey] = newValue.map(JSONValue.string) }
  }
}
