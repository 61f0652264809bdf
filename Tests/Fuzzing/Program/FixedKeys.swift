import Bytes
import Crypto
import Foundation
import JOSE
import StrictJSON

/// Keys that are always the same, so that seeds stay good. A fuzzer does not find a signature: what verifies was signed here.
enum FixedKeys {
  static let secret = [UInt8](repeating: 7, count: 32)

  static let signing: P256.Signing.PrivateKey = {
    guard let key = try? P256.Signing.PrivateKey(rawRepresentation: [UInt8](repeating: 9, count: 32)) else {
      fatalError("the fixed key is none")
    }
    return key
  }()

  static let jwk: JWK = {
    guard let jwk = try? JWK(p256X963: Array(signing.publicKey.x963Representation), keyID: "fixed") else {
      fatalError("the fixed key is no JWK")
    }
    return jwk
  }()

  /// A compact token of these parts (RFC 7515 §7.1).
  static func token(_ header: JSONObject, _ payload: [UInt8]) -> String {
    let input = Base64URL.encode(header.serialized) + "." + Base64URL.encode(payload)
    let signature =
      header["alg"] == "HS256"
      ? Array(HMAC<SHA256>.authenticationCode(for: Array(input.utf8), using: SymmetricKey(data: secret)))
      : (try? signing.signature(for: Array(input.utf8))).map { Array($0.rawRepresentation) } ?? []
    return input + "." + Base64URL.encode(signature)
  }

  static func token(_ header: JSONObject, _ claims: JSONObject) -> String { token(header, claims.serialized) }
}
