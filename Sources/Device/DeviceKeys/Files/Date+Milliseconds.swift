internal import Foundation

extension Date {
  /// Whole milliseconds since 1970, as written into files; dates beyond what 64 bits hold become 0.
  var millisecondsSince1970: Int64 {
    Int64(exactly: (timeIntervalSince1970 * 1000).rounded()) ?? 0
  }

  /// The date as a file gives it back.
  var roundedToMilliseconds: Date { Date(timeIntervalSince1970: Double(millisecondsSince1970) / 1000) }
}
