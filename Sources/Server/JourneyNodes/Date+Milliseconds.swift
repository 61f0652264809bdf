internal import Foundation

extension Date {
  /// Milliseconds since 1970, as PingAM's JSON counts time.
  var milliseconds: Int64 { Int64((timeIntervalSince1970 * 1000).rounded()) }
}
