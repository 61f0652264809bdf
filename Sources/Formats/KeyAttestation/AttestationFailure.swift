/// Why an attestation was not accepted: which check failed, and a sentence for the operator.
///
/// A client learns no more than that the binding failed; this text is for log and audit.
public struct AttestationFailure: Error, Sendable, Hashable, CustomStringConvertible {
  /// The checks, each with its own name. More may be added, so compare with the known ones.
  public struct Check: Sendable, Hashable, CustomStringConvertible {
    public let description: String
    private init(_ name: String) { description = name }

    // What travels in the JWS.
    /// The proof's `jwk` has neither `x5c` nor `tpm`.
    public static let evidenceMissing = Check("evidenceMissing")
    /// The proof's `jwk` is not an acceptable public key, or its `x5c` is not a list of certificates.
    public static let keyRefused = Check("keyRefused")
    /// No roots are configured for this kind of attestation.
    public static let noRootsConfigured = Check("noRootsConfigured")

    // The certificates (RFC 5280).
    /// A certificate is not DER, is too long, or has a key of an unknown type.
    public static let certificateMalformed = Check("certificateMalformed")
    /// The chain is not in order, too short, or has one subject twice.
    public static let chainMalformed = Check("chainMalformed")
    /// No path to a configured root passes signatures, validity and constraints; ``AttestationFailure/chainFault`` says why.
    public static let chainUntrusted = Check("chainUntrusted")
    /// A certificate of the chain is on the revocation list.
    public static let certificateRevoked = Check("certificateRevoked")
    /// The leaf certificate is not for what it was used for.
    public static let leafUnsuitable = Check("leafUnsuitable")
    /// The attested key is not the key that signed the proof.
    public static let keyMismatch = Check("keyMismatch")
    /// The attestation answers another challenge.
    public static let challengeMismatch = Check("challengeMismatch")

    // Android key attestation.
    /// The leaf has no KeyDescription extension.
    public static let keyDescriptionMissing = Check("keyDescriptionMissing")
    /// The KeyDescription cannot be read.
    public static let keyDescriptionMalformed = Check("keyDescriptionMalformed")
    /// A certificate above the leaf has a KeyDescription: an attested key issued certificates itself.
    public static let keyDescriptionMisplaced = Check("keyDescriptionMisplaced")
    /// The key or its attestation lives below the configured security level.
    public static let securityLevelTooLow = Check("securityLevelTooLow")
    /// The key was not generated where it lives: a copy may exist.
    public static let originNotGenerated = Check("originNotGenerated")
    /// Every app of the device may use the key.
    public static let allApplications = Check("allApplications")
    /// The key is for something else than signing, or of another algorithm than the JWK.
    public static let purposeRefused = Check("purposeRefused")
    /// The device did not boot a verified system, or does not say.
    public static let bootNotVerified = Check("bootNotVerified")

    /// The key can be used without recognising anybody, which is not allowed.
    public static let personNotRequired = Check("personNotRequired")
    /// The key is of an app that is not among the accepted ones.
    public static let applicationRefused = Check("applicationRefused")

    // TPM attestation.
    /// The member `tpm` of the `jwk` does not have the documented form.
    public static let statementMalformed = Check("statementMalformed")
    /// `certInfo` is not a TPMS_ATTEST that TPM2_Certify made.
    public static let certifyInfoMalformed = Check("certifyInfoMalformed")
    /// `pubArea` is not a TPMT_PUBLIC of a supported signing key.
    public static let publicAreaMalformed = Check("publicAreaMalformed")
    /// `sig` is not a TPMT_SIGNATURE of a supported scheme.
    public static let signatureMalformed = Check("signatureMalformed")
    /// The attestation key did not sign `certInfo`.
    public static let signatureInvalid = Check("signatureInvalid")
    /// `certInfo` certifies another object than `pubArea`.
    public static let nameMismatch = Check("nameMismatch")
    /// The key's attributes let it leave its TPM, be used for more than signing, or be guessed at freely.
    public static let attributesRefused = Check("attributesRefused")
  }

  public let check: Check

  /// What was found and, where that is open, what to do. Never contains key material.
  public let detail: String

  /// The cause of ``Check/chainUntrusted``; `nil` for other checks.
  public let chainFault: ChainFault?

  public init(_ check: Check, _ detail: String) {
    self.check = check
    self.detail = detail
    chainFault = nil
  }

  init(_ fault: ChainFault) {
    check = .chainUntrusted
    detail = fault.description
    chainFault = fault
  }

  /// The check, in brackets the cause where there is one, and the detail.
  public var description: String { "\(check)\(chainFault.map { " (\($0.cause))" } ?? ""): \(detail)" }
}
