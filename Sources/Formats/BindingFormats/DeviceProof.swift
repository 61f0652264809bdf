internal import Bytes
internal import Crypto
package import Foundation
package import JOSE
package import StrictJSON

/// The checks that a proof of a device key must pass. Pure: nothing is read or written.
///
/// A proof is a compact JWS (RFC 7515) over the challenge. Binding proves possession of the key that the header carries. Signing proves
/// possession of a key that the server has stored, and ignores the header's `jwk`.
package enum DeviceProof {
  package static let algorithms: Set<JWSAlgorithm> = [.es256, .rs256, .rs384, .rs512]

  /// Longest accepted `kid` in UTF-8 bytes; it is opaque, because clients choose it.
  package static let maximumKeyIDBytes = 256

  /// Largest ``Expectations/skew`` that a node may be given. Seconds.
  package static let longestSkew: TimeInterval = 3600

  /// Longest time from `iat` to `exp`. Seconds.
  package static let maximumLifetime: TimeInterval = 3600

  /// What the claims must say.
  package struct Expectations: Sendable {
    /// The universal id.
    package var subject: String
    package var challenge: Challenge

    /// Whether a proof over a transaction may lack the claim `txn`, because the application accepts such proofs. A claim that is
    /// present must still name the transaction.
    package var takesPlainProofs: Bool

    /// Allowed issuers: bundle ids and package names.
    package var applicationIDs: [String]

    /// Tolerated difference of the clocks of device and server. Seconds.
    package var skew: TimeInterval
    package var now: Date

    package init(
      subject: String, challenge: Challenge, takesPlainProofs: Bool = false, applicationIDs: [String],
      skew: TimeInterval, now: Date
    ) {
      self.subject = subject
      self.challenge = challenge
      self.takesPlainProofs = takesPlainProofs
      self.applicationIDs = applicationIDs
      self.skew = skew
      self.now = now
    }
  }

  /// A key whose possession was proven, and the algorithm of the proof.
  package struct ProvenKey: Sendable {
    /// The proof's `kid`.
    package var id: String
    package var jwk: JWK
    package var algorithm: JWSAlgorithm

    package init(id: String, jwk: JWK, algorithm: JWSAlgorithm) {
      self.id = id
      self.jwk = jwk
      self.algorithm = algorithm
    }
  }

  /// The facts of a proof that passed every check here. Only the store knows whether it was accepted before.
  package struct Verified: Sendable {
    package let claims: JSONObject

    /// SHA-256 of the signed content: the same for all proofs with the same content, however their signatures are encoded.
    package let contentHash: [UInt8]

    /// The time from which no node accepts the proof, whatever the node's skew.
    package let end: Date

    fileprivate init(_ jws: UnverifiedJWS, _ claims: JSONObject) {
      self.claims = claims
      contentHash = Array(SHA256.hash(data: jws.signingInput))
      end = Date(
        timeIntervalSince1970: (claims[ProofClaim.expiry]?.doubleValue ?? 0) + DeviceProof.longestSkew)
    }
  }

  /// Reads a proof and checks what needs neither key nor expectations: form, `alg`, `typ`.
  package static func parse(
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
  package static func keyID(of jws: UnverifiedJWS) throws(ProofFailure) -> String {
    guard let id = jws.header.keyID, !id.isEmpty, id.utf8.count <= maximumKeyIDBytes else {
      throw .keyIDMissing
    }
    return id
  }

  /// The account that an unverified proof claims to be of. Use it only to look up the key that verifies the proof.
  package static func claimedSubject(of jws: UnverifiedJWS) throws(ProofFailure) -> String {
    guard let claims = try? JSONObject(parsing: jws.payload) else { throw .claimsMalformed }
    guard let subject = claims[ProofClaim.subject]?.stringValue else { throw .userUnknown }
    return subject
  }

  /// Verifies the proof with which a device is bound.
  ///
  /// - Returns: the proven key, and the facts of the proof.
  package static func verifyBinding(
    _ jws: UnverifiedJWS, expecting expectations: Expectations
  ) throws(ProofFailure) -> (key: ProvenKey, proof: Verified) {
    let id = try keyID(of: jws)
    guard let json = jws.header.json["jwk"] else { throw .keyMissing }
    guard let json = json.objectValue, let (jwk, key) = try? VerificationKey.imported(json) else {
      throw .keyRefused
    }
    if let own = jwk.keyID, !own.hasSameBytes(as: id) { throw .keyIDMismatch }
    let algorithm = jws.header.algorithm
    guard jwk.algorithm == nil || jwk.algorithm == algorithm else { throw .algorithmMismatch }
    let proof = try verified(jws, with: key, expecting: expectations)
    return (ProvenKey(id: id, jwk: jwk, algorithm: algorithm), proof)
  }

  /// Verifies a proof by a bound key.
  ///
  /// - Parameter storedKey: the public JWK as it was stored at binding, with its `alg`.
  package static func verifySigning(
    _ jws: UnverifiedJWS, storedKey: JSONObject, expecting expectations: Expectations
  ) throws(ProofFailure) -> Verified {
    guard let (jwk, key) = try? VerificationKey.imported(storedKey) else { throw .keyRefused }
    guard jwk.algorithm == jws.header.algorithm else { throw .algorithmMismatch }
    return try verified(jws, with: key, expecting: expectations)
  }

  /// Checks claims alone, in the order in which failures are reported.
  private static func check(_ claims: JSONObject, against expected: Expectations) throws(ProofFailure) {
    guard let subject = claims[ProofClaim.subject]?.stringValue, subject.hasSameBytes(as: expected.subject)
    else { throw .subjectMismatch }
    guard let challenge = claims[ProofClaim.challenge]?.stringValue,
      ConstantTime.areEqual(challenge.utf8, expected.challenge.wire.utf8)
    else { throw .challengeMismatch }
    switch (expected.challenge.purpose, claims[ProofClaim.transaction]) {
    case (.possession, nil), (.statement, nil): break
    case (.possession, _), (.statement, _): throw .transactionUnexpected
    case (.approval, nil): guard expected.takesPlainProofs else { throw .transactionMissing }
    case (.approval(let id), let claim?):
      guard claim.stringValue?.hasSameBytes(as: id) == true else { throw .transactionMismatch }
    }
    guard let issuer = claims[ProofClaim.issuer] else { throw .issuerMissing }
    guard let issuer = issuer.stringValue, expected.applicationIDs.contains(where: issuer.hasSameBytes(as:))
    else { throw .issuerNotAllowed }
    let now = expected.now.timeIntervalSince1970
    guard let expiry = try time(ProofClaim.expiry, in: claims) else { throw .expiryMissing }
    guard expiry > now - expected.skew else { throw .expired }
    // Clients of earlier versions send neither `nbf` nor `iat`.
    if let start = try time(ProofClaim.notBefore, in: claims), start > now + expected.skew {
      throw .notYetValid
    }
    let issued = try time(ProofClaim.issuedAt, in: claims)
    if let issued, issued > now + expected.skew { throw .issuedInFuture }
    guard expiry - (issued ?? now) <= maximumLifetime + (issued == nil ? expected.skew : 0) else {
      throw .lifetimeTooLong
    }
  }

  private static func verified(
    _ jws: UnverifiedJWS, with key: VerificationKey, expecting expectations: Expectations
  ) throws(ProofFailure) -> Verified {
    guard let token = try? jws.verified(with: key, allowing: algorithms) else { throw .signatureInvalid }
    guard let claims = try? token.claims() else { throw .claimsMalformed }
    try check(claims, against: expectations)
    return Verified(jws, claims)
  }

  /// A NumericDate (RFC 7519 §2): seconds since 1970.
  private static func time(_ name: String, in claims: JSONObject) throws(ProofFailure) -> TimeInterval? {
    guard let value = claims[name] else { return nil }
    guard let seconds = value.doubleValue, seconds.isFinite else { throw .claimsMalformed }
    return seconds
  }
}

extension JWSLimits {
  /// The limits for a proof over `challenge`, which is kept forever once it is accepted: room for the challenge as JSON and Base64 may
  /// lengthen it, and 6 KiB for the largest signature, the other claims and the app's own claims.
  package static func proof(over challenge: Challenge) -> JWSLimits {
    JWSLimits(maximumBytes: min(standard.maximumBytes, (6 << 10) + challenge.wire.utf8.count * 8 / 3))
  }
}
