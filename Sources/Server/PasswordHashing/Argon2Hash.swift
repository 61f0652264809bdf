internal import Bytes
internal import CArgon2
internal import Foundation

/// A stored hash in the PHC string form: `$argon2id$v=19$m=19456,t=2,p=1$SALT$HASH`, both in Base64 without padding.
///
/// (https://github.com/P-H-C/phc-string-format.) Only Argon2id version 1.3 in the spelling that the reference
/// implementation writes.
struct Argon2Hash: Sendable, Redacted {
  static let saltLength = 16
  static let hashLength = 32

  let cost: Argon2Cost

  /// The text, without NUL; checked by ``init(_:limit:)``.
  private let text: String

  /// Reads a stored hash, and checks its limits before any memory is spent on it.
  init(_ text: String, limit: Argon2Cost) throws(PasswordHashingError) {
    guard text.utf8.count <= 256 else { throw .unusableHash("it is longer than 256 bytes") }
    let parts = text.split(separator: "$", omittingEmptySubsequences: false)
    guard parts.count == 6, parts[0].isEmpty, parts[1] == "argon2id", parts[2] == "v=19" else {
      throw .unusableHash("it does not begin with $argon2id$v=19$")
    }
    guard let cost = Self.cost(parts[3]), cost.isAcceptable(within: limit) else {
      throw .unusableHash("its cost parameters are malformed, or higher than this server accepts")
    }
    guard let salt = Self.decode(parts[4]), (8...64).contains(salt.count), let hash = Self.decode(parts[5]),
      (16...64).contains(hash.count)
    else { throw .unusableHash("salt or hash are not 8 to 64 and 16 to 64 bytes of Base64 without padding") }
    self.cost = cost
    self.text = text
  }

  /// A hash that no known password matches, at the cost of a real one.
  init(unmatchableWith cost: Argon2Cost, randomBytes: (Int) -> [UInt8]) throws(PasswordHashingError) {
    let salt = Self.encode(randomBytes(Self.saltLength))
    let hash = Self.encode(randomBytes(Self.hashLength))
    try self.init(
      "$argon2id$v=19$m=\(cost.memoryKiB),t=\(cost.iterations),p=\(cost.parallelism)$\(salt)$\(hash)",
      limit: cost)
  }

  /// Whether `password` has this hash. Compares in constant time (`argon2_verify` does).
  func matches(_ password: [UInt8]) throws(PasswordHashingError) -> Bool {
    let code = argon2_verify(text, password, password.count, Argon2_id)
    switch argon2_error_codes(rawValue: code) {
    case ARGON2_OK: return true
    case ARGON2_VERIFY_MISMATCH: return false
    default: throw .failed(Self.message(code))
    }
  }

  /// Hashes `password` and writes the string form.
  static func make(
    _ password: [UInt8], salt: [UInt8], cost: Argon2Cost
  ) throws(PasswordHashingError) -> String {
    var encoded = [CChar](repeating: 0, count: 256)
    let code = argon2id_hash_encoded(
      cost.iterations, cost.memoryKiB, cost.parallelism, password, password.count, salt, salt.count,
      hashLength, &encoded, encoded.count)
    guard code == ARGON2_OK.rawValue else { throw .failed(message(code)) }
    return String(decoding: encoded.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// The hash's cost without the hash itself, which must not be logged.
  var description: String {
    "Argon2id hash (m=\(cost.memoryKiB), t=\(cost.iterations), p=\(cost.parallelism))"
  }

  private static func message(_ code: CInt) -> String {
    argon2_error_message(code).map { String(cString: $0) } ?? "error \(code)"
  }

  /// Reads the cost from the start of a hash, up to the salt: `$argon2id$v=19$m=19456,t=2,p=1$`.
  static func cost(ofKind kind: String) -> Argon2Cost? {
    let parts = kind.split(separator: "$", omittingEmptySubsequences: false)
    guard parts.count == 5, parts[0].isEmpty, parts[1] == "argon2id", parts[2] == "v=19", parts[4].isEmpty
    else { return nil }
    return cost(parts[3])
  }

  /// Reads `m=…,t=…,p=…`, decimal without sign or leading zero.
  private static func cost(_ text: Substring) -> Argon2Cost? {
    let parts = text.split(separator: ",", omittingEmptySubsequences: false)
    guard parts.count == 3, let memory = number("m=", parts[0]), let iterations = number("t=", parts[1]),
      let parallelism = number("p=", parts[2])
    else { return nil }
    return Argon2Cost(memoryKiB: memory, iterations: iterations, parallelism: parallelism)
  }

  private static func number(_ prefix: String, _ text: Substring) -> UInt32? {
    guard text.hasPrefix(prefix) else { return nil }
    let digits = text.dropFirst(prefix.count)
    guard let number = UInt32(digits), String(number) == digits else { return nil }
    return number
  }

  /// Base64 of the standard alphabet without padding, as the PHC string format requires.
  private static func encode(_ bytes: [UInt8]) -> String {
    bytes.withUnsafeBufferPointer(Base64Codec.standard.text)
  }

  private static func decode(_ text: Substring) -> [UInt8]? {
    Array(text.utf8).withUnsafeBufferPointer(Base64Codec.standard.decode)
  }
}
