/// Spares a person who keeps saying no: a program that asks again and again is refused for a while without a question.
struct RefusalPause {
  /// How many refusals in a row start a pause.
  static let refusals = 3
  /// How long a pause lasts.
  static let length = Duration.seconds(60)

  private var count = 0
  private var end: Duration?

  /// Whether the pause is on: nobody is asked then.
  mutating func isOn(at now: Duration) -> Bool {
    guard let end else { return false }
    guard now >= end else { return true }
    (self.end, count) = (nil, 0)
    return false
  }

  /// Counts a question. One that is taken away unanswered is not agreed to: a program that shows questions only briefly hopes for an answer
  /// that was meant for another.
  mutating func note(agreed: Bool, at now: Duration) {
    count = agreed ? 0 : count + 1
    if count >= Self.refusals { end = now + Self.length }
  }
}
