internal import Crypto
internal import JOSE

/// A P-256 key whose private part is in memory. The library wipes it when the last reference is released.
final class UnlockedKey: DeviceKey {
  let tag: String
  let publicKey: JWK
  private let signer: P256Signer

  init(tag: String, privateKey: P256.Signing.PrivateKey) throws(JOSEError) {
    self.tag = tag
    publicKey = try JWK(p256X963: Array(privateKey.publicKey.x963Representation), keyID: nil)
    signer = P256Signer(privateKey: privateKey)
  }

  func signature(for signingInput: [UInt8]) throws -> [UInt8] { try signer.signature(for: signingInput) }
}
