internal import Concurrency
internal import Crypto
internal import Foundation
internal import JOSE
package import JourneyStore

/// The keys that tokens are signed with, one for each period of 30 days.
///
/// A key is one of the server's secrets, sealed at rest and in backups like all of them, and named by its period: servers that share a
/// database agree on it without a word. It is published a period before it signs, and a period after, which is longer than any token
/// lives. Nobody has to rotate anything,
/// except after a theft: ``end(in:)``.
package struct TokenKeys: Sendable {
  /// Seconds.
  static let period: TimeInterval = 30 * 86_400

  private let store: any ServerStore
  private let clock: @Sendable () -> Date
  private let cache = Locked<[Int: (key: SigningKey, readAt: Date)]>([:])

  /// How long a key is used before the database is asked for it again: keys can be ended at any time. Seconds.
  static let memory: TimeInterval = 10

  private static let prefix = "openid signing key "

  /// One period's key.
  struct SigningKey: Sendable {
    let signer: P256Signer
    let jwk: JWK
    var id: String { jwk.keyID ?? "" }
  }

  init(store: any ServerStore, clock: @escaping @Sendable () -> Date) {
    self.store = store
    self.clock = clock
  }

  private var number: Int { Int((clock().timeIntervalSince1970 / Self.period).rounded(.down)) }

  /// The key that signs now.
  func current() async throws -> SigningKey { try await key(number) }

  /// The one before, the current and the next one.
  func published() async throws -> [SigningKey] {
    var keys: [SigningKey] = []
    for number in [number, number + 1, number - 1] { keys.append(try await key(number)) }
    return keys
  }

  /// Removes keys that no server publishes any more, even if its clock is late: one that asked for a removed key would make another one.
  func removeRetired() async throws {
    _ = try await store.change(
      "the removal of old signing keys",
      (3...7).map { SQLStatement("DELETE FROM server_secrets WHERE name = ?", [Self.name(number - $0)]) })
  }

  static func name(_ number: Int) -> String { prefix + "\(number)" }

  /// Ends all keys, because somebody else may have them. Servers that run have new ones within ``memory``; JWTs signed before are refused
  /// by then, here and by everybody who reads the published keys.
  package static func end(in store: any ServerStore) async throws {
    _ = try await store.change(
      "the end of the keys that sign tokens",
      [SQLStatement("DELETE FROM server_secrets WHERE name LIKE ?", [prefix + "%"])])
  }

  private func key(_ number: Int) async throws -> SigningKey {
    let now = clock()
    if let known = cache.withLock({ $0[number] }),
      (0..<Self.memory).contains(now.timeIntervalSince(known.readAt))
    {
      return known.key
    }
    let bytes = try await store.secret(named: Self.name(number)) {
      Array(P256.Signing.PrivateKey().rawRepresentation)
    }
    let key = try P256.Signing.PrivateKey(rawRepresentation: bytes)
    let point = [UInt8](key.publicKey.x963Representation)
    let jwk = try JWK(p256X963: point, keyID: JWK(p256X963: point, keyID: nil).thumbprint)
    let made = SigningKey(signer: P256Signer(privateKey: key), jwk: jwk)
    cache.withLock { cache in
      cache = cache.filter { abs($0.key - number) < 3 }
      cache[number] = (made, now)
    }
    return made
  }
}
