internal import Crypto
internal import Foundation
public import JOSE
internal import Bytes
internal import StrictJSON

/// Signed JWTs in compact form (RFC 7515 §7.1, RFC 7519).
///
/// Nothing here checks `exp`, `nbf` or `aud`: what they mean is the caller's business.
public final class CompactJwt: Sendable {
  private init() {}

  /// A JWT with `claims`, signed with HMAC-SHA256.
  ///
  /// - Parameter base64Secret: The shared secret in padded standard Base64.
  /// - Throws: ``JwtError``
  public static func signJwtClaims(base64Secret: String, claims: [String: Any]) throws -> String {
    let key = try symmetricKey(base64Secret)
    let header: JSONObject = ["typ": "JWT", "alg": "HS256"]
    let input = Base64URL.encode(header.serialized) + "." + Base64URL.encode(try payload(claims))
    let mac = HMAC<SHA256>.authenticationCode(for: Data(input.utf8), using: key)
    return input + "." + Base64URL.encode(mac)
  }

  /// Whether `jwt` has three parts and a payload with all of `requiredFields`. The signature is not checked.
  public static func canParseJwt(_ jwt: String, requiredFields: [String] = []) -> Bool {
    guard let claims = try? parts(jwt).claims else { return false }
    return requiredFields.allSatisfy { claims[$0] != nil }
  }

  /// Whether the HMAC-SHA256 of `jwt` is right. The comparison takes the same time wherever the MACs differ.
  ///
  /// - Parameter base64Secret: The shared secret in padded standard Base64.
  /// - Throws: ``JwtError`` when there is no such MAC to check.
  public static func verifyJwtSignature(_ jwt: String, base64Secret: String) throws -> Bool {
    let key = try symmetricKey(base64Secret)
    let segments = try segments(jwt)
    guard let bytes = Base64URL.decode(segments[0]), let header = try? JSONValue(parsing: bytes).objectValue
    else {
      throw JwtError.failToConvertData("the header is not a JSON object")
    }
    guard header["alg"]?.stringValue == "HS256" else {
      throw JwtError.unsupportedAlgorithm("\(header["alg"]?.text ?? "none") is not HS256")
    }
    guard let mac = Base64URL.decode(segments[2]) else { return false }
    return HMAC<SHA256>.isValidAuthenticationCode(
      mac, authenticating: Data("\(segments[0]).\(segments[1])".utf8), using: key)
  }

  /// The claims of `jwt`. The signature is not checked.
  ///
  /// - Throws: ``JwtError``
  public static func parseJwtClaims(_ jwt: String) throws -> [String: Any] {
    try parts(jwt).claims.dictionary
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
    guard let json = JSONValue(any: claims) else {
      throw JwtError.failToConvertData("a claim holds a value that has no JSON form")
    }
    return json.serialized
  }

  private static func symmetricKey(_ base64Secret: String) throws -> SymmetricKey {
    guard let secret = Data(base64Encoded: base64Secret), !secret.isEmpty else {
      throw JwtError.invalidSecret("it is empty or not padded standard Base64")
    }
    return SymmetricKey(data: secret)
  }

  private static func segments(_ jwt: String) throws -> [Substring] {
    guard jwt.utf8.count <= JWSLimits.standard.maximumBytes else {
      throw JwtError.invalidFormat("it is too long")
    }
    let segments = jwt.split(separator: ".", omittingEmptySubsequences: false)
    guard segments.count == 3, segments.allSatisfy({ !$0.isEmpty }) else {
      throw JwtError.invalidFormat("it does not have three parts")
    }
    return segments
  }

  private static func parts(_ jwt: String) throws -> (segments: [Substring], claims: JSONObject) {
    let segments = try segments(jwt)
    guard let bytes = Base64URL.decode(segments[1]) else {
      throw JwtError.invalidFormat("the payload is not Base64url")
    }
    guard let claims = try? JSONValue(parsing: bytes).objectValue else {
      throw JwtError.invalidPayload("the payload is not a JSON object")
    }
    return (segments, claims)
  }
}
