internal import CTSS2
public import DeviceKeys

extension TPMKeyStore {
  /// The longest nonce that ``certify(tag:unlock:nonce:)`` takes, in bytes. Longer challenges are hashed first.
  public static let maximumNonceBytes = 32

  /// Lets the chip's attestation key state that the key `tag` lives in this chip (TPM2_Certify).
  ///
  /// The attestation key is a primary key of the endorsement hierarchy: the same for all relying parties, until the chip's
  /// endorsement seed changes.
  /// - Parameter nonce: 1 to 32 bytes of the verifier's choice, so that the statement is fresh.
  /// - Throws: What ``openKey(tag:unlock:)`` does; ``DeviceKeyError/unsupported(_:)`` for a nonce of another length, and
  ///   when the endorsement hierarchy has a password.
  public func certify(tag: String, unlock: KeyUnlock, nonce: [UInt8]) async throws -> TPMAttestation {
    guard (1...Self.maximumNonceBytes).contains(nonce.count) else {
      throw DeviceKeyError.unsupported(
        "A nonce has 1 to \(Self.maximumNonceBytes) bytes, this one \(nonce.count). Use its SHA-256 digest.")
    }
    return try await unlockedKey(tag: tag, unlock: unlock).use { connection, key, session in
      let attestationKey = try connection.attestationKey()
      let (attest, signature) = try connection.certify(
        key, session: session, by: attestationKey, nonce: nonce)
      guard let point = attestationKey.publicArea.p256X963 else {
        throw DeviceKeyError.unsupported("The TPM made an attestation key on another curve than P-256.")
      }
      return TPMAttestation(
        attest: attest, signature: signature, attestationKey: attestationKey.publicArea.marshalled,
        attestationKeyX963: point, certifiedKey: key.publicArea.marshalled)
    }
  }

  /// The certificate (X.509, DER) that the chip's maker gave to its ECC endorsement key, from NV index 0x1c00016
  /// (TCG EK Credential Profile §2.2.1.5.1); `nil` when the chip has none.
  public func endorsementCertificate() async throws -> [UInt8]? {
    try await chip.run { connection in
      try connection.readNV(0x01c0_0016, limit: 8 << 10).map(DER.withoutPadding)
    }
  }
}

extension TPMConnection {
  /// The key that speaks for the chip.
  fileprivate func attestationKey() throws -> LoadedKey {
    do {
      return try createPrimary(Template.attestationKey, in: ESYS_TR_RH_ENDORSEMENT)
    } catch let failure as TPMFailure
      where failure.meaning == .uncountedWrongAuthorization || failure.meaning == .wrongAuthorization
    {
      throw DeviceKeyError.unsupported(
        "The endorsement hierarchy of the TPM has a password, and keys cannot be attested without it."
          + " Remove it (tpm2_changeauth -c endorsement).")
    }
  }
}
