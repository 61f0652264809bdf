/// Plays a journey: gives each page that asks to whom it asks, until the journey ends.
public struct JourneyDriver: Sendable {
  /// Pages after which a journey that still asks is left: no person answers so many. Those that only wait do not count, because the server ends
  /// the waiting.
  public let mostPages: Int

  public init(mostPages: Int = 50) { self.mostPages = mostPages }

  /// - Returns: The page at which the journey ended, or at which it was left.
  /// - Throws: What the answers throw.
  public func play<Answers: JourneyAnswers>(
    from first: Answers.Page, _ answers: inout Answers
  ) async throws -> Answers.Page {
    try await play(from: first, question: Answers.question, waits: Answers.waits) { question in
      try await answers.answer(question)
    }
  }

  /// The same for answers that are a function; see ``JourneyAnswers`` for what each has to do.
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

/// Whoever answers a journey: a person at a terminal, a test's script, one of many simulated devices.
public protocol JourneyAnswers {
  /// What the server answers with.
  associatedtype Page

  /// A page that asks.
  associatedtype Question

  /// What `page` asks; `nil` at the end of the journey.
  static func question(_ page: Page) -> Question?

  /// Whether the page only waits for somebody else.
  static func waits(_ question: Question) -> Bool

  /// Answers everything that is asked, and sends it.
  ///
  /// - Returns: What the server answers; `nil` to leave the journey here.
  mutating func answer(_ question: Question) async throws -> Page?
}

extension JourneyAnswers {
  public static func waits(_ question: Question) -> Bool { false }
}
