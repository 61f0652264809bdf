internal import Concurrency
internal import Crypto
internal import Foundation
internal import JOSE
package import JourneyStore
internal import StrictJSON

/// The keys that tokens are signed with, one for each period of 30 days and each algorithm in use.
///
/// A key is one of the server's secrets, sealed at rest and in backups. Its name contains its period, so servers that share a database
/// agree on it. It is published one period before it signs and one period after, which is longer than any token lives. Nobody has to rotate
/// keys, except after a theft: ``end(in:)``.
package struct TokenKeys: Sendable {
  /// Seconds.
  static let period: TimeInterval = 30 * 86_400

  private let store: any ServerStore
  private let clock: @Sendable () -> Date
  private let cache = Locked<[String: (key: SigningKey, number: Int, readAt: Date)]>([:])

  typealias Algorithm = OpenIDClient.SigningAlgorithm

  /// How long a key is cached before it is read from the database again, because keys can be ended at any time. Seconds.
  static let memory: TimeInterval = 10

  private static let prefix = "openid signing key "

  /// One period's key.
  struct SigningKey: Sendable {
    let signer: any JWSSigner
    let jwk: JWK
    var id: String { jwk.keyID ?? "" }

    /// Signs claims; the header's `alg` is always the key's own.
    func sign(_ claims: JSONObject, type: String) async throws -> String {
      try await sign(claims.serialized, type: type)
    }

    func sign(_ payload: [UInt8], type: String) async throws -> String {
      try await JWS.compact(
        header: JWSHeader(algorithm: signer.algorithm, type: type, keyID: id), payload: payload,
        signer: signer)
    }
  }

  init(store: any ServerStore, clock: @escaping @Sendable () -> Date) {
    self.store = store
    self.clock = clock
  }

  private var number: Int { Int((clock().timeIntervalSince1970 / Self.period).rounded(.down)) }

  /// The key that signs now.
  func current(_ algorithm: Algorithm = .es256) async throws -> SigningKey {
    try await key(number, algorithm)
  }

  /// The current, the next and the previous key.
  func published(_ algorithm: Algorithm = .es256) async throws -> [SigningKey] {
    var keys: [SigningKey] = []
    for number in [number, number + 1, number - 1] { keys.append(try await key(number, algorithm)) }
    return keys
  }

  /// The names of keys that are no longer published, not even by servers whose clocks are late. Such a server would make a new key in place
  /// of a removed one.
  var retiredNames: [String] {
    Algorithm.allCases.flatMap { algorithm in (3...7).map { Self.name(number - $0, algorithm) } }
  }

  func removeRetired() async throws {
    _ = try await store.change(
      "the removal of old signing keys",
      retiredNames.map { SQLStatement("DELETE FROM server_secrets WHERE name = ?", [$0]) })
  }

  /// The name of a key's secret. The names of ES256 keys have no algorithm, because they are older than the choice.
  static func name(_ number: Int, _ algorithm: Algorithm = .es256) -> String {
    prefix + (algorithm == .es256 ? "" : "\(algorithm.rawValue) ") + "\(number)"
  }

  /// Ends all keys, because somebody else may have them. Running servers get new ones within ``memory``. From then on, JWTs that were
  /// signed before are refused, here and by everybody who reads the published keys.
  package static func end(in store: any ServerStore) async throws {
    _ = try await store.change(
      "the end of the keys that sign tokens",
      [SQLStatement("DELETE FROM server_secrets WHERE name LIKE ?", [prefix + "%"])])
  }

  private func key(_ number: Int, _ algorithm: Algorithm) async throws -> SigningKey {
    let now = clock()
    let name = Self.name(number, algorithm)
    if let known = cache.withLock({ $0[name] }),
      (0..<Self.memory).contains(now.timeIntervalSince(known.readAt))
    {
      return known.key
    }
    let bytes = try await store.secret(named: name) {
      switch algorithm {
      case .es256: Array(P256.Signing.PrivateKey().rawRepresentation)
      case .rs256: try RS256Signer.newKey()
      }
    }
    let made = try Self.signingKey(bytes, algorithm)
    cache.withLock { cache in
      cache = cache.filter { abs($0.value.number - number) < 3 }
      cache[name] = (made, number, now)
    }
    return made
  }

  private static func signingKey(_ bytes: [UInt8], _ algorithm: Algorithm) throws -> SigningKey {
    switch algorithm {
    case .es256:
      let key = try P256.Signing.PrivateKey(rawRepresentation: bytes)
      let point = [UInt8](key.publicKey.x963Representation)
      let jwk = try JWK(p256X963: point, keyID: JWK(p256X963: point, keyID: nil).thumbprint)
      return SigningKey(signer: P256Signer(privateKey: key), jwk: jwk)
    case .rs256:
      let signer = try RS256Signer(der: bytes)
      return SigningKey(signer: signer, jwk: try signer.publicJWK())
    }
  }
}
