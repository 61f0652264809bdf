internal import Foundation

/// Hashes and checks passwords with Argon2id (RFC 9106), on a bounded pool of threads of its own.
///
/// Passwords are compared after Normalization Form C (RFC 8265 §4.2.2, OpaqueString), so that `é` matches whether a
/// keyboard sends one code point or two. Nothing else is changed: case, spaces and NUL count. 1 to 1024 bytes of
/// normalized UTF-8 are possible.
public struct PasswordHasher: Sendable {
  /// Longest password in bytes of normalized UTF-8.
  public static let longestPassword = 1024

  private let cost: Argon2Cost
  private let limit: Argon2Cost
  private let pool: HashingPool
  private let decoy: Result<Argon2Hash, PasswordHashingError>
  private let randomBytes: @Sendable (Int) -> [UInt8]

  /// - Parameters:
  ///   - cost: For new hashes. Stored ones are checked at their own cost, up to 256 MiB, 16 passes and 16 lanes (or
  ///     this cost, where it is dearer).
  ///   - threads: How many passwords are hashed at once. By default half of the processors, so that the other half
  ///     goes on answering.
  ///   - queueLimit: How many more may wait; they take turns by ``WaitingSource``. Beyond that
  ///     ``PasswordHashingError/overloaded`` is thrown to the last of the source that has the most waiting.
  ///   - randomBytes: Cryptographically strong; makes salts.
  public init(
    cost: Argon2Cost = .standard, threads: Int = PasswordHasher.defaultThreads, queueLimit: Int = 128,
    randomBytes: @escaping @Sendable (Int) -> [UInt8] = PasswordHasher.systemRandomBytes
  ) {
    self.cost = cost
    let ceiling = Argon2Cost.ceiling
    limit = Argon2Cost(
      memoryKiB: max(cost.memoryKiB, ceiling.memoryKiB), iterations: max(cost.iterations, ceiling.iterations),
      parallelism: max(cost.parallelism, ceiling.parallelism))
    self.randomBytes = randomBytes
    pool = HashingPool(threads: threads, queueLimit: queueLimit)
    decoy = Result { () throws(PasswordHashingError) in
      try Argon2Hash(unmatchableWith: cost, randomBytes: randomBytes)
    }
  }

  /// Half of the processors, at least one.
  public static var defaultThreads: Int { max(1, ProcessInfo.processInfo.activeProcessorCount / 2) }

  /// Bytes from the system's cryptographic generator.
  @Sendable public static func systemRandomBytes(_ count: Int) -> [UInt8] {
    var generator = SystemRandomNumberGenerator()
    return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
  }

  /// The PHC string form of a new hash with a fresh salt.
  ///
  /// - Throws: ``PasswordHashingError``; `CancellationError` when the task is cancelled while it waits.
  public func hash(_ password: String) async throws -> String {
    guard let password = Self.prepared(password) else { throw PasswordHashingError.passwordLength }
    let (salt, cost) = (randomBytes(Argon2Hash.saltLength), cost)
    return try await pool.run { try Argon2Hash.make(password, salt: salt, cost: cost) }
  }

  /// Whether `password` is the one that was hashed.
  ///
  /// Without a hash the answer is `false` after the same work, so that the time does not tell whether an account exists
  /// or has a password. A password of impossible length is no one's, and costs nothing.
  ///
  /// - Throws: ``PasswordHashingError``; `CancellationError` when the task is cancelled while it waits.
  public func verify(_ password: String, against hash: String?) async throws -> Bool {
    guard let password = Self.prepared(password) else { return false }
    guard let hash else {
      let decoy = try decoy.get()
      _ = try await pool.run { try decoy.matches(password) }
      return false
    }
    let stored = try Argon2Hash(hash, limit: limit)
    return try await pool.run { try stored.matches(password) }
  }

  /// Whether a password that matched `hash` should be hashed anew, because the hash costs anything but today's cost.
  public func needsRehash(_ hash: String) -> Bool {
    guard let stored = try? Argon2Hash(hash, limit: limit) else { return true }
    return stored.cost != cost
  }

  private static func prepared(_ password: String) -> [UInt8]? {
    // Normalizing shortens by at most a factor of three, so this bounds the work on what was sent.
    guard password.utf8.count <= 4 * longestPassword else { return nil }
    let bytes = Array(password.precomposedStringWithCanonicalMapping.utf8)
    return (1...longestPassword).contains(bytes.count) ? bytes : nil
  }
}
