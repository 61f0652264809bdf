/// Who a chip says it is, for an authority that is to certify its attestation key. Not verified yet.
///
/// The public areas are TPMT_PUBLIC (TPM 2.0 Library, Part 2 §12.2.4), big-endian, without a length in front.
public struct TPMAttestationIdentity: Sendable, Hashable {
  /// The certificate (X.509, DER) that the chip's maker gave to ``endorsementKey``; `nil` when the chip has none.
  public let endorsementCertificate: [UInt8]?

  /// The key that only this chip has: RSA 2048 or ECC P-256, by the default templates of the TCG EK Credential Profile.
  public let endorsementKey: [UInt8]

  /// The key that signs the chip's statements.
  public let attestationKey: [UInt8]
}
