public import PingJourneyPlugin
public import PingOrchestrate

/// Asks for a security question and its answer.
// Its stored properties are guarded.
public class KbaCreateCallback: AbstractCallback, @unchecked Sendable {
  /// The text to show.
  @Guarded public private(set) var prompt: String = ""

  /// The questions to choose from.
  @Guarded public private(set) var predefinedQuestions: [String] = []

  /// Whether the person may write a question.
  @Guarded public var allowUserDefinedQuestions: Bool = false

  /// The question that was chosen or written.
  @Guarded public var selectedQuestion: String = ""

  /// The answer. A secret: never log it.
  @Guarded public var selectedAnswer: String = ""

  public override func initValue(name: String, value: Any) {
    switch name {
    case JourneyConstants.prompt: prompt = OutputValue.string(value) ?? prompt
    case JourneyConstants.predefinedQuestions:
      predefinedQuestions = OutputValue.strings(value) ?? predefinedQuestions
    case JourneyConstants.allowUserDefinedQuestions:
      allowUserDefinedQuestions = OutputValue.bool(value) ?? allowUserDefinedQuestions
    default: break
    }
  }

  /// The callback with ``selectedQuestion`` and ``selectedAnswer`` as its answers, found by the ends of their names.
  public override func payload() -> [String: Any] {
    let question = selectedQuestion
    let text = selectedAnswer
    return answer { place, name in
      if name.hasSuffix("question") { return question }
      if name.hasSuffix("answer") { return text }
      return [question, text].indices.contains(place) ? [question, text][place] : nil
    }
  }
}
