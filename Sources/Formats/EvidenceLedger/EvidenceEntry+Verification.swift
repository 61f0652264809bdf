internal import BindingFormats
internal import Crypto
internal import JOSE
public import StrictJSON

extension EvidenceEntry {
  /// The largest difference between the clocks of device and server in any journey, in milliseconds.
  private static let clockTolerance = DeviceProof.longestSkew * 1000

  /// Verifies the device's signature again, with the recorded key, and compares what was signed with the entry: user,
  /// device, times, and the transaction, whose challenge is computed from its fields and nonce.
  ///
  /// - Parameter allowsPlainProofs: Whether signatures over transactions may lack the claim `txn` in all entries, as in ledgers from
  ///   before devices set it; otherwise only where the entry says that the application accepts such proofs.
  /// - Returns: the signed claims.
  /// - Throws: ``EvidenceFault`` of kind ``EvidenceFault/Kind/signature``.
  @discardableResult
  public func verifySignature(allowsPlainProofs: Bool = false) throws(EvidenceFault) -> JSONObject {
    try verifiedSignature(allowsPlainProofs: allowsPlainProofs).claims
  }

  /// Verifies like ``verifySignature(allowsPlainProofs:)``, and also returns the hash of the signed content, which identifies a token.
  /// The signature does not identify it, because ECDSA signatures can be written in more than one way.
  func verifiedSignature(
    allowsPlainProofs: Bool, keys: ImportedKeys = ImportedKeys()
  ) throws(EvidenceFault) -> (claims: JSONObject, token: SHA256Digest) {
    guard let token = try? UnverifiedJWS(compact: record.jws, limits: .withCertificates) else {
      throw fault("its jws is not a compact JWS")
    }
    guard let (jwk, key) = try? keys.key(record.key) else {
      throw fault("its key is not an acceptable public key")
    }
    guard let verified = try? token.verified(with: key, allowing: DeviceProof.algorithms),
      let claims = try? verified.claims()
    else {
      throw fault("the signature does not verify with the recorded key")
    }
    guard let keyID = token.header.keyID, keyID.hasSameBytes(as: record.device),
      jwk.keyID?.hasSameBytes(as: keyID) != false
    else { throw fault("the signed kid is not the device's") }
    if record.kind == .bind {
      guard let own = token.header.jwk, let own = try? JWK(json: own), own.material == jwk.material else {
        throw fault("the bound key is not the one in the proof")
      }
    }
    guard let subject = claims[ProofClaim.subject]?.stringValue, subject.hasSameBytes(as: record.userID),
      subject.hasSameBytes(as: UniversalID(username: record.username, realm: record.realm).text)
    else { throw fault("the signed sub is not the user") }
    try checkTimes(claims)
    _ = try transactionProof(by: claims, allowsPlainProofs: allowsPlainProofs)
    return (claims, verified.signedDigest)
  }

  private func checkTimes(_ claims: JSONObject) throws(EvidenceFault) {
    let time = Double(record.time)
    guard let expiry = claims[ProofClaim.expiry]?.doubleValue, time <= expiry * 1000 + Self.clockTolerance
    else { throw fault("the signature had expired at the time the entry gives for its acceptance") }
    for name in [ProofClaim.issuedAt, ProofClaim.notBefore] {
      guard let claim = claims[name] else { continue }
      guard let start = claim.doubleValue, start * 1000 <= time + Self.clockTolerance else {
        throw fault("the signature is later than the time the entry gives for its acceptance (\(name))")
      }
    }
  }

  func fault(_ reason: String) -> EvidenceFault { EvidenceFault(.signature, entry: number, reason) }
}
