internal import CTSS2
public import DeviceKeys

/// The keys of a chip that an authority needs to certify its attestation key.
public struct TPMAttestationIdentity: Sendable, Hashable {
  /// The certificate (X.509, DER) that the chip's maker gave to the endorsement key; `nil` when the chip has none that
  /// fits ``endorsementKey``.
  public let endorsementCertificate: [UInt8]?

  /// TPMT_PUBLIC of the endorsement key, to which the authority encrypts its challenge. P-256 by template L-2 of the TCG EK
  /// Credential Profile, or RSA 2048 by template L-1 when the chip has a certificate for that one only.
  public let endorsementKey: [UInt8]

  /// TPMT_PUBLIC of the attestation key: P-256, restricted, signing.
  public let attestationKey: [UInt8]
}

/// The attestation key is a primary key of the endorsement hierarchy: the same for all relying parties, until the chip's endorsement seed
/// changes. An authority certifies it once, after the chip has proved possession of it.
extension TPMKeyStore {
  public func attestationAvailability() async -> KeyStoreAvailability {
    let certificates = attestationCertificates
    do {
      let chain = try certificates.read()
      try await chip.run { connection in
        try certificates.check(chain, belongsTo: try connection.attestationKey().publicArea)
      }
      return .available
    } catch let error as DeviceKeyError {
      return .unavailable(error.errorDescription ?? "\(error)")
    } catch {
      return .unavailable("The TPM could not be asked: \(error).")
    }
  }

  /// What an authority needs to certify the attestation key.
  ///
  /// - Throws: ``DeviceKeyError/unsupported(_:)`` when no chip answers, or its endorsement hierarchy has a password.
  public func attestationIdentity() async throws -> TPMAttestationIdentity {
    try await chip.run { connection in
      let endorsement = try connection.endorsementKey()
      let attestationKey = try connection.attestationKey()
      return TPMAttestationIdentity(
        endorsementCertificate: endorsement.certificate,
        endorsementKey: endorsement.key.publicArea.marshalled,
        attestationKey: attestationKey.publicArea.marshalled)
    }
  }

  /// Has the chip decrypt an authority's challenge, which it does only if it holds both keys of
  /// ``attestationIdentity()`` (TPM2_ActivateCredential, TPM 2.0 Library, Part 3 §12.5).
  ///
  /// - Parameters:
  ///   - credentialBlob: TPM2B_ID_OBJECT, as TPM2_MakeCredential returns it.
  ///   - encryptedSecret: TPM2B_ENCRYPTED_SECRET. Both with the two bytes of their size in front, or both without.
  /// - Returns: What the authority encrypted, at most 32 bytes.
  /// - Throws: ``DeviceKeyError/unsupported(_:)`` when it is not for this chip and its attestation key.
  public func activateCredential(
    credentialBlob: [UInt8], encryptedSecret: [UInt8]
  ) async throws -> [UInt8] {
    let (blob, secret) = try Self.sized(credentialBlob, encryptedSecret)
    return try await chip.run { connection in
      let endorsement = try connection.endorsementKey()
      let attestationKey = try connection.attestationKey()
      do {
        return try connection.activateCredential(
          blob, secret: secret, of: attestationKey, by: endorsement.key)
      } catch let failure as TPMFailure where failure.meaning == .integrity || failure.meaning == .other {
        throw DeviceKeyError.unsupported(
          "The authority's challenge is not for this TPM and its attestation key: \(failure). Make a new request."
        )
      }
    }
  }

  /// Keeps the attestation key's certificates, in place of earlier ones. Keys that are bound from now on can be attested.
  ///
  /// - Parameter chainDER: X.509 certificates, DER: the attestation key's, then each one's issuer's.
  /// - Throws: ``DeviceKeyError/unsupported(_:)`` when they are not a chain, or the first is not of this chip's attestation key;
  ///   ``DeviceKeyError/unwritable(path:reason:)``.
  public func installAttestationCertificates(_ chainDER: [[UInt8]]) async throws {
    let certificates = attestationCertificates
    let chain: AttestationCertificates.Chain
    do throws(AttestationCertificates.Chain.Damage) {
      chain = try AttestationCertificates.Chain(chainDER)
    } catch {
      throw DeviceKeyError.unsupported("These certificates are not an attestation key's: \(error.reason).")
    }
    try await chip.run { connection in
      try certificates.check(chain, belongsTo: try connection.attestationKey().publicArea)
    }
    try certificates.write(chain)
  }

  /// Returns both with their sizes in front. A TPM2B_ID_OBJECT without its size begins with the size of its digest, which is less than the
  /// number of bytes that follow. So the meaning of the first two bytes is certain.
  private static func sized(_ blob: [UInt8], _ secret: [UInt8]) throws -> ([UInt8], [UInt8]) {
    guard (4...1024).contains(blob.count), (2...1024).contains(secret.count) else {
      throw DeviceKeyError.unsupported(
        "The authority's challenge is malformed: its parts have the wrong length.")
    }
    func size(_ bytes: [UInt8]) -> [UInt8] { [UInt8(bytes.count >> 8), UInt8(bytes.count & 0xff)] }
    if Int(blob[0]) << 8 | Int(blob[1]) == blob.count - 2 { return (blob, secret) }
    return (size(blob) + blob, size(secret) + secret)
  }
}
