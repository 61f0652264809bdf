internal import Crypto
internal import CryptoExtras
public import Foundation

/// The RSA key that an identifier is made from.
///
/// Only the public half is here. Nothing is ever signed with the private one, so it is dropped as soon as the key was
/// made: what is not kept cannot be stolen.
public struct DeviceIdentifierKeyPair: Codable, Sendable {
  /// The public key: an `RSAPublicKey` in DER (RFC 8017 §A.1.1).
  public let publicKey: Data

  /// A key pair of the public key `publicKey`.
  public init(publicKey: Data) { self.publicKey = publicKey }

  /// The sizes in bits that may be asked for. Below, two devices could be made to look the same; above, making a key takes
  /// minutes.
  static let sizes = 2048...8192

  /// Makes a new one of `bits`.
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

/// The size of a key that nobody makes.
struct UnsupportedKeySize: LocalizedError, Hashable {
  let bits: Int

  var errorDescription: String? {
    "A key of \(bits) bits cannot be made. Take a multiple of 8 from \(DeviceIdentifierKeyPair.sizes.lowerBound) to"
      + " \(DeviceIdentifierKeyPair.sizes.upperBound)."
  }
}
