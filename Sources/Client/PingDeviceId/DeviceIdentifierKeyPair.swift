internal import Crypto
internal import CryptoExtras
public import Foundation

/// The RSA key that an identifier is made from.
///
/// Only the public key is kept. The private key never signs anything, so it is dropped at once and cannot be stolen.
public struct DeviceIdentifierKeyPair: Codable, Sendable {
  /// The public key: an `RSAPublicKey` in DER (RFC 8017 §A.1.1).
  public let publicKey: Data

  public init(publicKey: Data) { self.publicKey = publicKey }

  /// The supported sizes in bits. With a smaller key two devices could be made to look the same; a larger one takes minutes to make.
  static let sizes = 2048...8192

  /// Makes a new key of `bits`.
  ///
  /// - Throws: ``DeviceIdentifierError/keyGenerationFailed(_:)``
  static func generate(bits: Int) throws(DeviceIdentifierError) -> Self {
    guard sizes.contains(bits), bits.isMultiple(of: 8) else {
      throw .keyGenerationFailed(UnsupportedKeySize(bits: bits))
    }
    do {
      let key = try _RSA.Signing.PrivateKey(keySize: .init(bitCount: bits))
      return Self(publicKey: key.publicKey.pkcs1DERRepresentation)
    } catch {
      throw .keyGenerationFailed(error)
    }
  }
}

/// The key size is not supported.
struct UnsupportedKeySize: LocalizedError, Hashable {
  let bits: Int

  var errorDescription: String? {
    "A key of \(bits) bits is not supported. Use a multiple of 8 from \(DeviceIdentifierKeyPair.sizes.lowerBound) to"
      + " \(DeviceIdentifierKeyPair.sizes.upperBound)."
  }
}
