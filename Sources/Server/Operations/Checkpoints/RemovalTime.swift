package import Foundation

/// The time up to which expired records are removed: now, unless the clock jumped ahead within the last hour.
///
/// What may be used once is remembered until nobody accepts it any more. If a clock were set ahead, and back again after the removal, it
/// could be used a second time. So removal follows a jump ahead only after an hour, when nothing from before the jump is valid, and a jump
/// back at once.
package struct RemovalTime: Sendable {
  /// How long a jump ahead is ignored, in seconds: longer than anything that may be used once is valid.
  package static let patience: TimeInterval = 3600

  private let patience: TimeInterval

  /// What the clock said at earlier turns, as seconds ahead of the machine's uptime, which nobody can set.
  private var seen: [(uptime: TimeInterval, lead: TimeInterval)]

  /// - Parameters:
  ///   - start: what the clock says now, at the uptime 0; an earlier time, if the clock is not believed yet.
  ///   - patience: how long a jump ahead is ignored, in seconds.
  package init(start: Date, patience: TimeInterval = Self.patience) {
    self.patience = patience
    seen = [(0, start.timeIntervalSince1970)]
  }

  /// The time for the turn at `now`.
  ///
  /// - Parameter uptime: seconds since the start, on a clock that only goes forward.
  package mutating func next(_ now: Date, uptime: TimeInterval) -> Date {
    seen.removeAll { $0.uptime < uptime - patience }
    seen.append((uptime, now.timeIntervalSince1970 - uptime))
    let lead = seen.map(\.lead).min() ?? 0
    return Date(timeIntervalSince1970: uptime + lead)
  }
}
