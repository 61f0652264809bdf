package import Foundation
internal import SwiftASN1
package import X509

/// A TPM maker's certificate for an endorsement key, verified up to one of the maker's roots (TCG EK Credential Profile, §3.2).
package struct EndorsementCertificate: Sendable {
  /// tcg-kp-EKCertificate.
  private static let endorsementKeyUsage: ASN1ObjectIdentifier = [2, 23, 133, 8, 1]

  /// The usage is checked here; the alternative name, which says maker and model, is only passed on, and is critical because
  /// most of these certificates have no subject.
  private static let handledExtensions: [ASN1ObjectIdentifier] = [
    .X509ExtensionID.extendedKeyUsage, .X509ExtensionID.subjectAlternativeName,
  ]

  package let publicKey: Certificate.PublicKey
  package let root: VerifiedAttestation.Root

  /// What the maker says of the TPM.
  package let tpm: TPMDescription

  /// - Parameter chain: DER; the endorsement key's certificate, then those of its issuers.
  /// - Throws: ``AttestationEnrolmentFailure/Check/endorsementCertificateRefused``.
  package init(
    verifying chain: [[UInt8]], against roots: TrustAnchors, revoked: RevokedSerialNumbers, at time: Date
  ) async throws(AttestationEnrolmentFailure) {
    do throws(AttestationFailure) {
      let verified = try await UnverifiedChain(der: chain).verified(
        against: roots, revoked: revoked, at: ValidationTime(date: time), handling: Self.handledExtensions)
      try Self.requireEndorsementKey(verified.leaf)
      publicKey = verified.leaf.publicKey
      root = verified.root
      tpm = TPMDescription(verified.leaf)
    } catch {
      throw AttestationEnrolmentFailure(.endorsementCertificateRefused, "\(error)")
    }
  }

  private static func requireEndorsementKey(_ leaf: Certificate) throws(AttestationFailure) {
    do {
      guard try leaf.extensions.extendedKeyUsage?.contains(.init(oid: endorsementKeyUsage)) == true else {
        throw AttestationFailure(
          .leafUnsuitable,
          "the certificate is not for an endorsement key (extended key usage 2.23.133.8.1)")
      }
      if case .isCertificateAuthority? = try leaf.extensions.basicConstraints {
        throw AttestationFailure(.leafUnsuitable, "the certificate is an authority's")
      }
      if let usage = try leaf.extensions.keyUsage {
        guard usage.keyEncipherment || usage.keyAgreement else {
          throw AttestationFailure(.leafUnsuitable, "the certificate's key usage is not encryption")
        }
      }
    } catch let failure as AttestationFailure {
      throw failure
    } catch {
      throw AttestationFailure(
        .leafUnsuitable, "an extension of the certificate cannot be read: \(error)")
    }
  }
}
