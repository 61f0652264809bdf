internal import CTSS2
public import DeviceKeys
internal import Foundation
internal import JOSE

extension TPMKeyStore {
  /// Whether keys can be attested: the chip answers, and its attestation key has a certificate.
  public func attestationAvailability() async -> KeyStoreAvailability {
    do {
      guard let chain = try certificates.chain() else {
        return .unavailable(
          "This device's TPM has no certificate for its attestation key at \(certificates.file.path). Have one issued with"
            + " `sealring attestation request` and put it there with `sealring attestation install`.")
      }
      let point = try await chip.run { connection in
        try connection.attestationKey().publicArea.p256X963
      }
      guard let point, AttestationCertificates.leaf(of: chain, isFor: point) else {
        return .unavailable(
          "The certificate in \(certificates.file.path) is not for this TPM's attestation key: it is another device's, or the"
            + " TPM was cleared since. Have a new one issued with `sealring attestation request`.")
      }
      return .available
    } catch {
      return .unavailable(error.localizedDescription)
    }
  }

  /// What an authority needs to certify this chip's attestation key.
  ///
  /// The attestation key is a primary key of the endorsement hierarchy: the same for all relying parties, until the chip's
  /// endorsement seed changes.
  /// - Throws: ``DeviceKeyError/unsupported(_:)`` without a chip, or when its endorsement hierarchy has a password.
  public func attestationIdentity() async throws -> TPMAttestationIdentity {
    try await chip.run { connection in
      let (endorsementKey, certificate) = try connection.endorsementKey()
      let attestationKey = try connection.attestationKey()
      return TPMAttestationIdentity(
        endorsementCertificate: certificate, endorsementKey: endorsementKey.publicArea.marshalled,
        attestationKey: attestationKey.publicArea.marshalled)
    }
  }

  /// Decrypts what an authority encrypted for this chip's endorsement key and attestation key together
  /// (TPM2_ActivateCredential): whoever knows the result has both in one chip.
  ///
  /// - Parameters:
  ///   - credentialBlob: The content of TPM2B_ID_OBJECT, without its own length.
  ///   - encryptedSecret: The content of TPM2B_ENCRYPTED_SECRET, without its own length.
  /// - Returns: At most 32 bytes.
  /// - Throws: ``DeviceKeyError/unsupported(_:)`` when it was not made for this chip and these keys.
  public func activateCredential(
    credentialBlob: [UInt8], encryptedSecret: [UInt8]
  ) async throws -> [UInt8] {
    guard credentialBlob.count <= TPM2B_ID_OBJECT.maximumBytes,
      encryptedSecret.count <= TPM2B_ENCRYPTED_SECRET.maximumBytes
    else {
      throw DeviceKeyError.unsupported("The credential is longer than a TPM takes. Have it issued again.")
    }
    return try await chip.run { connection in
      let (endorsementKey, _) = try connection.endorsementKey()
      let attestationKey = try connection.attestationKey()
      return try connection.activateCredential(
        credentialBlob, encryptedSecret: encryptedSecret, for: attestationKey, with: endorsementKey)
    }
  }

  /// Keeps the certificate of this chip's attestation key, with the ones above it, to be sent with every attestation.
  ///
  /// - Parameter chain: X.509 certificates in DER, the attestation key's first.
  /// - Throws: ``DeviceKeyError/unsupported(_:)`` when the first one is for another key; what was there stays.
  public func installAttestationCertificates(_ chain: [[UInt8]]) async throws {
    let point = try await chip.run { connection in
      try connection.attestationKey().publicArea.p256X963
    }
    guard let point, AttestationCertificates.leaf(of: chain, isFor: point) else {
      throw DeviceKeyError.unsupported(
        "The certificate is not for this TPM's attestation key, and was not installed. Request one on this device."
      )
    }
    try certificates.install(chain)
  }

  /// The certificate (X.509, DER) that the chip's maker gave to its endorsement key; `nil` when the chip has none.
  public func endorsementCertificate() async throws -> [UInt8]? {
    try await chip.run { connection in try connection.endorsementKey().certificate }
  }
}

extension TPMConnection {
  /// NV indices of the certificates for the default templates (TCG EK Credential Profile §2.2.1.4).
  private static let endorsementCertificates: [(index: TPM2_HANDLE, template: TPM2B_PUBLIC)] = [
    (0x01c0_000a, Template.eccEndorsementKey), (0x01c0_0002, Template.rsaEndorsementKey),
  ]

  /// The chip's endorsement key: the one of the default templates that has a certificate, else the RSA one.
  func endorsementKey() throws -> (key: LoadedKey, certificate: [UInt8]?) {
    try withoutEndorsementPassword {
      for (index, template) in Self.endorsementCertificates {
        if let certificate = try readNV(index, limit: 8 << 10).map(DER.withoutPadding) {
          return (try createPrimary(template, in: ESYS_TR_RH_ENDORSEMENT), certificate)
        }
      }
      return (try createPrimary(Template.rsaEndorsementKey, in: ESYS_TR_RH_ENDORSEMENT), nil)
    }
  }

  /// The key that speaks for the chip.
  func attestationKey() throws -> LoadedKey {
    try withoutEndorsementPassword {
      try createPrimary(Template.attestationKey, in: ESYS_TR_RH_ENDORSEMENT)
    }
  }

  private func withoutEndorsementPassword<Result>(_ body: () throws -> Result) throws -> Result {
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
}
