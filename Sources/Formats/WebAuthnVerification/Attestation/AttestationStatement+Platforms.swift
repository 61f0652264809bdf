internal import Crypto
internal import KeyAttestation
internal import SwiftASN1
internal import WebAuthnFormats
internal import X509

extension AttestationStatement {
  /// §8.6: signed over the bytes of U2F by a certified key of the model.
  func verifiedU2F(requiresZeroAAGUID: Bool) throws(WebAuthnFailure) -> AttestationEvidence {
    try requireMembers("sig", "x5c")
    let signature = try bytes("sig")
    let evidence = try certificates()
    guard evidence.der.count == 1 else { throw invalid("x5c has \(evidence.der.count) certificates, not 1") }
    guard case .ec(.p256, let x, let y) = credential.publicKey.material else {
      throw invalid("the credential's key is not on P-256")
    }
    let leaf = AttestationLeaf(evidence, self)
    guard case .p256? = SignatureKey(leaf.certificate.publicKey) else {
      throw invalid("the certificate's key is not on P-256")
    }
    let message = [0x00] + data.relyingPartyIDHash + clientDataHash + credential.id + [0x04] + x + y
    try leaf.requireSignature(signature, over: message, .es256)
    guard credential.aaguid == .zero || !requiresZeroAAGUID else {
      throw invalid("the AAGUID is not zero, as U2F has none; allow it in the policy if you want it")
    }
    return .certified(evidence)
  }

  /// §8.4: the certificate is for the new key, and Android's key store put what it knows of the key into it.
  func verifiedAndroidKey(minimum: AndroidSecurityLevel) throws(WebAuthnFailure) -> AttestationEvidence {
    try requireMembers("alg", "sig", "x5c")
    let evidence = try certificates()
    let leaf = AttestationLeaf(evidence, self)
    try leaf.requireSignature(try bytes("sig"), over: signedBytes, try algorithm())
    try leaf.requireCredentialKey()
    do throws(AttestationFailure) {
      try check(KeyDescription(leaf: leaf.certificate, issuers: evidence.chain.issuers), minimum)
    } catch {
      throw invalid(error.detail)
    }
    return .certified(evidence)
  }

  private func check(_ key: KeyDescription, _ minimum: AndroidSecurityLevel) throws(AttestationFailure) {
    guard key.attestationChallenge == clientDataHash else {
      throw AttestationFailure(.challengeMismatch, "the attested challenge is not the client data's hash")
    }
    guard min(key.attestationSecurityLevel, key.keySecurityLevel) >= minimum else {
      throw AttestationFailure(.securityLevelTooLow, "the key lives below the level \(minimum.name)")
    }
    guard !key.isForAllApplications else {
      throw AttestationFailure(.allApplications, "every app of the device may use the key")
    }
    let lists = minimum == .software ? [key.hardwareEnforced, key.softwareEnforced] : [key.hardwareEnforced]
    let origins = lists.compactMap(\.origin)
    guard !origins.isEmpty, origins.allSatisfy({ $0 == AuthorizationList.Value.generated }) else {
      throw AttestationFailure(.originNotGenerated, "the key was not generated in its key store")
    }
    let purposes = lists.reduce(into: Set<Int>()) { $0.formUnion($1.purposes ?? []) }
    guard purposes.contains(AuthorizationList.Value.sign),
      purposes.isSubset(of: [AuthorizationList.Value.sign, AuthorizationList.Value.verify])
    else { throw AttestationFailure(.purposeRefused, "the key is not for signing alone") }
  }

  /// The extension of §8.8 that holds the nonce.
  private static let appleNonce: ASN1ObjectIdentifier = [1, 2, 840, 113635, 100, 8, 2]

  /// §8.8: Apple's authority certifies the new key for this very registration.
  func verifiedApple() throws(WebAuthnFailure) -> AttestationEvidence {
    // Statements of late 2020 have an algorithm too; nothing here is signed with it.
    try requireMembers("x5c", ignoring: "alg")
    let evidence = try certificates()
    let leaf = AttestationLeaf(evidence, self)
    // SEQUENCE { [1] EXPLICIT OCTET STRING } of 32 bytes has one encoding.
    let nonce = [0x30, 0x24, 0xA1, 0x22, 0x04, 0x20] + Array(SHA256.hash(data: signedBytes))
    guard let value = leaf.certificate.extensions[oid: Self.appleNonce]?.value, Array(value) == nonce else {
      throw invalid("the certificate's nonce is not this registration's")
    }
    try leaf.requireCredentialKey()
    return .certified(evidence)
  }
}
