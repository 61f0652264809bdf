package import JOSE
package import StrictJSON

/// What a compact token says whose signature was verified.
package struct VerifiedToken: Sendable {
  package let header: JSONObject
  package let claims: JSONObject

  /// `kid`: which key signed.
  package var keyID: String? { header["kid"]?.stringValue }

  /// Verifies ES256.
  package init(_ compact: String, key: JWK) throws {
    try self.init(compact, key: VerificationKey(key), algorithm: .es256)
  }

  /// Verifies ES256 with the key that `jwk` says (RFC 7517).
  package init(_ compact: String, jwk: JSONObject) throws {
    try self.init(compact, key: JWK(json: jwk))
  }

  /// Verifies RS256 with the key that `rsaKey` says.
  package init(_ compact: String, rsaKey: JSONObject) throws {
    try self.init(compact, key: VerificationKey(JWK(json: rsaKey)), algorithm: .rs256)
  }

  /// Verifies HS256.
  package init(_ compact: String, secret: [UInt8]) throws {
    try self.init(compact, key: VerificationKey(secret: SymmetricSecret(secret)), algorithm: .hs256)
  }

  private init(_ compact: String, key: VerificationKey, algorithm: JWSAlgorithm) throws {
    let token = try UnverifiedJWS(compact: compact).verified(with: key, allowing: [algorithm])
    header = token.header.json
    claims = try token.claims()
  }
}
