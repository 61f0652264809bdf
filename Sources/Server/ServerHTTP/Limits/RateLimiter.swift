internal import Concurrency
internal import Foundation

/// Token buckets by key: each holds a minute's requests and refills evenly.
///
/// A bucket is one number, the time at which it is full again (the generic cell rate algorithm of ITU-T I.371), and a
/// full one is not kept.
final class RateLimiter: Sendable {
  private struct State {
    /// When each bucket is full again, in seconds after ``epoch``: small numbers, because those since 1970 are too coarse
    /// to be added up many times.
    var fullTimes: [String: TimeInterval] = [:]

    /// When the first request came.
    var epoch: Date?

    mutating func seconds(_ now: Date) -> TimeInterval {
      if let epoch { return now.timeIntervalSince(epoch) }
      epoch = now
      return 0
    }
  }

  /// Seconds from an empty bucket to a full one.
  private static let period: TimeInterval = 60

  /// Allowance for rounding.
  private static let tolerance: TimeInterval = 1e-6

  private let interval: TimeInterval
  private let maximumKeys: Int
  private let state = Locked(State())

  /// - Parameters:
  ///   - requestsPerMinute: What a full bucket holds, at least 1.
  ///   - maximumKeys: Buckets that are kept, at least 2.
  init(requestsPerMinute: Int, maximumKeys: Int = 50_000) {
    interval = Self.period / Double(max(1, requestsPerMinute))
    self.maximumKeys = max(2, maximumKeys)
  }

  /// Buckets that are kept now.
  var count: Int { state.withLock { $0.fullTimes.count } }

  /// The seconds to wait until the bucket of `key` has a request; `nil` when it has one. Takes none.
  func wait(of key: String, now: Date) -> Int? {
    state.withLock { [interval] state in
      let now = state.seconds(now)
      return Self.wait(debt: Self.debt(of: key, in: &state.fullTimes, now: now), interval: interval)
    }
  }

  /// Takes one request from the bucket of `key`; the seconds to wait when it has not enough.
  ///
  /// - Parameter weight: how many requests this one counts; at most a whole bucket.
  @discardableResult
  func admit(_ key: String, weight: Int = 1, now: Date) -> Int? {
    state.withLock { [interval, maximumKeys] state in
      let interval = min(interval * Double(max(1, weight)), Self.period)
      let now = state.seconds(now)
      let debt = Self.debt(of: key, in: &state.fullTimes, now: now)
      if let wait = Self.wait(debt: debt, interval: interval) { return wait }
      if state.fullTimes[key] == nil, state.fullTimes.count >= maximumKeys {
        Self.makeRoom(in: &state.fullTimes, maximumKeys: maximumKeys, now: now)
      }
      state.fullTimes[key] = now + debt + interval
      return nil
    }
  }

  /// Seconds until the bucket is full again; never more than from empty to full. A bucket that would be full later than that
  /// was last used before the clock was set back: it is empty, and fills from now on.
  private static func debt(
    of key: String, in times: inout [String: TimeInterval], now: TimeInterval
  ) -> TimeInterval {
    guard let fullTime = times[key] else { return 0 }
    if fullTime - now > period + 2 * tolerance { times[key] = now + period }
    return min(max(0, fullTime - now), period)
  }

  private static func wait(debt: TimeInterval, interval: TimeInterval) -> Int? {
    let wait = debt + interval - period
    return wait <= tolerance ? nil : max(1, Int((wait - tolerance).rounded(.up)))
  }

  /// Forgets the full buckets, which changes nothing; if too few are full, also those that will be full soonest, down to half.
  /// So an attacker who floods the memory with new keys drops other such keys, and never the emptied bucket that limits them.
  private static func makeRoom(
    in times: inout [String: TimeInterval], maximumKeys: Int, now: TimeInterval
  ) {
    times = times.filter { $0.value > now }
    guard times.count >= maximumKeys else { return }
    let kept = times.sorted { ($0.value, $0.key) > ($1.value, $1.key) }.prefix(maximumKeys / 2)
    times = Dictionary(uniqueKeysWithValues: kept.map { ($0.key, $0.value) })
  }
}
