public import Bytes
internal import Concurrency
internal import Foundation
internal import PasswordRules

/// Hashes and checks passwords with Argon2id (RFC 9106), on a bounded pool of dedicated threads.
///
/// Passwords are compared after normalization (``PasswordRules/PasswordText``), so that `é` matches whether a keyboard sends
/// one code point or two. Case, spaces and NUL stay significant. A password has 1 to 1024 bytes of normalized UTF-8.
public struct PasswordHasher: Sendable {
  /// Longest password in bytes of normalized UTF-8.
  public static let longestPassword = PasswordText.maximumBytes

  private let cost: Argon2Cost
  private let limit: Argon2Cost
  private let pool: HashingPool
  private let decoys = Locked<Result<DecoyCosts, PasswordHashingError>>(.failure(.overloaded))
  private let randomBytes: @Sendable (Int) -> [UInt8]

  /// - Parameters:
  ///   - cost: The cost of new hashes. Stored hashes are checked at their own cost, up to 256 MiB, 16 passes and 16 lanes (or
  ///     this cost, where it is higher).
  ///   - threads: The number of passwords hashed at once. The default is half of the processors, so that the other half can serve
  ///     requests.
  ///   - queueLimit: The number of passwords that may wait; sources take turns (``WaitingSource``). Beyond that, the last job of the source
  ///     with the most waiting jobs fails with ``PasswordHashingError/overloaded``.
  ///   - randomBytes: Cryptographically secure; used for salts.
  ///   - observer: Learns how long passwords wait.
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

  /// The number of passwords that wait for a thread now.
  public var waiting: Int { pool.waitingCount }

  /// Makes checks of unknown names cost as much as checks of existing accounts.
  ///
  /// - Parameters:
  ///   - counts: the number of accounts by the start of their hash up to the salt, such as `$argon2id$v=19$m=19456,t=2,p=1$`.
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

  /// The cost of a check without a hash for this name.
  func decoyCost(of name: String) -> Argon2Cost? { try? decoys.withLock { $0 }.get().decoy(for: name).cost }

  /// Whether `password` is the one that was hashed.
  ///
  /// Without a hash, the result is `false` after the work that an account's hash would take (``setDecoys(like:secret:)``), so that the
  /// time does not reveal whether an account exists or has a password. A password of invalid length is never right, and costs nothing.
  ///
  /// - Parameter name: the account name that was entered, in a form that is the same for all spellings; it selects the cost of a check
  ///   without a hash.
  /// - Throws: ``PasswordHashingError``; `CancellationError` when the task is cancelled while it waits.
  public func verify(_ password: String, against hash: String?, of name: String = "") async throws -> Bool {
    guard let normalized = PasswordText.normalized(password) else { return false }
    let stored: Argon2Hash
    if let hash {
      stored = try Argon2Hash(hash, limit: limit)
    } else {
      stored = try decoys.withLock { $0 }.get().decoy(for: name)
    }
    // Older hashes were made of another form. It is checked for all names; otherwise the time would reveal which have such a hash.
    let forms = [normalized, PasswordText.formerlyNormalized(password)].compactMap {
      $0.map { Array($0.utf8) }
    }
    return try await pool.run {
      var isRight = false
      for form in forms where try stored.matches(form) { isRight = true }
      return isRight
    } && hash != nil
  }

  /// The reason why a `hash` from another system cannot be stored, such as its form or its cost; `nil` when it can.
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
