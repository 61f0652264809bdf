internal import CTSS2
internal import DeviceKeys
internal import SwiftASN1
internal import X509

/// The commands of attestation and of its enrolment (TPM 2.0 Library, Part 3).
extension TPMConnection {
  /// The attestation key.
  func attestationKey() throws -> LoadedKey {
    try endorsementHierarchy { try createPrimary(Template.attestationKey, in: ESYS_TR_RH_ENDORSEMENT) }
  }

  /// The endorsement key that the chip's maker has certified, with its certificate (DER). When the maker certified none that fits our
  /// templates, the P-256 key without a certificate.
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

  /// Whether the certificate certifies the key.
  private static func certifies(_ certificate: [UInt8], _ key: PublicArea) -> Bool {
    guard let parsed = try? Certificate(derEncoded: certificate) else { return false }
    // Both forms hold the key itself at their end: the point, or modulus and exponent.
    let value = key.value.publicArea
    let number = value.type == TPM2_ALG_RSA ? value.unique.rsa.bytes : key.p256X963 ?? []
    let info = Array(parsed.publicKey.subjectPublicKeyInfoBytes)
    return !number.isEmpty && info.indices.contains { info[$0...].starts(with: number) }
  }

  private func endorsementHierarchy<Result>(_ body: () throws -> Result) throws -> Result {
    try withoutPassword(
      "The endorsement hierarchy of the TPM has a password, and keys cannot be attested without it."
        + " Remove it (tpm2_changeauth -c endorsement).", body)
  }

  /// Runs `body`, which uses a hierarchy with the empty password; throws the text `problem` when the hierarchy has a password.
  func withoutPassword<Result>(_ problem: String, _ body: () throws -> Result) throws -> Result {
    do { return try body() } catch let failure as TPMFailure
      where failure.meaning == .uncountedWrongAuthorization || failure.meaning == .wrongAuthorization
    {
      throw DeviceKeyError.unsupported(problem)
    }
  }

  /// TPM2_Certify: `attestationKey` states that `key` is in this chip, and what its Name is.
  ///
  /// - Parameter nonce: At most 64 bytes; returned as extraData.
  /// - Returns: TPMS_ATTEST, and TPMT_SIGNATURE over it.
  func certify(
    _ key: LoadedKey, session: ESYS_TR, by attestationKey: LoadedKey, nonce: [UInt8]
  ) throws -> (attest: [UInt8], signature: [UInt8]) {
    var qualifyingData = TPM2B_DATA(nonce)
    var scheme = Self.ecdsaWithSHA256
    var attest: UnsafeMutablePointer<TPM2B_ATTEST>?
    try encrypt(session, response: true)
    var signature = try take("TPM2_Certify") {
      Esys_Certify(
        esys, key.handle, attestationKey.handle, session, ESYS_TR_PASSWORD, ESYS_TR_NONE, &qualifyingData,
        &scheme, &attest, &$0)
    }
    return (
      try take(attest).bytes, try Marshalling.bytes(of: &signature, Tss2_MU_TPMT_SIGNATURE_Marshal)
    )
  }

  /// TPM2_ActivateCredential: decrypts what an authority encrypted for `endorsementKey`, if it was meant for `attestationKey` and both keys
  /// are in this chip (Part 1 §24).
  ///
  /// - Parameters:
  ///   - credential: TPM2B_ID_OBJECT.
  ///   - secret: TPM2B_ENCRYPTED_SECRET.
  func activateCredential(
    _ credential: [UInt8], secret: [UInt8], of attestationKey: LoadedKey, by endorsementKey: LoadedKey
  ) throws -> [UInt8] {
    var blob = try Marshalling.read(credential, into: TPM2B_ID_OBJECT(), Tss2_MU_TPM2B_ID_OBJECT_Unmarshal)
    var seed = try Marshalling.read(
      secret, into: TPM2B_ENCRYPTED_SECRET(), Tss2_MU_TPM2B_ENCRYPTED_SECRET_Unmarshal)
    let policy = try endorsementPolicySession()
    return try take("TPM2_ActivateCredential") {
      Esys_ActivateCredential(
        esys, attestationKey.handle, endorsementKey.handle, ESYS_TR_PASSWORD, policy, ESYS_TR_NONE, &blob,
        &seed, &$0)
    }.bytes
  }

  /// A session that satisfies the policy of endorsement keys.
  private func endorsementPolicySession() throws -> ESYS_TR {
    let policy = try startPolicySession(TPM2_SE_POLICY)
    try endorsementHierarchy {
      try policySecret(of: ESYS_TR_RH_ENDORSEMENT, in: policy, authorizedBy: ESYS_TR_PASSWORD)
    }
    return policy
  }
}

/// A DER value that is followed by padding.
enum PaddedDER {
  /// `bytes` without the padding after the first value (X.690 §8.1.3), with which makers fill an NV index. Unchanged when the value is not
  /// a sequence of 256 bytes or more.
  static func value(in bytes: [UInt8]) -> [UInt8] {
    guard bytes.count >= 4, bytes[0] == 0x30, bytes[1] == 0x82 else { return bytes }
    let end = 4 + (Int(bytes[2]) << 8 | Int(bytes[3]))
    return end <= bytes.count ? Array(bytes[..<end]) : bytes
  }
}
