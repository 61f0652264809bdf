internal import Bytes
internal import Foundation
public import JOSE
internal import StrictJSON

/// Signed JWTs in compact form (RFC 7515 §7.1, RFC 7519).
///
/// Nothing here checks `exp`, `nbf` or `aud`: that is up to the caller.
public final class CompactJwt: Sendable {
  private init() {}

  /// A JWT with `claims`, signed with HMAC-SHA256.
  ///
  /// - Parameter base64Secret: The shared secret in padded standard Base64.
  /// - Throws: ``JwtError``
  public static func signJwtClaims(base64Secret: String, claims: [String: Any]) throws -> String {
    try JWS.compact(
      header: JWSHeader(algorithm: .hs256, type: "JWT"), payload: payload(claims),
      secret: secret(base64Secret))
  }

  /// Whether `jwt` has three parts and a payload with all of `requiredFields`. The signature is not checked.
  public static func canParseJwt(_ jwt: String, requiredFields: [String] = []) -> Bool {
    guard let claims = try? claims(of: jwt) else { return false }
    return requiredFields.allSatisfy { claims[$0] != nil }
  }

  /// Whether the HMAC-SHA256 of `jwt` is correct, compared in constant time.
  ///
  /// - Parameter base64Secret: The shared secret in padded standard Base64.
  /// - Throws: ``JwtError`` when `jwt` has no such MAC.
  public static func verifyJwtSignature(_ jwt: String, base64Secret: String) throws -> Bool {
    let secret = try secret(base64Secret)
    _ = try unverifiedPayload(of: jwt)
    let jws: UnverifiedJWS
    do throws(JOSEError) { jws = try UnverifiedJWS(compact: jwt) } catch {
      throw error.code == .unsupportedAlgorithm
        ? JwtError.unsupportedAlgorithm(error.reason) : .invalidFormat(error.reason)
    }
    guard jws.header.algorithm == .hs256 else {
      throw JwtError.unsupportedAlgorithm("\(jws.header.algorithm.rawValue) is not HS256")
    }
    return (try? jws.verified(with: VerificationKey(secret: secret), allowing: [.hs256])) != nil
  }

  /// The claims of `jwt`. The signature is not checked.
  ///
  /// - Throws: ``JwtError/invalidFormat(_:)`` when `jwt` is not a JWT, ``JwtError/invalidPayload(_:)`` when it holds no JSON object.
  public static func parseJwtClaims(_ jwt: String) throws -> [String: Any] {
    try claims(of: jwt).dictionary
  }

  /// A JWT with `claims`, signed by a key that may live in a TPM or a Secure Enclave.
  ///
  /// - Parameters:
  ///   - signer: Signs; its algorithm goes into the header.
  ///   - kid: The key's identifier, for header and `publicKey`.
  ///   - publicKey: Goes into the header as `jwk`, with `use` and `alg`.
  /// - Throws: ``JwtError``, or what `signer` throws.
  public static func sign(
    claims: [String: Any], signer: some JWSSigner, kid: String, publicKey: JWK? = nil
  ) async throws -> String {
    var jwk = publicKey?.json
    jwk?["kid"] = .string(kid)
    jwk?["use"] = "sig"
    jwk?["alg"] = .string(signer.algorithm.rawValue)
    let header = JWSHeader(
      algorithm: signer.algorithm, type: "JWS", keyID: kid, jwk: try jwk.map { try JWK(json: $0) })
    return try await JWS.compact(header: header, payload: try payload(claims), signer: signer)
  }

  static func payload(_ claims: [String: Any]) throws -> [UInt8] {
    guard let json = JSONValue(any: claims, nothing: .null) else {
      throw JwtError.failToConvertData("a claim holds a value that has no JSON form")
    }
    return json.serialized
  }

  private static func secret(_ base64Secret: String) throws -> SymmetricSecret {
    guard let bytes = Data(base64Encoded: base64Secret), let secret = try? SymmetricSecret(insecure: bytes)
    else {
      throw JwtError.invalidSecret("it is empty or not padded standard Base64")
    }
    return secret
  }

  private static func unverifiedPayload(of jwt: String) throws -> [UInt8] {
    do throws(JOSEError) { return try UnverifiedJWS.payload(of: jwt) } catch {
      throw JwtError.invalidFormat(error.reason)
    }
  }

  private static func claims(of jwt: String) throws -> JSONObject {
    let payload = try unverifiedPayload(of: jwt)
    guard let claims = try? JSONValue(parsing: payload).objectValue else {
      throw JwtError.invalidPayload("the payload is not a JSON object")
    }
    return claims
  }
}
