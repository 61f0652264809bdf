package import JOSE
package import StrictJSON

/// Makes compact tokens (RFC 7515 §7.1), for tests of what is done with them.
package enum Tokens {
  /// A token of the type `JWT`, as a phone and its server exchange them.
  package static func hs256(_ claims: JSONObject, secret: [UInt8]) throws -> String {
    try JWS.compact(
      header: JWSHeader(algorithm: .hs256, type: "JWT"), payload: claims.serialized,
      secret: SymmetricSecret(secret))
  }

  package static func es256(
    _ claims: JSONObject, signer: some JWSSigner, keyID: String? = nil
  ) async throws -> String {
    try await JWS.compact(
      header: JWSHeader(algorithm: .es256, keyID: keyID), claims: claims, signer: signer)
  }
}
