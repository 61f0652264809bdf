package import Foundation
package import SwiftASN1
// The fixed time is for tests and for clocks that the application injects, as here.
@_spi(FixedExpiryValidationTime) package import X509

/// Certificates as a client sent them, leaf first. Parsed and in order; nothing in them may be trusted before
/// ``verified(against:revoked:at:handling:)``.
package struct UnverifiedChain: Sendable {
  /// Longest accepted certificate in bytes.
  static let maximumCertificateBytes = 16 << 10

  /// Longest accepted chain, with or without its root.
  static let maximumCount = 10

  private let certificates: [Certificate]

  /// The certificate of the key that signed, and those above it as sent.
  package var leaf: Certificate { certificates[0] }
  package var issuers: some Collection<Certificate> { certificates.dropFirst() }

  /// - Parameter encoded: DER, leaf first, each certified by the next one (RFC 7517 §4.7).
  package init(der encoded: [[UInt8]]) throws(AttestationFailure) {
    guard (1...Self.maximumCount).contains(encoded.count) else {
      throw AttestationFailure(
        .chainMalformed, "the chain has \(encoded.count) certificates, not 1 to \(Self.maximumCount)")
    }
    var certificates: [Certificate] = []
    for (place, bytes) in encoded.enumerated() {
      guard bytes.count <= Self.maximumCertificateBytes else {
        throw AttestationFailure(
          .certificateMalformed,
          "certificate \(place) has \(bytes.count) bytes, more than \(Self.maximumCertificateBytes)")
      }
      do { certificates.append(try Certificate(derEncoded: bytes)) } catch {
        throw AttestationFailure(.certificateMalformed, "certificate \(place) cannot be read: \(error)")
      }
    }
    for (place, (certificate, issuer)) in zip(certificates, certificates.dropFirst()).enumerated() {
      guard certificate.issuer == issuer.subject else {
        throw AttestationFailure(
          .chainMalformed, "certificate \(place) names another issuer than the next certificate's subject")
      }
    }
    // With one certificate per subject there is one path to try. Else a client could have the verifier search all
    // permutations of cross-signed certificates.
    guard Set(certificates.map(\.subject)).count == certificates.count else {
      throw AttestationFailure(.chainMalformed, "two certificates of the chain have the same subject")
    }
    self.certificates = certificates
  }

  /// Checks signatures, validity, constraints and revocation up to one of `roots`.
  ///
  /// Every chain may have the critical extensions of `RFC5280Policy` (basic constraints, name constraints, key usage) and critical
  /// certificate policies (``CertificatePolicies``).
  ///
  /// - Parameter handled: further critical extensions, which the caller handles.
  package func verified(
    against roots: TrustAnchors, revoked: RevokedSerialNumbers, at time: Date,
    handling handled: [ASN1ObjectIdentifier] = []
  ) async throws(AttestationFailure) -> VerifiedChain {
    guard !roots.isEmpty else {
      throw AttestationFailure(
        .noRootsConfigured, "no root certificate is configured for this kind of attestation")
    }
    var verifier = Verifier(rootCertificates: roots.store) {
      RFC5280Policy(fixedExpiryValidationTime: time)
      PathRules(handling: handled)
    }
    let result = await verifier.validate(
      leaf: certificates[0], intermediates: CertificateStore(certificates.dropFirst()))
    switch result {
    case .couldNotValidate(let failures):
      throw AttestationFailure(
        ChainDiagnosis(
          certificates: certificates, roots: roots, time: time,
          handled: verifier.policy.verifyingCriticalExtensions,
          reason: failures.first?.policyFailureReason.description
        ).fault)
    case .validCertificate(let chain):
      guard chain.count > 1 else { throw AttestationFailure(.leafIsRoot) }
      try revoked.check(chain)
      return try VerifiedChain(chain)
    }
  }

  /// The leaf as its own root, when it is itself configured, as in FIDO metadata for single models. There is no path to verify then:
  /// only its validity and its revocation are checked. `nil` when it is not configured.
  package func configuredLeaf(
    among roots: TrustAnchors, revoked: RevokedSerialNumbers, at time: Date
  ) throws(AttestationFailure) -> VerifiedAttestation.Root? {
    guard roots.certificates.contains(leaf) else { return nil }
    guard leaf.notValidBefore <= time, time <= leaf.notValidAfter else {
      let cause = leaf.notValidBefore > time ? ChainFault.Cause.notYetValid : .expired
      throw AttestationFailure(ChainFault(cause, at: 0, "is configured, but not valid at this time"))
    }
    try revoked.check([leaf])
    do { return try VerifiedAttestation.Root(leaf) } catch {
      throw AttestationFailure(.chainUntrusted, "the certificate cannot be written: \(error)")
    }
  }
}
