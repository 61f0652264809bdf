package import Foundation

extension Date {
  /// Whole milliseconds since 1970, as JSON and files count time here; 0 for what 64 bits do not hold, and for no number.
  package var millisecondsSince1970: Int64 { Int64(exactly: (timeIntervalSince1970 * 1000).rounded()) ?? 0 }

  /// A time as JSON and files count it.
  package init(millisecondsSince1970 milliseconds: Int64) {
    self.init(timeIntervalSince1970: Double(milliseconds) / 1000)
  }

  /// The same time without what is smaller than a millisecond, so that it survives being written.
  package var roundedToMilliseconds: Date { Date(millisecondsSince1970: millisecondsSince1970) }
}
