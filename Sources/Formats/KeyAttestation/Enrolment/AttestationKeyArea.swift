package import X509

/// The public area of a key that may be certified as attestation key: it signs only what its TPM says, and never leaves it.
package struct AttestationKeyArea: Sendable {
  /// `nameAlg ‖ H(public area)`.
  package let name: [UInt8]

  package let publicKey: Certificate.PublicKey

  /// - Parameter encoded: TPMT_PUBLIC.
  /// - Throws: ``AttestationEnrolmentFailure/Check/attestationKeyRefused``.
  package init(_ encoded: [UInt8]) throws(AttestationEnrolmentFailure) {
    let area: TPMPublicArea
    do throws(AttestationFailure) { area = try TPMPublicArea(encoded) } catch {
      throw AttestationEnrolmentFailure(.attestationKeyRefused, error.detail)
    }
    let fault =
      area.attributes.contains(.restricted)
      ? area.attributes.signingFault : "the key lacks the attribute restricted"
    if let fault { throw AttestationEnrolmentFailure(.attestationKeyRefused, fault) }
    guard let key = Certificate.PublicKey(area.material) else {
      throw AttestationEnrolmentFailure(
        .attestationKeyRefused, "the key's numbers are neither a point of P-256 nor an RSA key from 2048 bits"
      )
    }
    name = area.name
    publicKey = key
  }
}
