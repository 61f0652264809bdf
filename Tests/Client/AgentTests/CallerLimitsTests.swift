import Foundation
import Testing

@testable import Agent

struct CallerLimitsTests {
  private let start = Date(timeIntervalSince1970: 1_800_000_000)

  /// Fails until it is paused; for how long.
  private func pause(_ limits: inout CallerLimits, at now: Date) -> TimeInterval? {
    for _ in 1..<CallerLimits.mostFailures where limits.failed(7, at: now) != nil { return nil }
    return limits.failed(7, at: now)
  }

  @Test func `each pause is twice as long as the one before, up to an hour, until there was peace for two`() {
    var (limits, now) = (CallerLimits(), start)
    for seconds in [60.0, 120, 240, 480, 960, 1920, 3600, 3600] {
      #expect(pause(&limits, at: now) == seconds)
      #expect(limits.isPaused(7, at: now + seconds - 1) && !limits.admits(7, at: now + seconds - 1))
      // What it had asked before.
      #expect(limits.failed(7, at: now) == nil)
      now += seconds
      #expect(!limits.isPaused(7, at: now))
    }
    now += 2 * CallerLimits.longestPause
    #expect(pause(&limits, at: now) == CallerLimits.firstPause)
  }

  @Test func `a clock that was set back ends a pause`() {
    var limits = CallerLimits()
    #expect(pause(&limits, at: start) != nil)
    #expect(!limits.isPaused(7, at: start - 1))
  }

  @Test func `a process has sixteen connections, and all have sixty-four`() {
    var limits = CallerLimits()
    for process in 1...5 {
      let places = (0..<20).filter { _ in limits.admits(Int32(process), at: start) }.count
      #expect(places == (process < 5 ? CallerLimits.mostOfProcess : 0))
    }
    #expect(limits.connections == CallerLimits.mostConnections)
    limits.ended(1)
    #expect(limits.admits(5, at: start) && !limits.admits(1, at: start))
  }
}
