import Foundation
import KeyAttestation
import WebAuthnFormats
import WebAuthnVerification

extension FuzzTarget {
  /// Registrations, with attestation by a certified authenticator: what is accepted is what one of WebAuthn's vectors certified. The first
  /// byte chooses the vector whose ceremony is answered.
  static let attestation = FuzzTarget(
    seeds: { Vectors.shared.all.enumerated().map { [UInt8($0)] + $1.attestationObject } },
    check: { bytes in
      guard let first = bytes.first, let roots = Vectors.shared.roots else { return }
      let vector = Vectors.shared.all[Int(first) % Vectors.shared.all.count]
      let response = RegistrationResponse(
        clientDataJSON: vector.clientData.create, attestationObject: Array(bytes.dropFirst()),
        credentialID: vector.credentialID)
      for isCertified in [true, false] {
        var policy = RegistrationVerifier.Policy(
          relyingParty: Vectors.shared.relyingParty, algorithms: Set(COSEAlgorithm.allCases))
        policy.attestation.conveyance = .direct
        policy.attestation.requiresZeroU2FAAGUID = false
        policy.attestation.acceptsTPMSHA1 = true
        if isCertified {
          policy.attestation.roots = roots
          policy.attestation.acceptedTypes = [.ca]
        }
        let verifier = RegistrationVerifier(policy) { Date(timeIntervalSince1970: 1_800_000_000) }
        let registration = wait { try? await verifier.verify(response, challenge: vector.challenges.create) }
        guard let registration = registration ?? nil else { continue }
        expect(registration.credentialID == vector.credentialID, "another credential is registered")
        guard isCertified else { continue }
        expect(
          Vectors.shared.all.contains {
            $0.attested?.id == registration.credentialID && $0.attested?.publicKey == registration.publicKey
          }, "a key is attested that no authenticator attested")
      }
    })
}
