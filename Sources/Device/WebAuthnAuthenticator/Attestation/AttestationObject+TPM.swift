internal import CBOR
internal import DeviceKeys
internal import JOSE
internal import KeyAttestation
internal import StrictJSON
internal import SwiftASN1
internal import WebAuthnFormats
internal import X509

extension AttestationObject {
  /// An attestation object of the format `tpm` (WebAuthn L3 §8.3), from the TPM's certification for SHA-256 of the authenticator data ‖
  /// client data hash.
  ///
  /// - Throws: When the evidence is not that of a TPM with an attestation key on P-256.
  static func tpm(
    _ data: AuthenticatorData, evidence: KeyAttestationEvidence
  ) throws -> AttestationObject {
    let statement = try TPMStatement(json: evidence.members["tpm"] ?? .null)
    return AttestationObject(
      format: "tpm",
      statement: [
        "ver": .text(TPMStatement.version), "alg": CBORValue(COSEAlgorithm.es256.rawValue),
        "x5c": .array(evidence.certificateChain.map { .bytes($0) }),
        "sig": .bytes(try Self.ecdsaDER(fromTPM: statement.signature)),
        "certInfo": .bytes(statement.certifyInfo), "pubArea": .bytes(statement.publicArea),
      ], authenticatorData: data.encoded)
  }

  /// Converts the TPMT_SIGNATURE of a TPM (TPM 2.0 Library, Part 2, §11.3.4: scheme, hash, r and s, the numbers with their lengths) to the
  /// DER that WebAuthn's verifiers expect, as a certificate's key makes it.
  private static func ecdsaDER(fromTPM signature: [UInt8]) throws -> [UInt8] {
    var rest = signature[...]
    func integer() -> Int? {
      guard rest.count >= 2 else { return nil }
      defer { rest = rest.dropFirst(2) }
      return rest.prefix(2).reduce(0) { $0 << 8 | Int($1) }
    }
    func number() -> [UInt8]? {
      guard let count = integer(), (1...32).contains(count), rest.count >= count else { return nil }
      defer { rest = rest.dropFirst(count) }
      return [UInt8](repeating: 0, count: 32 - count) + rest.prefix(count)
    }
    // TPM_ALG_ECDSA, TPM_ALG_SHA256.
    guard integer() == 0x18, integer() == 0x0B, let r = number(), let s = number(), rest.isEmpty else {
      throw DeviceKeyError.unsupported(
        "The TPM's attestation key made no ECDSA signature with SHA-256. Enrol it again with"
          + " 'sealring attestation request'.")
    }
    return try ECDSASignatureFormat.der(fromRaw: r + s, curve: .p256)
  }
}

extension KeyAttestationEvidence {
  /// Whether the first certificate meets WebAuthn's rules for a TPM's attestation key: no subject, and an alternative name, which names the
  /// TPM's maker and model (§8.3.1). Relying parties refuse any other.
  var suitsWebAuthn: Bool {
    guard members["tpm"] != nil, let first = certificateChain.first,
      let certificate = try? Certificate(derEncoded: first), certificate.subject.isEmpty
    else { return false }
    return certificate.extensions.contains { $0.oid == .X509ExtensionID.subjectAlternativeName }
  }
}
