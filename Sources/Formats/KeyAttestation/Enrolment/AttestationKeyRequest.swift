internal import Bytes
public import StrictJSON

/// A device's request to have its TPM's attestation key certified. It contains no secret and may be public: the answer is of use only
/// to the TPM that holds both keys.
///
/// Reading one verifies nothing; the authority checks it.
public struct AttestationKeyRequest: Sendable, Hashable {
  /// Longest accepted document in bytes.
  public static let maximumBytes = 256 << 10

  /// Most certificates between the endorsement key's and a maker's root.
  public static let maximumIntermediates = UnverifiedChain.maximumCount - 1

  /// DER of the certificate that the TPM's maker issued for the endorsement key.
  public var endorsementCertificate: [UInt8]?

  /// DER of the certificates above it, each of the issuer of the one before, without a root.
  public var endorsementIntermediates: [[UInt8]]

  /// TPMT_PUBLIC of the endorsement key (TPM 2.0 Library, Part 2, §12.2.4).
  public var endorsementKey: [UInt8]

  /// TPMT_PUBLIC of the attestation key.
  public var attestationKey: [UInt8]

  public init(
    endorsementCertificate: [UInt8]?, endorsementIntermediates: [[UInt8]] = [], endorsementKey: [UInt8],
    attestationKey: [UInt8]
  ) {
    self.endorsementCertificate = endorsementCertificate
    self.endorsementIntermediates = endorsementIntermediates
    self.endorsementKey = endorsementKey
    self.attestationKey = attestationKey
  }

  /// The document: `version` 1, `ekCertificate` and `ekIntermediates` when there are any, `ekPublic`, `akPublic`; bytes are
  /// in base64url without padding.
  public var json: JSONObject {
    var object: JSONObject = ["version": .integer(EnrolmentFields.version)]
    object["ekCertificate"] = endorsementCertificate.map { .string(Base64URL.encode($0)) }
    if !endorsementIntermediates.isEmpty {
      object["ekIntermediates"] = .array(endorsementIntermediates.map { .string(Base64URL.encode($0)) })
    }
    object["ekPublic"] = .string(Base64URL.encode(endorsementKey))
    object["akPublic"] = .string(Base64URL.encode(attestationKey))
    return object
  }

  /// Reads the document. Its structures are bounded, but not yet parsed.
  ///
  /// - Throws: ``AttestationEnrolmentFailure/Check/requestMalformed``.
  public init(parsing bytes: [UInt8]) throws(AttestationEnrolmentFailure) {
    let fields = try EnrolmentFields(parsing: bytes, atMost: Self.maximumBytes, orFail: .requestMalformed)
    let longestCertificate = UnverifiedChain.maximumCertificateBytes
    endorsementCertificate =
      fields.has("ekCertificate") ? try fields.bytes("ekCertificate", atMost: longestCertificate) : nil
    endorsementIntermediates = try fields.list(
      "ekIntermediates", count: Self.maximumIntermediates, atMost: longestCertificate)
    endorsementKey = try fields.bytes("ekPublic", atMost: TPMPublicArea.maximumBytes)
    attestationKey = try fields.bytes("akPublic", atMost: TPMPublicArea.maximumBytes)
  }
}
