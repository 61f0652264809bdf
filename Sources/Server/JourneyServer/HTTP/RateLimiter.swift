internal import Foundation

/// Counts requests per client address: each has a bucket of a minute's requests that refills evenly.
actor RateLimiter {
  private struct Bucket {
    var tokens: Double
    var filledAt: Date
  }

  private let requestsPerMinute: Double
  private var buckets: [String: Bucket] = [:]

  /// More addresses than this are not remembered, so that many addresses cannot exhaust memory.
  static let maximumAddresses = 50_000

  init(requestsPerMinute: Int) { self.requestsPerMinute = Double(max(1, requestsPerMinute)) }

  /// Takes one request from the address's bucket, if there is one, for those who ask ``wait(of:now:)`` first.
  func charge(_ address: String, now: Date) { _ = admit(address, now: now) }

  /// The seconds to wait until the address's bucket has a request; `nil` when it has one. Takes none.
  func wait(of address: String, now: Date) -> Int? {
    guard let bucket = buckets[address] else { return nil }
    let tokens = refilled(bucket, now: now).tokens
    return tokens >= 1 ? nil : Int(((1 - tokens) * 60 / requestsPerMinute).rounded(.up))
  }

  /// Takes one request from the address's bucket; the seconds to wait when it is empty.
  func admit(_ address: String, now: Date) -> Int? {
    if buckets[address] == nil, buckets.count >= Self.maximumAddresses { forgetFull(now: now) }
    var bucket = refilled(buckets[address], now: now)
    guard bucket.tokens >= 1 else {
      buckets[address] = bucket
      return Int(((1 - bucket.tokens) * 60 / requestsPerMinute).rounded(.up))
    }
    bucket.tokens -= 1
    buckets[address] = bucket
    return nil
  }

  private func refilled(_ bucket: Bucket?, now: Date) -> Bucket {
    guard let bucket else { return Bucket(tokens: requestsPerMinute, filledAt: now) }
    let elapsed = max(0, now.timeIntervalSince(bucket.filledAt))
    return Bucket(
      tokens: min(requestsPerMinute, bucket.tokens + elapsed * requestsPerMinute / 60), filledAt: now)
  }

  /// Drops the addresses whose buckets are full again, which is as if they had never come. When all are in use, drops
  /// half of them: a limit that admits too much is better than one that stops the server.
  private func forgetFull(now: Date) {
    buckets = buckets.filter { refilled($0.value, now: now).tokens < requestsPerMinute }
    if buckets.count >= Self.maximumAddresses {
      buckets = Dictionary(uniqueKeysWithValues: buckets.dropFirst(Self.maximumAddresses / 2).map { $0 })
    }
  }
}
