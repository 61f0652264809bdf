internal import Bytes
internal import Crypto
internal import Foundation

/// The cost of a password check for a name that does not exist.
///
/// After the cost of hashes has changed, accounts keep their old hashes until they sign in. If unknown names always cost as much as a new
/// hash, the response time would reveal which names have an old one. So an unknown name gets the cost of some existing account: always
/// the same cost, chosen by a keyed hash of the name, with the probability that the cost has among accounts. As accounts move from old
/// costs to the current one, so do unknown names.
struct DecoyCosts: Sendable, Redacted {
  /// The old costs, each with the end of its share of the range from 0 to 1.
  private let old: [(end: Double, decoy: Argon2Hash)]
  private let current: Argon2Hash
  private let key: SymmetricKey

  /// - Parameters:
  ///   - secret: the same on all servers of a database, so that a name costs the same everywhere.
  ///   - counts: the number of accounts by the start of their hash, such as `$argon2id$v=19$m=19456,t=2,p=1$`.
  init(
    current cost: Argon2Cost, limit: Argon2Cost, secret: [UInt8], counts: [String: Int],
    randomBytes: (Int) -> [UInt8]
  ) throws(PasswordHashingError) {
    current = try Argon2Hash(unmatchableWith: cost, randomBytes: randomBytes)
    key = SymmetricKey(data: secret)
    var old: [(end: Double, decoy: Argon2Hash)] = []
    let total = Double(max(1, counts.values.reduce(0, +)))
    var end = 0.0
    for (kind, count) in counts.sorted(by: { $0.key < $1.key }) {
      guard let kept = Argon2Hash.cost(ofKind: kind), kept != cost, kept.isAcceptable(within: limit) else {
        continue
      }
      end += Double(count) / total
      old.append((end, try Argon2Hash(unmatchableWith: kept, randomBytes: randomBytes)))
    }
    self.old = old
  }

  /// A hash that no known password matches, at the cost chosen for the name.
  func decoy(for name: String) -> Argon2Hash {
    guard !old.isEmpty else { return current }
    let code = HMAC<SHA256>.authenticationCode(for: Data(name.utf8), using: key)
    let number = code.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    let place = Double(number >> 11) / Double(UInt64(1) << 53)
    return old.first { place < $0.end }?.decoy ?? current
  }
}
