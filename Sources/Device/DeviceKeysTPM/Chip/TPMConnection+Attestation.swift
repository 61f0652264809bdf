internal import CTSS2
internal import DeviceKeys
internal import SwiftASN1
internal import X509

/// The commands of attestation and of its enrolment (TPM 2.0 Library, Part 3).
extension TPMConnection {
  /// The key that speaks for the chip.
  func attestationKey() throws -> LoadedKey {
    try endorsementHierarchy { try createPrimary(Template.attestationKey, in: ESYS_TR_RH_ENDORSEMENT) }
  }

  /// The key that the chip's maker has certified, with the certificate (DER); the P-256 one without certificate when
  /// the maker certified none that our templates fit.
  func endorsementKey() throws -> (key: LoadedKey, certificate: [UInt8]?) {
    try endorsementHierarchy {
      for kind in EndorsementKeyKind.allCases {
        guard let content = try readNV(kind.certificateIndex, limit: 8 << 10) else { continue }
        let certificate = PaddedDER.value(in: content)
        let key = try createPrimary(Template.endorsementKey(kind), in: ESYS_TR_RH_ENDORSEMENT)
        if Self.certifies(certificate, key.publicArea) { return (key, certificate) }
        try flush(key.handle)
      }
      return (try createPrimary(Template.endorsementKey(.ecc), in: ESYS_TR_RH_ENDORSEMENT), nil)
    }
  }

  /// Whether the certificate is one of the key.
  private static func certifies(_ certificate: [UInt8], _ key: PublicArea) -> Bool {
    guard let parsed = try? Certificate(derEncoded: certificate) else { return false }
    // Both forms hold the key itself at their end: the point, or modulus and exponent.
    let value = key.value.publicArea
    let number = value.type == TPM2_ALG_RSA ? value.unique.rsa.bytes : key.p256X963 ?? []
    let info = Array(parsed.publicKey.subjectPublicKeyInfoBytes)
    return !number.isEmpty && info.indices.contains { info[$0...].starts(with: number) }
  }

  private func endorsementHierarchy<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let failure as TPMFailure
      where failure.meaning == .uncountedWrongAuthorization || failure.meaning == .wrongAuthorization
    {
      throw DeviceKeyError.unsupported(
        "The endorsement hierarchy of the TPM has a password, and keys cannot be attested without it."
          + " Remove it (tpm2_changeauth -c endorsement).")
    }
  }

  /// TPM2_Certify: `attestationKey` states that `key` is in this chip, and what its Name is.
  ///
  /// - Parameter nonce: At most 64 bytes; comes back as extraData.
  /// - Returns: TPMS_ATTEST, and TPMT_SIGNATURE over it.
  func certify(
    _ key: LoadedKey, session: ESYS_TR, by attestationKey: LoadedKey, nonce: [UInt8]
  ) throws -> (attest: [UInt8], signature: [UInt8]) {
    var qualifyingData = TPM2B_DATA(nonce)
    var scheme = Self.ecdsaWithSHA256
    var attest: UnsafeMutablePointer<TPM2B_ATTEST>?
    var signature: UnsafeMutablePointer<TPMT_SIGNATURE>?
    try encrypt(session, response: true)
    try TPMFailure.check(
      "TPM2_Certify",
      Esys_Certify(
        esys, key.handle, attestationKey.handle, session, ESYS_TR_PASSWORD, ESYS_TR_NONE, &qualifyingData,
        &scheme, &attest, &signature))
    defer { Esys_Free(signature) }
    let statement = try take(attest).bytes
    guard let signature else { throw TPMFailure(command: "TPM2_Certify", code: TPMFailure.noContext) }
    var bytes = [UInt8](repeating: 0, count: MemoryLayout<TPMT_SIGNATURE>.size)
    var offset = 0
    try TPMFailure.check(
      "Marshalling TPMT_SIGNATURE", Tss2_MU_TPMT_SIGNATURE_Marshal(signature, &bytes, bytes.count, &offset))
    return (statement, Array(bytes[..<offset]))
  }

  /// TPM2_ActivateCredential: what an authority encrypted for `endorsementKey`, if it meant `attestationKey`, and both
  /// are in this chip (Part 1 §24).
  ///
  /// - Parameters:
  ///   - credential: TPM2B_ID_OBJECT.
  ///   - secret: TPM2B_ENCRYPTED_SECRET.
  func activateCredential(
    _ credential: [UInt8], secret: [UInt8], of attestationKey: LoadedKey, by endorsementKey: LoadedKey
  ) throws -> [UInt8] {
    var (blob, seed) = (TPM2B_ID_OBJECT(), TPM2B_ENCRYPTED_SECRET())
    var (blobEnd, seedEnd) = (0, 0)
    try TPMFailure.check(
      "Reading TPM2B_ID_OBJECT",
      Tss2_MU_TPM2B_ID_OBJECT_Unmarshal(credential, credential.count, &blobEnd, &blob))
    try TPMFailure.check(
      "Reading TPM2B_ENCRYPTED_SECRET",
      Tss2_MU_TPM2B_ENCRYPTED_SECRET_Unmarshal(secret, secret.count, &seedEnd, &seed))
    guard blobEnd == credential.count, seedEnd == secret.count else {
      throw TPMFailure(command: "Reading a credential", code: TPMFailure.trailingBytes)
    }
    let policy = try endorsementPolicySession()
    var result: UnsafeMutablePointer<TPM2B_DIGEST>?
    try TPMFailure.check(
      "TPM2_ActivateCredential",
      Esys_ActivateCredential(
        esys, attestationKey.handle, endorsementKey.handle, ESYS_TR_PASSWORD, policy, ESYS_TR_NONE, &blob,
        &seed, &result))
    return try take(result).bytes
  }

  /// A session that satisfies the policy of endorsement keys.
  private func endorsementPolicySession() throws -> ESYS_TR {
    var symmetric = TPMT_SYM_DEF()
    symmetric.algorithm = TPM2_ALG_NULL
    let policy = try startSession(TPM2_SE_POLICY, salt: ESYS_TR_NONE, symmetric: symmetric)
    var nonce = TPM2B_NONCE()
    var parameters = TPM2B_DIGEST()
    var reference = TPM2B_NONCE()
    try endorsementHierarchy {
      try TPMFailure.check(
        "TPM2_PolicySecret",
        Esys_PolicySecret(
          esys, ESYS_TR_RH_ENDORSEMENT, policy, ESYS_TR_PASSWORD, ESYS_TR_NONE, ESYS_TR_NONE, &nonce,
          &parameters, &reference, 0, nil, nil))
    }
    return policy
  }
}
