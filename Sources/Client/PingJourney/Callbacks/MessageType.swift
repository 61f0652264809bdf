/// What kind of message a callback shows.
public enum MessageType: Int, Sendable {
  case information = 0
  case warning = 1
  case error = 2
  /// A script for a browser.
  case script = 4
  case unknown = -1
}

/// The answers that a confirmation offers.
public enum OptionType: Int, Sendable {
  /// The answers in the callback's `options`.
  case unspecified = -1
  case yesNo = 0
  case yesNoCancel = 1
  case okCancel = 2
  case unknown
}
