public import JourneyEngine
internal import StrictJSON

/// Terms that people accept before an account is made.
public struct TermsAndConditions: Sendable, Hashable {
  public var version: String
  public var text: LocalizedText

  /// When this version was made, in ISO 8601.
  public var createDate: String

  public init(
    version: String = "0.0",
    text: LocalizedText = LocalizedText([], builtIn: "This service has no terms of its own."),
    createDate: String = "2026-01-01T00:00:00.000Z"
  ) {
    self.version = version
    self.text = text
    self.createDate = createDate
  }
}

/// Questions whose answers prove who somebody is.
public struct SecurityQuestions: Sendable, Hashable {
  public struct Question: Sendable, Hashable {
    public var id: String
    public var text: LocalizedText

    public init(_ id: String, _ text: LocalizedText) {
      self.id = id
      self.text = text
    }
  }

  public var texts: [Question]

  /// How many a person answers, from 1 to 5: each answer costs a hash. The platform's default is 2.
  public var answersNeeded: Int

  public init(_ texts: [Question], answersNeeded: Int = 2) {
    self.texts = texts
    self.answersNeeded = min(5, max(1, answersNeeded))
  }

  public static let standard = SecurityQuestions([
    Question("1", LocalizedText([], builtIn: "What was the name of your first teacher?")),
    Question("2", LocalizedText([], builtIn: "In which street did you live as a child?")),
    Question("3", LocalizedText([], builtIn: "Which was the first concert that you went to?")),
  ])
}
