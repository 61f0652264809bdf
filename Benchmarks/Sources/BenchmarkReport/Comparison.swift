/// Two operations measured in turns, so that noise of the machine hits both alike.
public struct Comparison: Sendable {
  /// Median time of one run of either operation, in microseconds.
  public let baseMicroseconds: Double
  public let subjectMicroseconds: Double

  /// The share of the base's speed that the subject keeps: median over the rounds, each with its own ratio.
  public let ratio: Double

  /// Runs `base` and `subject` in short alternating turns.
  ///
  /// Of a round's turns the median counts, so that those in which the machine did something else do not.
  ///
  /// - Parameters:
  ///   - rounds: How many ratios the median is taken of.
  ///   - turns: How many turns either operation gets in a round.
  ///   - runs: How often an operation runs in one turn.
  public static func measure(
    rounds: Int = 15, turns: Int = 60, runs: Int = 10,
    base: () async throws -> Void, subject: () async throws -> Void
  ) async throws -> Comparison {
    let clock = ContinuousClock()
    func microseconds(_ operation: () async throws -> Void) async throws -> Double {
      let start = clock.now
      for _ in 0..<runs { try await operation() }
      return (clock.now - start) / .microseconds(runs)
    }
    var bases: [Double] = []
    var subjects: [Double] = []
    // The first round warms up and does not count.
    for round in 0...rounds {
      var baseTurns: [Double] = []
      var subjectTurns: [Double] = []
      for _ in 0..<turns {
        baseTurns.append(try await microseconds(base))
        subjectTurns.append(try await microseconds(subject))
      }
      guard round > 0 else { continue }
      bases.append(baseTurns.median)
      subjects.append(subjectTurns.median)
    }
    return Comparison(
      baseMicroseconds: bases.median, subjectMicroseconds: subjects.median,
      ratio: zip(bases, subjects).map { $0 / $1 }.median)
  }

  /// Prints the three figures.
  public func report(base: String, subject: String, ratio name: String) {
    print(Measurement(base, baseMicroseconds, "us").line)
    print(Measurement(subject, subjectMicroseconds, "us").line)
    print(Measurement(name, ratio, "ratio").line)
  }
}
