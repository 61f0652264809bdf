package import Crypto
internal import JOSE
package import StrictJSON

extension P256.Signing.PublicKey {
  /// The key as JSON (RFC 7517), for signatures with ES256.
  package func jwk(keyID: String? = nil) throws -> JSONObject {
    try JWK(p256X963: [UInt8](x963Representation), keyID: keyID).json
  }
}
