internal import CBOR
internal import SwiftASN1
internal import WebAuthnFormats
internal import X509

extension AttestationStatement {
  /// §8.7: nothing is proven, and nothing may be claimed.
  func verifiedNone() throws(WebAuthnFailure) -> AttestationEvidence {
    guard members.count == 0 else { throw invalid("the statement is not empty") }
    return .none
  }

  /// §8.2: signed by the new key, or by a certified key of the authenticator's model.
  func verifiedPacked() throws(WebAuthnFailure) -> AttestationEvidence {
    let algorithm = try algorithm()
    let signature = try bytes("sig")
    guard members["ecdaaKeyId"] == nil else { throw invalid("ECDAA (ecdaaKeyId) is not supported") }
    guard members["x5c"] != nil else {
      try requireMembers("alg", "sig")
      guard algorithm == credential.publicKey.algorithm else {
        throw invalid("alg is not the algorithm of the credential")
      }
      guard credential.publicKey.isValidSignature(signature, over: signedBytes) else {
        throw invalid("sig is not the credential's own signature")
      }
      return .selfSigned
    }
    try requireMembers("alg", "sig", "x5c")
    let evidence = try certificates()
    let leaf = AttestationLeaf(evidence, self)
    try leaf.requireSignature(signature, over: signedBytes, algorithm)
    try requireSubject(leaf)
    try leaf.requireEndEntity()
    try leaf.requireModel()
    return .certified(evidence)
  }

  /// §8.2.1.
  private func requireSubject(_ leaf: AttestationLeaf) throws(WebAuthnFailure) {
    guard leaf.subject(.RDNAttributeType.organizationalUnitName) == ["Authenticator Attestation"] else {
      throw invalid("the certificate's subject does not have the unit (OU) Authenticator Attestation")
    }
    let country = leaf.subject(.RDNAttributeType.countryName)
    guard country.count == 1, country.allSatisfy({ $0.utf8.count == 2 }) else {
      throw invalid("the certificate's subject has no country (C) of two letters")
    }
    for (type, name) in [
      (ASN1ObjectIdentifier.RDNAttributeType.organizationName, "organisation (O)"),
      (.RDNAttributeType.commonName, "name (CN)"),
    ] {
      guard leaf.subject(type).contains(where: { !$0.isEmpty }) else {
        throw invalid("the certificate's subject has no \(name)")
      }
    }
  }
}
