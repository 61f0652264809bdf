/// Plays a journey: passes each page to the answers, until the journey ends.
public struct JourneyDriver: Sendable {
  /// The most pages to answer before a journey is abandoned, more than any person answers. Pages that only wait do not count, because the
  /// server limits the waiting.
  public let mostPages: Int

  public init(mostPages: Int = 50) { self.mostPages = mostPages }

  /// - Returns: The page at which the journey ended or was abandoned.
  /// - Throws: Any error of the answers.
  public func play<Answers: JourneyAnswers>(
    from first: Answers.Page, _ answers: inout Answers
  ) async throws -> Answers.Page {
    try await play(from: first, question: Answers.question, waits: Answers.waits) { question in
      try await answers.answer(question)
    }
  }

  /// Plays a journey with functions as answers; ``JourneyAnswers`` describes each of them.
  public func play<Page, Question>(
    from first: Page, question: (Page) -> Question?, waits: (Question) -> Bool,
    answer: (Question) async throws -> Page?
  ) async rethrows -> Page {
    var (page, asked) = (first, 0)
    while asked < mostPages, let question = question(page) {
      if !waits(question) { asked += 1 }
      guard let next = try await answer(question) else { break }
      page = next
    }
    return page
  }
}

/// Answers a journey: a user at a terminal, a test's script, one of many simulated devices.
public protocol JourneyAnswers {
  /// The server's answer.
  associatedtype Page

  /// The question on a page.
  associatedtype Question

  /// The question on `page`; `nil` at the end of the journey.
  static func question(_ page: Page) -> Question?

  /// Whether the page only waits for another device or person.
  static func waits(_ question: Question) -> Bool

  /// Answers the whole question, and sends the answers.
  ///
  /// - Returns: The server's next page; `nil` to abandon the journey.
  mutating func answer(_ question: Question) async throws -> Page?
}

extension JourneyAnswers {
  public static func waits(_ question: Question) -> Bool { false }
}
