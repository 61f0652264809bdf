internal import BindingFormats
internal import DeviceKeys
internal import Foundation
internal import JOSE
internal import StrictJSON

/// The JWS that proves a key to the server (RFC 7515, compact form).
struct BindingToken: Sendable {
  private let header: JWSHeader
  private let claims: JSONObject

  /// The proof of a new key, with its attestation if one is wanted.
  ///
  /// A key that cannot be attested is proven without an attestation: the server decides whether that is enough, or the flow has decided
  /// already (``DeviceBindingConfig/requiresAttestation``).
  static func proof(_ params: SigningParameters) async throws -> BindingToken {
    try BindingToken(
      algorithm: params.jwsAlgorithm, publicKey: params.keyPair.jwk, kid: params.kid, userID: params.userId,
      challenge: params.challenge, issueTime: params.issueTime, notBeforeTime: params.notBeforeTime,
      expiration: params.expiration, applicationID: params.applicationId,
      evidence: try await params.attestationEvidence())
  }

  /// - Throws: ``DeviceBindingError/invalidClaim`` for custom claims that are not allowed.
  init(_ params: UserKeySigningParameters) throws {
    try self.init(
      algorithm: params.jwsAlgorithm, publicKey: params.jwk, kid: params.userKey.kid,
      userID: params.userKey.userId, challenge: params.challenge, issueTime: params.issueTime,
      notBeforeTime: params.notBeforeTime, expiration: params.expiration, applicationID: params.applicationId,
      transactionID: params.transactionID, custom: CustomClaims(params.customClaims).json)
  }

  private init(
    algorithm: JWSAlgorithm, publicKey: JWK, kid: String, userID: String, challenge: String, issueTime: Date,
    notBeforeTime: Date, expiration: Date, applicationID: String?,
    transactionID: String? = nil, custom: JSONObject = JSONObject(), evidence: JSONObject = JSONObject()
  ) throws {
    let applicationID = ApplicationID.chosen(applicationID, logger: BindingModule.logger(for: nil))
    header = JWSHeader(
      algorithm: algorithm, type: Constants.JWS, keyID: kid, jwk: try publicKey.withKeyID(kid),
      jwkExtra: evidence)
    var claims: JSONObject = [
      Constants.sub: .string(userID),
      Constants.iss: .string(applicationID),
      Constants.challenge: .string(challenge),
      Constants.iat: .integer(try issueTime.wholeSeconds),
      Constants.nbf: .integer(try notBeforeTime.wholeSeconds),
      Constants.exp: .integer(try expiration.wholeSeconds),
      Constants.platform: .string(Self.platform),
    ]
    if let transactionID { claims[ProofClaim.transaction] = .string(transactionID) }
    claims.merge(custom)
    self.claims = claims
  }

  /// The compact form, signed by `key`.
  func signed(by key: any DeviceKey) async throws -> String {
    try await JWS.compact(header: header, claims: claims, signer: key)
  }

  private static var platform: String {
    #if canImport(Darwin)
      Constants.ios
    #else
      Constants.linux
    #endif
  }
}

extension SigningParameters {
  /// `x5c` and the other members of the `jwk` that attest the key; empty when no attestation is wanted or possible.
  fileprivate func attestationEvidence() async throws -> JSONObject {
    guard case .challenge(let text) = attestation, let key = keyPair.deviceKey as? any AttestableDeviceKey
    else { return JSONObject() }
    guard let challenge = Data(base64Encoded: text) else {
      throw DeviceBindingError.unsupported(
        errorMessage: "The server's challenge to attest is not valid Base64.")
    }
    return try await key.attestation(challenge: Array(challenge)).jwkMembers
  }
}

extension JWK {
  /// This key with the key id `kid`.
  fileprivate func withKeyID(_ kid: String) throws -> JWK {
    guard case .p256(let x, let y) = material else {
      throw DeviceBindingError.unsupported(
        errorMessage: "ES256 requires a P-256 key, and this key is not one.")
    }
    return try JWK(p256X963: [4] + x + y, keyID: kid)
  }
}

extension Date {
  /// Seconds since 1970, rounded down (NumericDate without fraction, RFC 7519 §2).
  fileprivate var wholeSeconds: Int64 {
    get throws {
      guard let seconds = Int64(exactly: timeIntervalSince1970.rounded(.down)) else {
        throw DeviceBindingError.unsupported(errorMessage: "A time of the configuration is out of range.")
      }
      return seconds
    }
  }
}
