package import Foundation
package import X509

/// A TPM maker's certificate for an endorsement key, verified up to one of the maker's roots (TCG EK Credential Profile, §3.2).
package struct EndorsementCertificate: Sendable {
  package let publicKey: Certificate.PublicKey
  package let root: VerifiedAttestation.Root

  /// The maker's description of the TPM.
  package let tpm: TPMDescription

  /// - Parameter chain: DER; the endorsement key's certificate, then those of its issuers.
  /// - Throws: ``AttestationEnrolmentFailure/Check/endorsementCertificateRefused``.
  package init(
    verifying chain: [[UInt8]], against roots: TrustAnchors, revoked: RevokedSerialNumbers, at time: Date
  ) async throws(AttestationEnrolmentFailure) {
    do throws(AttestationFailure) {
      let verified = try await UnverifiedChain(der: chain).verified(
        against: roots, revoked: revoked, at: time, handling: TPMKeyUsage.handledExtensions)
      try verified.leaf.require(TPMKeyUsage.endorsementKey, "endorsement key") {
        $0.keyEncipherment || $0.keyAgreement
      }
      publicKey = verified.leaf.publicKey
      root = verified.root
      tpm = TPMDescription(verified.leaf)
    } catch {
      throw AttestationEnrolmentFailure(.endorsementCertificateRefused, "\(error)")
    }
  }
}
