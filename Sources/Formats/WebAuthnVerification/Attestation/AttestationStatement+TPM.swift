internal import CBOR
internal import Crypto
internal import JOSE
internal import KeyAttestation
internal import WebAuthnFormats
internal import X509

extension AttestationStatement {
  /// §8.3: a TPM certified the new key. Keys are RSA or on P-256, digests SHA-256 or longer. Only the digests of the signature and of
  /// the registration that it covers may be SHA-1, where that is accepted. The specification lets the key be one that was made elsewhere
  /// and loaded; such a key is not trusted as the TPM's (``AttestationEvidence/Certified/fault``).
  func verifiedTPM(acceptsSHA1: Bool) throws(WebAuthnFailure) -> AttestationEvidence {
    try requireMembers("ver", "alg", "x5c", "sig", "certInfo", "pubArea")
    guard members["ver"]?.textValue == "2.0" else { throw invalid("ver is not 2.0") }
    let isSHA1 = try algorithmNumber() == Self.rs1
    guard !isSHA1 || acceptsSHA1 else {
      throw invalid(
        "it is signed with SHA-1 (RS1), as Windows Hello does it; accept that in tpm statements (serve --webauthn-tpm-sha1), or "
          + "ask for no attestation"
      )
    }
    let algorithm = isSHA1 ? nil : try algorithm()
    var evidence = try certificates()
    let leaf = AttestationLeaf(evidence, self)
    let encodedInfo = try bytes("certInfo")
    // The signature is verified before the structures are read, so that only data that a certified key signed reaches the parser.
    let signature = try bytes("sig")
    if let algorithm {
      try leaf.requireSignature(signature, over: encodedInfo, algorithm)
    } else {
      try leaf.requireSHA1Signature(signature, over: encodedInfo)
    }
    do throws(AttestationFailure) {
      let area = try TPMPublicArea(try memberBytes("pubArea"))
      guard area.material == credential.publicKey.material.tpm else {
        throw AttestationFailure(.keyMismatch, "pubArea's key is not the credential's")
      }
      let info = try TPMCertifyInfo(encodedInfo, checksClockFlag: false)
      guard info.extraData == digest(signedBytes, algorithm) else {
        throw AttestationFailure(
          .challengeMismatch, "certInfo's extraData is not the digest of this registration")
      }
      guard info.name == area.name else {
        throw AttestationFailure(.nameMismatch, "certInfo certifies another object than pubArea")
      }
      evidence.fault = area.residenceFault
    } catch {
      throw invalid(error.detail)
    }
    try requireAttestationKey(leaf)
    evidence.handledExtensions = TPMKeyUsage.handledExtensions
    return .certified(evidence)
  }

  private func memberBytes(_ name: String) throws(AttestationFailure) -> [UInt8] {
    guard let bytes = members[.text(name)]?.bytesValue else {
      throw AttestationFailure(.statementMalformed, "the member \(name) is not a byte string")
    }
    return bytes
  }

  /// - Parameter algorithm: `nil` for RS1.
  private func digest(_ bytes: [UInt8], _ algorithm: COSEAlgorithm?) -> [UInt8]? {
    switch algorithm {
    case nil: Array(Insecure.SHA1.hash(data: bytes))
    case .es256, .rs256, .ps256: Array(SHA256.hash(data: bytes))
    case .es384, .rs384, .ps384: Array(SHA384.hash(data: bytes))
    case .es512, .rs512, .ps512: Array(SHA512.hash(data: bytes))
    case .edDSA, .ed448, .mlDSA65: nil
    }
  }

  /// §8.3.1.
  private func requireAttestationKey(_ leaf: AttestationLeaf) throws(WebAuthnFailure) {
    try leaf.requireEndEntity()
    guard leaf.certificate.subject.isEmpty else { throw invalid("the certificate has a subject") }
    let usage = try leaf.read { try leaf.certificate.extensions.extendedKeyUsage }
    guard usage?.contains(.init(oid: TPMKeyUsage.attestationKey)) == true else {
      throw invalid("the certificate is not for an attestation key (extended key usage 2.23.133.8.3)")
    }
    let names = try leaf.read { try leaf.certificate.extensions.subjectAlternativeNames }
    let describesTPM =
      names?.contains { name in
        guard case .directoryName(let name) = name else { return false }
        return TPMDescription.attributeTypes.allSatisfy { name.texts(of: $0).contains { !$0.isEmpty } }
      } ?? false
    guard describesTPM else {
      throw invalid("the certificate's alternative name does not tell maker, model and version of a TPM")
    }
    try leaf.requireModel()
  }
}

extension COSEKey.Material {
  /// The key in the form of the reader of the TPM's structures; `nil` for keys that it does not read.
  fileprivate var tpm: JWK.Material? {
    switch self {
    case .ec(.p256, let x, let y): .p256(x: x, y: y)
    case .rsa(let modulus, let exponent): .rsa(modulus: modulus, exponent: exponent)
    default: nil
    }
  }
}
