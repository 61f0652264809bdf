/// The cost of one hash, for defender and attacker alike (RFC 9106 §3.1).
public struct Argon2Cost: Sendable, Hashable {
  /// Memory in KiB; at least 8 times ``parallelism``.
  public var memoryKiB: UInt32

  /// Passes over the memory; at least 1.
  public var iterations: UInt32

  /// Lanes; computed one after the other here, because many sign-ins run in parallel anyway.
  public var parallelism: UInt32

  public init(memoryKiB: UInt32, iterations: UInt32, parallelism: UInt32 = 1) {
    self.memoryKiB = memoryKiB
    self.iterations = iterations
    self.parallelism = parallelism
  }

  /// 19 MiB, two passes, one lane: the OWASP password storage cheat sheet's first recommendation with two passes.
  public static let standard = Argon2Cost(memoryKiB: 19 * 1024, iterations: 2)

  /// The highest accepted cost of a stored hash: 256 MiB, 16 passes, 16 lanes. An imported record must not decide how much memory and
  /// time this server spends.
  static let ceiling = Argon2Cost(memoryKiB: 256 * 1024, iterations: 16, parallelism: 16)

  /// Whether this cost is valid and no higher than `limit`.
  func isAcceptable(within limit: Argon2Cost) -> Bool {
    parallelism >= 1 && parallelism <= limit.parallelism && iterations >= 1 && iterations <= limit.iterations
      && UInt64(memoryKiB) >= 8 * UInt64(parallelism) && memoryKiB <= limit.memoryKiB
  }
}
