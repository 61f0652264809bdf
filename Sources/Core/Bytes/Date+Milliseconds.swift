package import Foundation

extension Date {
  /// Whole milliseconds since 1970, the unit of times in JSON and files. 0 for a time that does not fit 64 bits, and for not-a-number.
  package var millisecondsSince1970: Int64 { Int64(exactly: (timeIntervalSince1970 * 1000).rounded()) ?? 0 }

  /// A time from whole milliseconds since 1970, the unit of times in JSON and files.
  package init(millisecondsSince1970 milliseconds: Int64) {
    self.init(timeIntervalSince1970: Double(milliseconds) / 1000)
  }

  /// This time rounded to milliseconds, so that it is the same after being written and read.
  package var roundedToMilliseconds: Date { Date(millisecondsSince1970: millisecondsSince1970) }
}
