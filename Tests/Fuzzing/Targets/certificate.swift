import Foundation
@testable import KeyAttestation
import SwiftASN1
import X509

extension FuzzTarget {
  /// Chains of certificates, configured roots in DER and PEM, and what Android says of a key in them. Only what the root of WebAuthn's vectors
  /// certified is trusted.
  static let certificate = FuzzTarget(
    seeds: { Vectors.shared.chains.map(joined) + Vectors.shared.chains.compactMap(\.first) },
    check: { bytes in
      _ = try? TrustAnchors([bytes])
      if let description = try? KeyDescription(der: bytes) {
        expect(
          description.attestationChallenge.count <= KeyDescription.maximumChallengeBytes,
          "a challenge is too long")
      }
      if let policies = try? CertificatePolicies(derEncoded: bytes) {
        expect((1...32).contains(policies.identifiers.count), "certificate policies are none or too many")
      }
      guard let chain = try? UnverifiedChain(der: parts(of: bytes)) else { return }
      let tpm = TPMDescription(chain.leaf)
      expect(
        [tpm.manufacturer, tpm.model, tpm.version].allSatisfy { (1...256).contains($0.utf8.count) },
        "a text is too long")
      _ = try? KeyDescription(leaf: chain.leaf, issuers: chain.issuers)
      guard let roots = Vectors.shared.roots else { return }
      let time = Date(timeIntervalSince1970: 1_800_000_000)
      let verified = wait {
        try? await chain.verified(against: roots, revoked: RevokedSerialNumbers(), at: time)
      }
      guard let verified = verified ?? nil else { return }
      expect(Vectors.shared.leafKeys.contains(verified.leaf.publicKey), "a key is certified that is not")
    })
}
