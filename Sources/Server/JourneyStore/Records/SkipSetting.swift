/// Whether a user may do without a second factor, as PingAM's attributes `push2faEnabled` and `oath2faEnabled` count it.
public enum SkipSetting: Int, Sendable, Hashable {
  case notSet = 0
  case skippable = 1
  case notSkippable = 2
}
