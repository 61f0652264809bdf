internal import Bytes
internal import Crypto
internal import Foundation
internal import JOSE
internal import JourneyStore
internal import SigningTransactions
internal import StrictJSON

/// The checks that a proof of a device key must pass. Pure: nothing is read or written.
///
/// A proof is a compact JWS (RFC 7515) over the challenge. Binding proves possession of the key that its header brings
/// along; signing proves possession of a key that the server has, and then the header's `jwk` means nothing.
enum DeviceProof {
  static let algorithms: Set<JWSAlgorithm> = [.es256, .rs256, .rs384, .rs512]

  /// Longest accepted `kid` in UTF-8 bytes; it is opaque, because clients choose it.
  static let maximumKeyIDBytes = 256

  /// Longest time from `iat` to `exp`. Seconds.
  static let maximumLifetime: TimeInterval = 3600

  /// What the claims must say.
  struct Expectations: Sendable {
    /// The universal id.
    var subject: String
    var challenge: String

    /// What the proof is for.
    var purpose = Purpose.noTransaction

    /// Allowed issuers: bundle ids and package names.
    var applicationIDs: [String]

    /// Tolerated difference of the clocks of device and server. Seconds.
    var skew: TimeInterval
    var now: Date
  }

  /// What a proof is for, as far as the claim `txn` says it.
  enum Purpose: Sendable, Hashable {
    /// Binding a key, signing in, signing a text: the claim must not be there.
    case noTransaction

    /// The transaction of this id, which the claim must name.
    case transaction(id: String)

    /// The transaction of this id, for an application that takes proofs without the claim. One that is there must name it.
    case plainTransaction(id: String)

    /// - Throws: how the claim does not fit.
    fileprivate func check(_ claim: JSONValue?) throws(ProofFailure) {
      switch (self, claim) {
      case (.noTransaction, nil), (.plainTransaction, nil): break
      case (.noTransaction, _): throw .transactionUnexpected
      case (.transaction, nil): throw .transactionMissing
      case (.transaction(let id), let claim?), (.plainTransaction(let id), let claim?):
        guard claim.stringValue?.hasSameBytes(as: id) == true else { throw .transactionMismatch }
      }
    }
  }

  /// A key whose possession was proven, and with what.
  struct ProvenKey: Sendable {
    /// The proof's `kid`.
    var id: String
    var jwk: JWK
    var algorithm: JWSAlgorithm
  }

  /// What makes an accepted proof count once: its signed content, until no node could accept it any more.
  static func onceKey(of jws: UnverifiedJWS, _ claims: JSONObject) -> OnceKey {
    // Not this node's skew but the largest: another node may accept the proof for longer.
    let end = (claims["exp"]?.doubleValue ?? 0) + DevicePrompt.longestSkew
    return OnceKey(
      key: Array(SHA256.hash(data: jws.signingInput)), expiry: Date(timeIntervalSince1970: end))
  }

  /// Reads a proof and checks what needs neither key nor expectations: form, `alg`, `typ`.
  static func parse(
    _ compact: String, limits: JWSLimits = .standard
  ) throws(ProofFailure) -> UnverifiedJWS {
    let jws: UnverifiedJWS
    do throws(JOSEError) { jws = try UnverifiedJWS(compact: compact, limits: limits) } catch {
      switch error.code {
      case .unsupportedAlgorithm: throw .algorithmNotAllowed
      case .unsupportedExtension: throw .extensionDemanded
      default: throw .malformed
      }
    }
    guard algorithms.contains(jws.header.algorithm) else { throw .algorithmNotAllowed }
    if let type = jws.header.json["typ"] {
      guard let type = type.stringValue?.uppercased(), type == "JWS" || type == "JWT" else {
        throw .typeNotAllowed
      }
    }
    return jws
  }

  /// The proof's `kid`.
  static func keyID(of jws: UnverifiedJWS) throws(ProofFailure) -> String {
    guard let id = jws.header.keyID, !id.isEmpty, id.utf8.count <= maximumKeyIDBytes else {
      throw .keyIDMissing
    }
    return id
  }

