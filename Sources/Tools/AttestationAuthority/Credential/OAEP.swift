internal import Bytes
internal import Crypto
internal import KeyAttestation

/// RSAES-OAEP with a label (RFC 8017 §7.1.1); the mask generation function uses the same hash.
enum OAEP {
  /// Encrypts `message` to `key`. The padded message is as secret as the message, and stays in this function.
  ///
  /// - Parameter seed: random bytes, as many as the hash has.
  /// - Returns: `nil` when the modulus is too short for hash and message.
  static func encrypt(
    _ message: SymmetricKey, label: [UInt8], hash: TPMHash, seed: SymmetricKey, to key: RSAEncryptionPrimitive
  ) -> [UInt8]? {
    let labelDigest = hash.digest(of: label)
    let (message, seed) = (message.bytes, seed.bytes)
    let padding = key.byteCount - message.count - 2 * labelDigest.count - 2
    guard padding >= 0, seed.count == labelDigest.count else { return nil }
    let block = labelDigest + [UInt8](repeating: 0, count: padding) + [1] + message
    let maskedBlock = xor(block, mask(from: seed, count: block.count, hash))
    let maskedSeed = xor(seed, mask(from: maskedBlock, count: seed.count, hash))
    return key.apply([0] + maskedSeed + maskedBlock)
  }

  /// MGF1 (RFC 8017 §B.2.1).
  private static func mask(from seed: [UInt8], count: Int, _ hash: TPMHash) -> [UInt8] {
    var mask: [UInt8] = []
    var counter: UInt32 = 0
    while mask.count < count {
      mask += hash.digest(of: seed + counter.bigEndianBytes)
      counter += 1
    }
    return Array(mask.prefix(count))
  }

  private static func xor(_ a: [UInt8], _ b: [UInt8]) -> [UInt8] { zip(a, b).map { $0 ^ $1 } }
}

extension SymmetricKey {
  /// The raw bytes, which leave the key's protection.
  var bytes: [UInt8] { withUnsafeBytes { Array($0) } }
}
