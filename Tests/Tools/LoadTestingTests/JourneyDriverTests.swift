import JourneyDriving
import Testing

/// Counts down, and can leave at a number; odd pages wait.
private struct Countdown: JourneyAnswers {
  var leavesAt: Int?
  var answered: [Int] = []

  static func question(_ page: Int) -> Int? { page > 0 ? page : nil }

  static func waits(_ question: Int) -> Bool { !question.isMultiple(of: 2) }

  mutating func answer(_ question: Int) async throws -> Int? {
    answered.append(question)
    return question == leavesAt ? nil : question - 1
  }
}

@Suite("A driver of journeys") struct JourneyDriverTests {
  @Test func `each page that asks is answered, until the end`() async throws {
    var answers = Countdown()
    #expect(try await JourneyDriver().play(from: 3, &answers) == 0)
    #expect(answers.answered == [3, 2, 1])
  }

  @Test func `a journey can be left at a page`() async throws {
    var answers = Countdown(leavesAt: 2)
    #expect(try await JourneyDriver().play(from: 3, &answers) == 2)
  }

  @Test func `a journey that asks too much is left, and waiting is not asking`() async throws {
    var answers = Countdown()
    #expect(try await JourneyDriver(mostPages: 3).play(from: 9, &answers) == 3)
    #expect(answers.answered == [9, 8, 7, 6, 5, 4])
  }

  @Test func `answers can be a function`() async {
    let last = await JourneyDriver(mostPages: 2).play(
      from: "a", question: { $0.count < 9 ? $0 : nil }, waits: { _ in false }, answer: { $0 + "b" })
    #expect(last == "abb")
  }
}