  /// The account that an unverified proof claims to be of; only good to look up the key that then verifies it.
  static func claimedSubject(of jws: UnverifiedJWS) throws(ProofFailure) -> String {
    guard let claims = (try? JSONValue(parsing: jws.payload))?.objectValue else { throw .claimsMalformed }
    guard let subject = claims["sub"]?.stringValue else { throw .userUnknown }
    return subject
  }

  /// Verifies the proof with which a device is bound.
  ///
  /// - Returns: the key, the claim `platform`, and what makes the proof count once.
  static func verifyBinding(
    _ jws: UnverifiedJWS, expecting expectations: Expectations
  ) throws(ProofFailure) -> (key: ProvenKey, platform: String?, once: OnceKey) {
    let id = try keyID(of: jws)
    guard let json = jws.header.json["jwk"] else { throw .keyMissing }
    guard let json = json.objectValue, let jwk = try? JWK(json: json) else { throw .keyRefused }
    if let own = jwk.keyID, !own.hasSameBytes(as: id) { throw .keyIDMismatch }
    let algorithm = jws.header.algorithm
    guard jwk.algorithm == nil || jwk.algorithm == algorithm else { throw .algorithmMismatch }
    let claims = try verifiedClaims(of: jws, key: jwk, expecting: expectations)
    return (
      ProvenKey(id: id, jwk: jwk, algorithm: algorithm), claims["platform"]?.stringValue,
      onceKey(of: jws, claims)
    )
  }

  /// Verifies a proof by a bound key.
  ///
  /// - Parameter storedKey: the public JWK as it was stored at binding, with its `alg`.
  /// - Returns: the claims.
  static func verifySigning(
    _ jws: UnverifiedJWS, storedKey: JSONObject, expecting expectations: Expectations
  ) throws(ProofFailure) -> JSONObject {
    guard let jwk = try? JWK(json: storedKey) else { throw .keyRefused }
    guard jwk.algorithm == jws.header.algorithm else { throw .algorithmMismatch }
    return try verifiedClaims(of: jws, key: jwk, expecting: expectations)
  }

  /// Checks claims alone, in the order in which failures are reported.
  static func check(_ claims: JSONObject, against expected: Expectations) throws(ProofFailure) {
    guard let subject = claims["sub"]?.stringValue, subject.hasSameBytes(as: expected.subject) else {
      throw .subjectMismatch
    }
    guard let challenge = claims["challenge"]?.stringValue,
      ConstantTime.areEqual(challenge.utf8, expected.challenge.utf8)
    else { throw .challengeMismatch }
    try expected.purpose.check(claims[OfferedTransaction.claim])
    guard let issuer = claims["iss"] else { throw .issuerMissing }
    guard let issuer = issuer.stringValue, expected.applicationIDs.contains(where: issuer.hasSameBytes(as:))
    else {
      throw .issuerNotAllowed
    }
    let now = expected.now.timeIntervalSince1970
    guard let expiry = try time("exp", in: claims) else { throw .expiryMissing }
    guard expiry > now - expected.skew else { throw .expired }
    // Clients of earlier versions send neither `nbf` nor `iat`.
    if let start = try time("nbf", in: claims), start > now + expected.skew { throw .notYetValid }
    let issued = try time("iat", in: claims)
    if let issued, issued > now + expected.skew { throw .issuedInFuture }
    guard expiry - (issued ?? now) <= maximumLifetime + (issued == nil ? expected.skew : 0) else {
      throw .lifetimeTooLong
    }
  }

  private static func verifiedClaims(
    of jws: UnverifiedJWS, key jwk: JWK, expecting expectations: Expectations
  ) throws(ProofFailure) -> JSONObject {
    guard let key = try? VerificationKey(jwk) else { throw .keyRefused }
    guard let verified = try? jws.verified(with: key, allowing: algorithms) else { throw .signatureInvalid }
    guard let claims = try? verified.claims() else { throw .claimsMalformed }
    try check(claims, against: expectations)
    return claims
  }

  /// A NumericDate (RFC 7519 §2): seconds since 1970.
  private static func time(_ name: String, in claims: JSONObject) throws(ProofFailure) -> TimeInterval? {
    guard let value = claims[name] else { return nil }
    guard let seconds = value.doubleValue, seconds.isFinite else { throw .claimsMalformed }
    return seconds
  }
}
