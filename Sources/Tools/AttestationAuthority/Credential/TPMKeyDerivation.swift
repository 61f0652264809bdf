internal import Bytes
internal import Crypto
internal import KeyAttestation

/// The TPM's two key derivation functions (TPM 2.0 Library, Part 1, §11.4.10). Labels are given without their terminating 0.
enum TPMKeyDerivation {
  /// KDFa: SP 800-108 in counter mode with HMAC, from a key.
  static func keyed(
    _ hash: TPMHash, key: SymmetricKey, label: String, context: [UInt8] = [], bits: Int
  ) -> SymmetricKey {
    counterMode(
      hash, key: key, fixedInput: Array(label.utf8) + [0] + context + UInt32(bits).bigEndianBytes, bits: bits)
  }

  /// SP 800-108 §4.1 with HMAC and a counter of 32 bits before the fixed input.
  static func counterMode(
    _ hash: TPMHash, key: SymmetricKey, fixedInput: [UInt8], bits: Int
  ) -> SymmetricKey {
    blocks(bits) { hash.authenticationCode(of: $0.bigEndianBytes + fixedInput, key: key) }
  }

  /// KDFe: SP 800-56A, from the x-coordinate of a shared point, with the x-coordinates of the two public keys.
  static func agreed(
    _ hash: TPMHash, shared: SharedSecret, label: String, sender: [UInt8], recipient: [UInt8], bits: Int
  ) -> SymmetricKey {
    let input = shared.withUnsafeBytes { Array($0) } + Array(label.utf8) + [0] + sender + recipient
    return blocks(bits) { hash.digest(of: $0.bigEndianBytes + input) }
  }

  private static func blocks(_ bits: Int, _ block: (UInt32) -> [UInt8]) -> SymmetricKey {
    var bytes: [UInt8] = []
    var counter: UInt32 = 1
    while bytes.count * 8 < bits {
      bytes += block(counter)
      counter += 1
    }
    return SymmetricKey(data: bytes.prefix(bits / 8))
  }
}

extension TPMHash {
  var bits: Int {
    switch self {
    case .sha256: 256
    case .sha384: 384
    case .sha512: 512
    }
  }

  /// HMAC.
  func authenticationCode(of bytes: [UInt8], key: SymmetricKey) -> [UInt8] {
    switch self {
    case .sha256: Array(HMAC<SHA256>.authenticationCode(for: bytes, using: key))
    case .sha384: Array(HMAC<SHA384>.authenticationCode(for: bytes, using: key))
    case .sha512: Array(HMAC<SHA512>.authenticationCode(for: bytes, using: key))
    }
  }
}
