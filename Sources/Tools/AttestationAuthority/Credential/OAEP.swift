internal import KeyAttestation

/// RSAES-OAEP with a label (RFC 8017 §7.1.1); the mask generation function uses the same hash.
enum OAEP {
  /// The padded message, as long as the modulus.
  ///
  /// - Parameter seed: as many random bytes as the hash has.
  static func padded(
    _ message: [UInt8], label: [UInt8], hash: TPMHash, modulusBytes: Int, seed: [UInt8]
  ) -> [UInt8] {
    let labelDigest = hash.digest(of: label)
    let padding = modulusBytes - message.count - 2 * labelDigest.count - 2
    precondition(padding >= 0, "The modulus is too short for hash and message.")
    let block = labelDigest + [UInt8](repeating: 0, count: padding) + [1] + message
    let maskedBlock = xor(block, mask(from: seed, count: block.count, hash))
    let maskedSeed = xor(seed, mask(from: maskedBlock, count: seed.count, hash))
    return [0] + maskedSeed + maskedBlock
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

extension FixedWidthInteger {
  var bigEndianBytes: [UInt8] { withUnsafeBytes(of: bigEndian, Array.init) }
}
