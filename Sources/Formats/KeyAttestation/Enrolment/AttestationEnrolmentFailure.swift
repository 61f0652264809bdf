/// Why an attestation key was not enrolled: which check failed, and a sentence that says with what.
public struct AttestationEnrolmentFailure: Error, Sendable, Hashable, CustomStringConvertible {
  /// The checks, each with its own name. More may come: compare, do not switch over all.
  public enum Check: String, Sendable, Hashable, CaseIterable {
    /// The request does not have the documented form.
    case requestMalformed
    /// The credential does not have the documented form.
    case credentialMalformed
    /// The request has no certificate of its endorsement key, and one is demanded.
    case endorsementCertificateMissing
    /// The endorsement key's certificate leads to none of the makers' roots, or is no such certificate.
    case endorsementCertificateRefused
    /// The certificate is another key's than the request's endorsement key.
    case endorsementKeyMismatch
    /// The endorsement key is not a restricted decryption key, or of an unsupported kind.
    case endorsementKeyRefused
    /// The attestation key is not a restricted signing key that stays in its TPM, or of an unsupported kind.
    case attestationKeyRefused
    /// The activated secret does not open the certificates, or they are another key's.
    case activationFailed
  }

  public let check: Check

  /// What was found. Never contains secrets.
  public let detail: String

  public init(_ check: Check, _ detail: String) {
    self.check = check
    self.detail = detail
  }

  public var description: String { "\(check.rawValue): \(detail)" }
}
