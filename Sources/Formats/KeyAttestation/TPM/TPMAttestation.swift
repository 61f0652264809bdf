internal import Crypto
internal import JOSE
internal import X509

/// The checks of a TPM's certification of a key, after the chain of the attestation key was verified.
struct TPMAttestation {
  /// Whether wrong authorisation values must count towards the TPM's lockout.
  let requiresLockout: Bool

  func verify(
    _ statement: TPMStatement, _ chain: VerifiedChain, key: JWK, challenge: [UInt8]
  ) throws(AttestationFailure) -> TPMKeyProperties {
    try chain.leaf.require(TPMKeyUsage.attestationKey, "attestation key") { $0.digitalSignature }
    let publicArea = try TPMPublicArea(statement.publicArea)
    let signature = try TPMSignature(statement.signature)
    // The signature is verified before the structure is read, so that only data that a TPM signed reaches the parser.
    guard signature.isValid(over: statement.certifyInfo, by: chain.leaf.publicKey) else {
      throw AttestationFailure(.signatureInvalid, "sig is not the attestation key's over certInfo")
    }
    let info = try TPMCertifyInfo(statement.certifyInfo)
    guard info.extraData == Self.nonce(for: challenge) else {
      throw AttestationFailure(.challengeMismatch, "certInfo's extraData is not the nonce of this challenge")
    }
    guard info.name == publicArea.name else {
      throw AttestationFailure(.nameMismatch, "certInfo certifies another object than pubArea")
    }
    guard publicArea.material == key.material else {
      throw AttestationFailure(.keyMismatch, "pubArea's key is not the one that signed the proof")
    }
    try check(publicArea.attributes)
    return TPMKeyProperties(
      name: info.name, isExemptFromLockout: publicArea.attributes.contains(.noDA),
      firmwareVersion: info.firmwareVersion)
  }

  /// What a client gives TPM2_Certify as qualifying data: the challenge's bytes, or their SHA-256 when there are more than 32.
  static func nonce(for challenge: [UInt8]) -> [UInt8] {
    challenge.count <= 32 ? challenge : Array(SHA256.hash(data: challenge))
  }

  private func check(_ attributes: TPMPublicArea.Attributes) throws(AttestationFailure) {
    if let fault = attributes.signingFault { throw AttestationFailure(.attributesRefused, fault) }
    guard !(requiresLockout && attributes.contains(.noDA)) else {
      throw AttestationFailure(
        .attributesRefused, "the key has the attribute noDA: its PIN can be guessed without lockout")
    }
  }
}
