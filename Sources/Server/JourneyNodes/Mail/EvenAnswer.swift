/// Gives answers about known and unknown people the same duration, which is long enough for the work for a known one.
public struct EvenAnswer: Sendable {
  /// How long an answer takes at least.
  var least: Duration
  private let pause: @Sendable (Duration) async throws -> Void

  /// A tenth of a second: many times what finding somebody and making their mail takes, and nothing to a person who goes to read it.
  public static let standard = EvenAnswer(least: .milliseconds(100)) { try await Task.sleep(for: $0) }

  public init(least: Duration, pause: @escaping @Sendable (Duration) async throws -> Void) {
    self.least = least
    self.pause = pause
  }

  /// Waits for what is left of the time since `start`.
  func wait(since start: ContinuousClock.Instant) async throws {
    let left = least - start.duration(to: .now)
    if left > .zero { try await pause(left) }
  }
}
