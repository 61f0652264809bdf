import Foundation

/// Points in time for people.
enum Times {
  /// With date, time and zone.
  static func text(_ date: Date) -> String { date.formatted(.iso8601) }
}
