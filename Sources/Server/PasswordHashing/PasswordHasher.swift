public import Bytes
internal import Concurrency
internal import Foundation
internal import PasswordRules

/// Hashes and checks passwords with Argon2id (RFC 9106), on a bounded pool of dedicated threads.
///
/// Passwords are compared after normalization (``PasswordRules/PasswordText``), so that `é` matches whether a keyboard sends
/// one code point or two. Nothing else is changed: case, spaces and NUL count. 1 to 1024 bytes of normalized UTF-8 are
/// possible.
public struct PasswordHasher: Sendable {
  /// Longest password in bytes of normalized UTF-8.
  public static let longestPassword = PasswordText.maximumBytes

  private let cost: Argon2Cost
  private let limit: Argon2Cost
  private let pool: HashingPool
  private let decoys = Locked<Result<DecoyCosts, PasswordHashingError>>(.failure(.overloaded))
  private let randomBytes: @Sendable (Int) -> [UInt8]

  /// - Parameters:
  ///   - cost: For new hashes. Stored ones are checked at their own cost, up to 256 MiB, 16 passes and 16 lanes (or
  ///     this cost, where it is dearer).
  ///   - threads: How many passwords are hashed at once. By default half of the processors, so that the other half
  ///     keeps answering.
  ///   - queueLimit: How many more may wait; they take turns by ``WaitingSource``. Beyond that
  ///     ``PasswordHashingError/overloaded`` is thrown to the last of the source that has the most waiting.
  ///   - randomBytes: Cryptographically strong; makes salts.
  ///   - observer: Hears how long passwords wait.
  public init(
    cost: Argon2Cost = .standard, threads: Int = PasswordHasher.defaultThreads, queueLimit: Int = 128,
    randomBytes: @escaping @Sendable (Int) -> [UInt8] = SystemRandom.bytes,
    observer: HashingObserver = HashingObserver()
  ) {
    self.cost = cost
    let ceiling = Argon2Cost.ceiling
    limit = Argon2Cost(
      memoryKiB: max(cost.memoryKiB, ceiling.memoryKiB), iterations: max(cost.iterations, ceiling.iterations),
      parallelism: max(cost.parallelism, ceiling.parallelism))
    self.randomBytes = randomBytes
    pool = HashingPool(threads: threads, queueLimit: queueLimit, observer: observer)
    setDecoys(like: [:], secret: randomBytes(32))
  }

  /// Passwords that wait for a thread now.
  public var waiting: Int { pool.waitingCount }

  /// Makes checks of unknown names cost what checks of accounts do.
  ///
  /// - Parameters:
  ///   - counts: how many accounts have a hash of each kind: its beginning up to the salt, such as
  ///     `$argon2id$v=19$m=19456,t=2,p=1$`.
  ///   - secret: 32 bytes, the same for all servers of a database.
  public func setDecoys(like counts: [String: Int], secret: [UInt8]) {
    let new = Result { () throws(PasswordHashingError) in
      try DecoyCosts(current: cost, limit: limit, secret: secret, counts: counts, randomBytes: randomBytes)
    }
    decoys.withLock { $0 = new }
  }

  /// Half of the processors, at least one.
  public static var defaultThreads: Int { max(1, ProcessInfo.processInfo.activeProcessorCount / 2) }

  /// The PHC string form of a new hash with a fresh salt.
  ///
  /// - Throws: ``PasswordHashingError``; `CancellationError` when the task is cancelled while it waits.
  public func hash(_ password: String) async throws -> String {
    guard let password = PasswordText.normalized(password).map({ Array($0.utf8) }) else {
      throw PasswordHashingError.passwordLength
    }
    let (salt, cost) = (randomBytes(Argon2Hash.saltLength), cost)
    return try await pool.run { try Argon2Hash.make(password, salt: salt, cost: cost) }
  }

  /// What a check without a hash costs for a name.
  func decoyCost(of name: String) -> Argon2Cost? { try? decoys.withLock { $0 }.get().decoy(for: name).cost }

  /// Whether `password` is the one that was hashed.
  ///
  /// Without a hash the answer is `false` after the work that an account's hash would take (``setDecoys(like:secret:)``),
  /// so that the time does not tell whether an account exists or has a password. A password of impossible length is
  /// never right, and costs nothing.
  ///
  /// - Parameter name: whose password it is said to be, the same for all spellings; chooses what a check without a hash
  ///   costs.
  /// - Throws: ``PasswordHashingError``; `CancellationError` when the task is cancelled while it waits.
  public func verify(_ password: String, against hash: String?, of name: String = "") async throws -> Bool {
    guard let normalized = PasswordText.normalized(password) else { return false }
    let stored: Argon2Hash
    if let hash {
      stored = try Argon2Hash(hash, limit: limit)
    } else {
      stored = try decoys.withLock { $0 }.get().decoy(for: name)
    }
    // Older hashes were made of another form. Checked for all names, or the time would reveal which have one.
    let forms = [normalized, PasswordText.formerlyNormalized(password)].compactMap {
      $0.map { Array($0.utf8) }
    }
    return try await pool.run {
      var isRight = false
      for form in forms where try stored.matches(form) { isRight = true }
      return isRight
    } && hash != nil
  }

  /// Why a `hash` from another system cannot be stored, such as its form or its cost; `nil` when it can.
  public func fault(inHash hash: String) -> String? {
    do throws(PasswordHashingError) {
      _ = try Argon2Hash(hash, limit: limit)
      return nil
    } catch {
      guard case .unusableHash(let reason) = error else { return error.description }
      return reason
    }
  }

  /// Whether a password that matched `hash` should be hashed again, because the cost has changed.
  public func needsRehash(_ hash: String) -> Bool {
    guard let stored = try? Argon2Hash(hash, limit: limit) else { return true }
    return stored.cost != cost
  }
}
