/// Spares a person who keeps saying no: a program that asks again and again is refused for a while without a question.
struct RefusalPause {
  /// After so many refusals in a row
  static let refusals = 3
  /// for so long.
  static let length = Duration.seconds(60)

  private var count = 0
  private var end: Duration?

  /// Whether nobody is to be asked.
  mutating func isOn(at now: Duration) -> Bool {
    guard let end else { return false }
    guard now >= end else { return true }
    (self.end, count) = (nil, 0)
    return false
  }

  /// What is taken away without an answer is not agreed: questions that come and go wait for an answer that was meant for another.
  mutating func note(agreed: Bool, at now: Duration) {
    count = agreed ? 0 : count + 1
    if count >= Self.refusals { end = now + Self.length }
  }
}
