package import Foundation
package import Operations

/// The buckets that requests are charged to, one for each of ``ServerLimits``'s numbers of requests.
package struct RequestLimits: Sendable {
  /// The kinds of subjects that have buckets.
  package enum Subject: Sendable {
    case address

    /// An address, for health checks. Counted separately, so that sign-ins from an address do not fail the checks from there.
    case healthCheck

    /// An account, for requests with a valid session. ``SessionAuthority/charge(_:)`` charges it once a request.
    case account

    /// An application that has proven itself.
    case application

    /// A device or a push message, for valid proofs.
    case device

    /// An address, for push requests that prove nothing.
    case refusedProof

    /// An address, for what will wait in the database, such as a journey that waits for its link.
    case suspension
  }

  /// By subject, with the name of the limit.
  private let limiters: [Subject: (limiter: RateLimiter, name: String)]
  private let steps: RateLimiter
  private let clock: @Sendable () -> Date
  private let metrics: ServerMetrics

  /// Requests a minute that may continue a journey from one step when their address has used up its own: the answer,
  /// and what a client sends again when it got no reply.
  private static let requestsPerStep = 3

  package init(
    _ limits: ServerLimits, clock: @escaping @Sendable () -> Date, metrics: ServerMetrics = .none
  ) {
    let numbers: KeyValuePairs<Subject, (number: Int?, name: String)> = [
      .address: (limits.requestsPerAddress, "requestsPerAddress"),
      .healthCheck: (limits.requestsPerAddress, "requestsPerAddress"),
      .account: (limits.requestsPerAccount, "requestsPerAccount"),
      .application: (limits.requestsPerApplication, "requestsPerApplication"),
      .device: (limits.requestsPerDevice, "requestsPerDevice"),
      .refusedProof: (limits.refusedProofsPerAddress, "refusedProofsPerAddress"),
      .suspension: (limits.suspensionsPerAddress, "suspensionsPerAddress"),
    ]
    limiters = numbers.reduce(into: [:]) { limiters, entry in
      if let number = entry.value.number {
        limiters[entry.key] = (RateLimiter(requestsPerMinute: number), entry.value.name)
      }
    }
    steps = RateLimiter(requestsPerMinute: Self.requestsPerStep)
    self.clock = clock
    self.metrics = metrics
  }

  /// Charges a subject. Returns the seconds to wait when it has nothing left.
  package func admit(_ subject: Subject, _ key: String, weight: Int = 1) -> Int? {
    guard let (limiter, name) = limiters[subject] else { return nil }
    return count(limiter.admit(key, weight: weight, now: clock()), name)
  }

  /// Charges a subject, or throws 429 when it has nothing left.
  package func charge(_ subject: Subject, _ key: String) throws(ErrorResponse) {
    if let wait = admit(subject, key) { throw .tooManyRequests(retryAfter: wait) }
  }

  /// Throws 429 when a device, or those that answer a message, have sent too many valid proofs. Charges nothing, because nothing
  /// has been proven yet.
  package func require(device: String) throws(ErrorResponse) {
    guard let (limiter, name) = limiters[.device] else { return }
    if let wait = count(limiter.wait(of: device, now: clock()), name) {
      throw .tooManyRequests(retryAfter: wait)
    }
  }

  /// Charges a device, or a message, for a valid proof.
  package func charge(device: String) { limiters[.device]?.limiter.admit(device, now: clock()) }

  /// The bytes that a suspension may have for one charge. A larger one counts as several.
  static let suspensionUnit = 4096

  /// Charges an address for something that will wait in the database; the seconds until the next one when too much waits.
  package func admit(suspensionFrom address: String, bytes: Int = 0) -> Int? {
    admit(.suspension, address, weight: 1 + max(0, bytes - 1) / Self.suspensionUnit)
  }

  /// Whether the step of a journey may be answered although the address of the request has used up its requests.
  package func admits(step: [UInt8]) -> Bool { admits("", step) }

  /// Whether a picture may be drawn for the step of a journey. Drawings are counted separately from answers.
  package func admits(drawingFor step: [UInt8]) -> Bool { admits("drawing ", step) }

  private func admits(_ what: String, _ step: [UInt8]) -> Bool {
    steps.admit(what + step.map { String($0, radix: 16) }.joined(separator: " "), now: clock()) == nil
  }

  /// Counts a limit that was reached.
  private func count(_ wait: Int?, _ name: String) -> Int? {
    if wait != nil { metrics.count(.limitReached, name) }
    return wait
  }
}
