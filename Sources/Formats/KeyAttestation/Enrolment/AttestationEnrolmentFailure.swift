/// Why an attestation key was not enrolled: which check failed, and a sentence that says with what.
public struct AttestationEnrolmentFailure: Error, Sendable, Hashable, CustomStringConvertible {
  /// The checks, each with its own name. More may be added, so compare with the known ones.
  public struct Check: Sendable, Hashable, CustomStringConvertible {
    public let description: String
    private init(_ name: String) { description = name }

    /// The request does not have the documented form.
    public static let requestMalformed = Check("requestMalformed")
    /// The credential does not have the documented form.
    public static let credentialMalformed = Check("credentialMalformed")
    /// The request has no certificate of its endorsement key, and one is demanded.
    public static let endorsementCertificateMissing = Check("endorsementCertificateMissing")
    /// The endorsement key's certificate does not lead to a maker's root, or is not such a certificate.
    public static let endorsementCertificateRefused = Check("endorsementCertificateRefused")
    /// The certificate belongs to another key than the request's endorsement key.
    public static let endorsementKeyMismatch = Check("endorsementKeyMismatch")
    /// The endorsement key is not a restricted decryption key, or of an unsupported kind.
    public static let endorsementKeyRefused = Check("endorsementKeyRefused")
    /// The attestation key is not a restricted signing key that stays in its TPM, or of an unsupported kind.
    public static let attestationKeyRefused = Check("attestationKeyRefused")
    /// The activated secret does not open the certificates, or they belong to another key.
    public static let activationFailed = Check("activationFailed")
  }

  public let check: Check

  /// What was found. Never contains secrets.
  public let detail: String

  public init(_ check: Check, _ detail: String) {
    self.check = check
    self.detail = detail
  }

  public var description: String { "\(check): \(detail)" }
}
