/// The cost of each guess at a PIN with stolen files (RFC 7914 §2).
///
/// One derivation needs 128 · `rounds` · `blockSize` bytes of memory.
public struct ScryptCost: Sendable, Hashable {
  /// N, a power of two: the cost in time and memory.
  public let rounds: Int
  /// r: block size in units of 128 bytes.
  public let blockSize: Int
  /// p: parallelism.
  public let parallelism: Int

  /// - Throws: ``DeviceKeyError/unsupported(_:)`` for a cost that scrypt does not allow, or that would take more than 256 MiB or 16 times
  ///   the standard duration: a file cannot make its reader run out of memory.
  public init(rounds: Int, blockSize: Int = 8, parallelism: Int = 1) throws(DeviceKeyError) {
    // Each factor is bounded before they are multiplied, so that the products cannot overflow.
    guard (2...1 << 20).contains(rounds), rounds & (rounds - 1) == 0, (1...64).contains(blockSize),
      (1...16).contains(parallelism), 128 * rounds * blockSize <= 256 << 20,
      rounds * blockSize * parallelism <= 16 << 18
    else {
      throw .unsupported(
        "The scrypt cost N=\(rounds), r=\(blockSize), p=\(parallelism) is out of bounds."
          + " Use a power of two for N, and at most 256 MiB.")
    }
    self.init(checkedRounds: rounds, blockSize: blockSize, parallelism: parallelism)
  }

  private init(checkedRounds rounds: Int, blockSize: Int, parallelism: Int) {
    self.rounds = rounds
    self.blockSize = blockSize
    self.parallelism = parallelism
  }

  /// N = 2^17, r = 8, p = 1, the first of OWASP's figures (Password Storage Cheat Sheet): 128 MiB, and less than half a second.
  public static let standard = ScryptCost(checkedRounds: 1 << 17, blockSize: 8, parallelism: 1)

  /// Whether a guess at this cost takes less work, or less memory at the same work, than one at `other`.
  func isBelow(_ other: ScryptCost) -> Bool {
    let (own, others) = (rounds * blockSize, other.rounds * other.blockSize)
    return (own * parallelism, own) < (others * other.parallelism, others)
  }
}
