internal import Concurrency
internal import Foundation
internal import Operations

/// The results of the server's own checks, kept for a while because some checks ask other programs.
///
/// The overview counts the open findings. The server's page shows them, with what to do.
struct ServerFindings: Sendable {
  let checks: @Sendable () async throws -> [HealthCheck]

  /// How many uploads wait for a second administrator, in each realm that has any.
  let waiting: @Sendable () -> [(realm: String, count: Int)]
  private let latest = Locked<(at: Date, found: [HealthCheck])?>(nil)
  private let turn = AsyncMutex()

  /// Seconds.
  static let interval: TimeInterval = 60

  /// The findings, failures first, then warnings. Checks run one at a time and their results are kept for a while, so that repeated
  /// requests keep nobody waiting.
  func all(at now: Date) async throws -> (at: Date, found: [HealthCheck]) {
    try await turn.withLock {
      if let known = latest.withLock({ $0 }), abs(now.timeIntervalSince(known.at)) < Self.interval {
        return known
      }
      var checked = try await checks()
      let uploads = waiting().map { realm, count in
        HealthCheck.Subject("uploads")(
          .warning, text: "checks.uploadsWaiting", ["realm": realm, "count": String(count)])
      }
      checked.insert(contentsOf: uploads, at: checked.firstIndex { $0.state != .failed } ?? checked.endIndex)
      let found = (at: now, found: checked)
      latest.withLock { $0 = found }
      return found
    }
  }

  /// The number of findings that need action.
  func openCount(at now: Date) async throws -> Int { Self.openCount(try await all(at: now).found) }

  static func openCount(_ found: [HealthCheck]) -> Int {
    found.count { $0.state == .failed || $0.state == .warning }
  }
}
