/// Why an attestation was not accepted: which check failed, and a sentence for the operator.
///
/// A client learns no more than that the binding failed; this text is for log and audit.
public struct AttestationFailure: Error, Sendable, Hashable, CustomStringConvertible {
  /// The checks, each with its own name. More may come: compare, do not switch over all.
  public enum Check: String, Sendable, Hashable, CaseIterable {
    // What travels in the JWS.
    /// The proof's `jwk` has neither `x5c` nor `tpm`.
    case evidenceMissing
    /// The proof's `jwk` is not an acceptable public key, or its `x5c` no list of certificates.
    case keyRefused
    /// No roots are configured for this kind of attestation.
    case noRootsConfigured

    // The certificates (RFC 5280).
    /// A certificate is not a DER, too long, or has a key of an unknown type.
    case certificateMalformed
    /// The chain is not in order, too short, or has one subject twice.
    case chainMalformed
    /// No path to a configured root passes signatures, validity and constraints.
    case chainUntrusted
    /// A certificate of the chain is on the revocation list.
    case certificateRevoked
    /// The leaf certificate is not for what it was used for.
    case leafUnsuitable
    /// The attested key is not the key that signed the proof.
    case keyMismatch
    /// The attestation answers another challenge.
    case challengeMismatch

    // Android key attestation.
    /// The leaf has no KeyDescription extension.
    case keyDescriptionMissing
    /// The KeyDescription is no such structure.
    case keyDescriptionMalformed
    /// A certificate above the leaf has a KeyDescription: an attested key issued certificates itself.
    case keyDescriptionMisplaced
    /// The key or its attestation lives below the configured security level.
    case securityLevelTooLow
    /// The key was not generated where it lives: a copy may exist.
    case originNotGenerated
    /// Every app of the device may use the key.
    case allApplications
    /// The key is for something else than signing, or of another algorithm than the JWK.
    case purposeRefused
    /// The device did not boot a verified system, or does not say.
    case bootNotVerified

    // TPM attestation.
    /// The member `tpm` of the `jwk` does not have the documented form.
    case statementMalformed
    /// `certInfo` is not a TPMS_ATTEST that TPM2_Certify made.
    case certifyInfoMalformed
    /// `pubArea` is not a TPMT_PUBLIC of a supported signing key.
    case publicAreaMalformed
    /// `sig` is not a TPMT_SIGNATURE of a supported scheme.
    case signatureMalformed
    /// The attestation key did not sign `certInfo`.
    case signatureInvalid
    /// `certInfo` certifies another object than `pubArea`.
    case nameMismatch
    /// The key's attributes let it leave its TPM, be used for more than signing, or be guessed at freely.
    case attributesRefused
  }

  public let check: Check

  /// What was found and, where that is open, what to do. Never contains key material.
  public let detail: String

  public init(_ check: Check, _ detail: String) {
    self.check = check
    self.detail = detail
  }

  public var description: String { "\(check.rawValue): \(detail)" }
}
