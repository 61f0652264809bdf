internal import Bytes
package import JOSE
internal import KeyAttestation
package import StrictJSON

/// The proof of a device with a TPM: client data that a new key of the TPM has signed. The TPM attests the key over the same challenge.
///
/// It is a compact JWS. The header's `jwk` carries the evidence like the proof of a bound key (`x5c` and `tpm`, `docs/attestation.md`).
/// `typ` says what the token is for, so that neither can pass for the other.
package enum AppIntegrityToken {
  package static let type = "app-integrity+jws"

  /// Signs client data.
  ///
  /// - Parameters:
  ///   - publicKey: The signer's public key.
  ///   - evidence: `x5c` and `tpm`, attested over the bytes of the challenge.
  package static func signed(
    _ clientData: AppIntegrityClientData, publicKey: JWK, evidence: JSONObject, by signer: some JWSSigner
  ) async throws -> String {
    try await JWS.compact(
      header: JWSHeader(
        algorithm: signer.algorithm, type: type, keyID: publicKey.thumbprint, jwk: publicKey,
        jwkExtra: evidence),
      claims: clientData.json, signer: signer)
  }

  /// Whether an attestation is such a token. App Attest's, in Base64, has no dot.
  static func isOne(_ text: String) -> Bool { text.utf8.contains(UInt8(ascii: ".")) }

  /// The signed client data, with the key that signed it. Nothing is known about the key yet.
  static func parse(
    _ compact: String
  ) throws(AppIntegrityFailure) -> (clientData: AppIntegrityClientData, key: JSONObject, thumbprint: String) {
    let (jws, key): (UnverifiedJWS, JWK)
    do throws(JOSEError) {
      jws = try UnverifiedJWS(compact: compact, limits: .withCertificates)
      key = try JWK(json: jws.header.jwk ?? [:])
    } catch {
      throw AppIntegrityFailure(.tokenMalformed, error.reason)
    }
    guard jws.header.type == type else {
      throw AppIntegrityFailure(.tokenMalformed, "its type (typ) is not \(type)")
    }
    let payload: [UInt8]
    do throws(JOSEError) {
      payload = try jws.verified(with: VerificationKey(key), allowing: [.es256]).payload
    } catch {
      throw AppIntegrityFailure(.tokenSignatureInvalid, error.reason)
    }
    return (try AppIntegrityClientData(parsing: payload), jws.header.jwk ?? [:], key.thumbprint)
  }
}
