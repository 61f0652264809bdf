internal import JourneyEngine

extension NodeDefinition {
  /// Longest time that a node gives the person. Seconds.
  static let longestTimeLimit = 3600

  /// The property `timeout`: seconds that the person has; `nil` for 0, which PingAM exports where only the journey's own limit applies.
  func timeLimit() throws(JourneyFileError) -> Int? {
    let seconds = try integer(
      "timeout", default: 60, in: 0...Self.longestTimeLimit, clamping: .down, instead: 60)
    return seconds == 0 ? nil : seconds
  }
}
