package import Crypto
internal import OpenIDFormats
package import Foundation
package import JOSE
package import StrictJSON

/// Who holds a key, and proves it (RFC 9449): a P-256 key in memory, or any other that signs.
package struct KeyHolder: JWSSigner {
  package let publicKey: JWK
  private let signer: any JWSSigner

  package init(_ key: P256.Signing.PrivateKey = P256.Signing.PrivateKey()) throws {
    publicKey = try JWK(p256X963: [UInt8](key.publicKey.x963Representation), keyID: nil)
    signer = P256Signer(privateKey: key)
  }

  package init(signer: any JWSSigner, publicKey: JWK) {
    self.signer = signer
    self.publicKey = publicKey
  }

  package var algorithm: JWSAlgorithm { signer.algorithm }
  package var jwk: JSONObject { publicKey.json }
  package var thumbprint: String { publicKey.thumbprint }

  package func signature(for signingInput: [UInt8]) async throws -> [UInt8] {
    try await signer.signature(for: signingInput)
  }

  /// The value of the header `DPoP` for one request.
  package func proof(
    method: String, url: String, accessToken: String? = nil, nonce: String? = nil, at time: Date,
    id: String = UUID().uuidString
  ) async throws -> String {
    try await DPoPProof.make(
      method: method, url: url, accessToken: accessToken, nonce: nonce, at: time, id: id, signer: self)
  }
}

extension KeyHolder: DPoPSigner {}
