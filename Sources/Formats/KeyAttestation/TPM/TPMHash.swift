internal import Crypto

/// The hash algorithms accepted in TPM structures, by their TPM_ALG_ID. SHA-1 is not among them.
package enum TPMHash: UInt16, Sendable, Hashable {
  case sha256 = 0x000B
  case sha384 = 0x000C
  case sha512 = 0x000D

  package func digest(of bytes: [UInt8]) -> [UInt8] {
    switch self {
    case .sha256: Array(SHA256.hash(data: bytes))
    case .sha384: Array(SHA384.hash(data: bytes))
    case .sha512: Array(SHA512.hash(data: bytes))
    }
  }
}

extension TPMReader {
  mutating func hash() throws(Malformed) -> TPMHash {
    let identifier = try integer(UInt16.self)
    guard let hash = TPMHash(rawValue: identifier) else {
      throw Malformed(
        reason: "the hash algorithm \(String(identifier, radix: 16)) is not SHA-256, 384 or 512")
    }
    return hash
  }
}

/// Further identifiers of algorithms (TPM 2.0 Library, Part 2, §6.3).
enum TPMAlgorithm {
  static let rsa: UInt16 = 0x0001
  static let null: UInt16 = 0x0010
  static let rsassa: UInt16 = 0x0014
  static let rsapss: UInt16 = 0x0016
  static let ecdsa: UInt16 = 0x0018
  static let ecc: UInt16 = 0x0023
}
