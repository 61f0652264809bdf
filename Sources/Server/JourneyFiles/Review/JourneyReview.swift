/// How many administrators must have seen a journey before an upload puts it live.
public enum JourneyReview: String, Sendable, Hashable, CaseIterable {
  /// The one who uploads it.
  case one

  /// Also another one, who has seen the same and agreed.
  case two
}
