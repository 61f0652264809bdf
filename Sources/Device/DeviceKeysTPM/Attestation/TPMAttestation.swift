/// The chip's signed word that a key lives in it: the parts that a verifier needs.
///
/// A verifier checks that ``attestationKey`` belongs to a TPM it trusts, that ``signature`` is that key's over ``attest``,
/// that `extraData` is its nonce, and that the certified Name is the one of ``certifiedKey``; then the attributes in
/// ``certifiedKey`` are true (TPM 2.0 Library, Part 2 §10.12.12, §12.2.4; Part 1 §16).
public struct TPMAttestation: Sendable, Hashable {
  /// TPMS_ATTEST: magic `ff544347`, type `8017` (certify), extraData = the nonce, the certified Name. Big-endian, as marshalled.
  public let attest: [UInt8]
  /// ECDSA with SHA-256 over ``attest``: r ‖ s, 32 bytes each.
  public let signature: [UInt8]
  /// TPMT_PUBLIC of the key that signed: ECC P-256, restricted, signing.
  public let attestationKey: [UInt8]
  /// The same key's point, 04 ‖ x ‖ y (SEC 1 §2.3.3).
  public let attestationKeyX963: [UInt8]
  /// TPMT_PUBLIC of the certified key; `000b` ‖ SHA-256 of it is its Name.
  public let certifiedKey: [UInt8]
}
