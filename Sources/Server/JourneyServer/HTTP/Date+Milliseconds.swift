internal import Foundation

extension Date {
  /// Milliseconds since 1970, as JSON counts time here.
  var milliseconds: Int64 { Int64((timeIntervalSince1970 * 1000).rounded()) }
}
