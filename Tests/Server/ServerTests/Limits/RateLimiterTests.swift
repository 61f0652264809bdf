import Foundation
import Testing

@testable import ServerHTTP

@Suite("Memory for bodies that come in") struct BodyBudgetTests {
  @Test func `one address gets half of it, and the next ones what is left in turn`() {
    let budget = BodyBudget(limit: 1200)
    func fill(_ address: String) -> Int {
      var count = 0
      while budget.take(1, address: address) { count += 1 }
      return count
    }
    #expect(fill("a") == 600)
    #expect(fill("b") == 300)
    #expect(fill("c") == 150)
    #expect(!budget.take(1, address: "a"))
    budget.release(600, address: "a")
    #expect(budget.total == 450)
    #expect(fill("a") == 375)
  }
}

@Suite("Token buckets") struct RateLimiterTests {
  private static let start = Date(timeIntervalSince1970: 1_767_952_800)

  @Test func `refill evenly, and each key has its own`() {
    let limiter = RateLimiter(requestsPerMinute: 2)
    let start = Self.start
    #expect(limiter.admit("a", now: start) == nil)
    #expect(limiter.wait(of: "a", now: start) == nil)
    #expect(limiter.admit("a", now: start) == nil)
    #expect(limiter.wait(of: "a", now: start) == 30)
    #expect(limiter.admit("a", now: start) == 30)
    #expect(limiter.admit("b", now: start) == nil)
    #expect(limiter.admit("a", now: start + 29) == 1)
    #expect(limiter.admit("a", now: start + 30) == nil)
  }

  @Test(arguments: [1, 3, 120, 60_000])
  func `hold a whole minute's requests, and not one more`(limit: Int) {
    let limiter = RateLimiter(requestsPerMinute: limit)
    for _ in 0..<limit { #expect(limiter.admit("a", now: Self.start) == nil) }
    #expect(limiter.admit("a", now: Self.start) != nil)
    #expect(limiter.admit("a", now: Self.start + 60) == nil)
  }

  @Test func `are not locked for long by a clock that is set back`() {
    let limiter = RateLimiter(requestsPerMinute: 1)
    #expect(limiter.admit("a", now: Self.start) == nil)
    #expect(limiter.wait(of: "a", now: Self.start - 86_400) == 60)
    #expect(limiter.wait(of: "a", now: Self.start - 86_400 + 59) == 1)
    #expect(limiter.admit("a", now: Self.start - 86_400 + 60) == nil)
  }

  @Test func `are bounded in number, whatever keys come`() {
    let limiter = RateLimiter(requestsPerMinute: 10, maximumKeys: 100)
    for number in 0..<10_000 { limiter.admit("\(number)", now: Self.start) }
    #expect(limiter.count <= 100)
  }

  @Test func `an emptied bucket is not forgotten because its owner fills the memory with new keys`() {
    let limiter = RateLimiter(requestsPerMinute: 10, maximumKeys: 100)
    for _ in 0..<10 { limiter.admit("attacker", now: Self.start) }
    for number in 0..<10_000 { limiter.admit("\(number)", now: Self.start) }
    #expect(limiter.wait(of: "attacker", now: Self.start) == 6)
  }

  @Test func `full buckets are forgotten first, and those in use stay`() {
    let limiter = RateLimiter(requestsPerMinute: 10, maximumKeys: 4)
    for key in ["a", "b"] { limiter.admit(key, now: Self.start) }
    for key in ["c", "d"] { for _ in 0..<10 { limiter.admit(key, now: Self.start + 10) } }
    limiter.admit("e", now: Self.start + 10)
    #expect(limiter.count == 3)
    for key in ["c", "d"] { #expect(limiter.wait(of: key, now: Self.start + 10) == 6) }
  }
}
