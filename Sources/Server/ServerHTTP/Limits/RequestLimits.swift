package import Foundation
package import Operations

/// The buckets that requests are charged to, one for each of ``ServerLimits``'s numbers of requests.
package struct RequestLimits: Sendable {
  private let addresses: RateLimiter?
  private let health: RateLimiter?
  private let accounts: RateLimiter?
  private let applications: RateLimiter?
  private let devices: RateLimiter?
  private let refusedProofs: RateLimiter?
  private let suspensions: RateLimiter?
  private let steps: RateLimiter
  private let clock: @Sendable () -> Date
  private let metrics: ServerMetrics

  /// Requests a minute that may continue a journey from one step when their address has used up its own: the answer,
  /// and what a client sends again when it got no reply.
  private static let requestsPerStep = 3

  package init(
    _ limits: ServerLimits, clock: @escaping @Sendable () -> Date, metrics: ServerMetrics = .none
  ) {
    func limiter(_ limit: Int?) -> RateLimiter? { limit.map { RateLimiter(requestsPerMinute: $0) } }
    addresses = limiter(limits.requestsPerAddress)
    health = limiter(limits.requestsPerAddress)
    accounts = limiter(limits.requestsPerAccount)
    applications = limiter(limits.requestsPerApplication)
    devices = limiter(limits.requestsPerDevice)
    refusedProofs = limiter(limits.refusedProofsPerAddress)
    suspensions = limiter(limits.suspensionsPerAddress)
    steps = RateLimiter(requestsPerMinute: Self.requestsPerStep)
    self.clock = clock
    self.metrics = metrics
  }

  /// Charges an address; the seconds to wait when it has no requests left.
  package func admit(address: String) -> Int? {
    count(addresses?.admit(address, now: clock()), "requestsPerAddress")
  }

  /// Charges a health check, or throws 429: apart, so that sign-ins from an address do not fail the checks from there.
  package func charge(healthCheckFrom address: String) throws(ErrorResponse) {
    try require(health, address, "requestsPerAddress")
  }

  /// Charges an account for a request with a valid session, or throws 429. ``SessionAuthority/charge(_:)`` does it once a request.
  package func charge(account: String) throws(ErrorResponse) {
    try require(accounts, account, "requestsPerAccount")
  }

  /// Charges an application that has proven itself, or throws 429.
  package func charge(application: String) throws(ErrorResponse) {
    try require(applications, application, "requestsPerApplication")
  }

  /// Throws 429 when a device, or those that answer a message, have sent too many valid proofs. Charges nothing, because nothing
  /// has been proven yet.
  package func require(device: String) throws(ErrorResponse) {
    let wait = count(devices?.wait(of: device, now: clock()), "requestsPerDevice")
    if let wait { throw .tooManyRequests(retryAfter: wait) }
  }

  /// Charges a device, or a message, for a valid proof.
  package func charge(device: String) { devices?.admit(device, now: clock()) }

  /// Charges an address for a push request that proves nothing; the seconds to wait when it has sent too many.
  package func admit(refusedProofFrom address: String) -> Int? {
    count(refusedProofs?.admit(address, now: clock()), "refusedProofsPerAddress")
  }

  /// What one suspension may hold for its charge; a larger one counts as several. Bytes.
  static let suspensionUnit = 4096

  /// Charges an address for something that will wait in the database, such as a journey for its link; the seconds until the next one when
  /// too much waits.
  package func admit(suspensionFrom address: String, bytes: Int = 0) -> Int? {
    let weight = 1 + max(0, bytes - 1) / Self.suspensionUnit
    return count(suspensions?.admit(address, weight: weight, now: clock()), "suspensionsPerAddress")
  }

  /// Whether the step of a journey may be answered although the address of the request has used up its requests.
  package func admits(step: [UInt8]) -> Bool {
    steps.admit(step.map { String($0, radix: 16) }.joined(separator: " "), now: clock()) == nil
  }

  /// Whether a picture may be drawn for the step of a journey: apart from its answers.
  package func admits(drawingFor step: [UInt8]) -> Bool {
    let key = "drawing " + step.map { String($0, radix: 16) }.joined(separator: " ")
    return steps.admit(key, now: clock()) == nil
  }

  private func require(_ limiter: RateLimiter?, _ key: String, _ name: String) throws(ErrorResponse) {
    if let wait = count(limiter?.admit(key, now: clock()), name) { throw .tooManyRequests(retryAfter: wait) }
  }

  /// Counts a limit that was reached.
  private func count(_ wait: Int?, _ name: String) -> Int? {
    if wait != nil { metrics.count(.limitReached, name) }
    return wait
  }
}
