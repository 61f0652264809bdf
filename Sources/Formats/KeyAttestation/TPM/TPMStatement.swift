internal import Bytes
public import StrictJSON

/// The member `tpm` that stands beside `x5c` in the `jwk` of a proof: the TPM's certification of the key, as sent. `x5c` is then the
/// chain of the attestation key.
///
/// All of the TPM's structures are in its own encoding, without the length in front that TPM2B types have.
public struct TPMStatement: Sendable, Hashable {
  /// The one version of the TPM's structures that is understood.
  public static let version = "2.0"

  /// TPMS_ATTEST: what was signed.
  public var certifyInfo: [UInt8]

  /// TPMT_SIGNATURE of the attestation key over ``certifyInfo``.
  public var signature: [UInt8]

  /// TPMT_PUBLIC of the certified key.
  public var publicArea: [UInt8]

  public init(certifyInfo: [UInt8], signature: [UInt8], publicArea: [UInt8]) {
    self.certifyInfo = certifyInfo
    self.signature = signature
    self.publicArea = publicArea
  }

  /// The value of the member `tpm`: `ver`, and `certInfo`, `sig`, `pubArea` in base64url without padding.
  public var json: JSONObject {
    [
      "ver": .string(Self.version), "certInfo": .string(Base64URL.encode(certifyInfo)),
      "sig": .string(Base64URL.encode(signature)), "pubArea": .string(Base64URL.encode(publicArea)),
    ]
  }

  /// Reads the value of the member `tpm`. The structures are bounded, but not yet parsed.
  ///
  /// - Throws: ``AttestationFailure/Check/statementMalformed``.
  public init(json: JSONValue) throws(AttestationFailure) {
    guard let json = json.objectValue else {
      throw AttestationFailure(.statementMalformed, "the member tpm is not a JSON object")
    }
    guard json["ver"]?.stringValue == Self.version else {
      throw AttestationFailure(
        .statementMalformed, "the version (ver) of the member tpm is not \(Self.version)")
    }
    certifyInfo = try Self.bytes("certInfo", in: json, atMost: TPMCertifyInfo.maximumBytes)
    signature = try Self.bytes("sig", in: json, atMost: TPMSignature.maximumBytes)
    publicArea = try Self.bytes("pubArea", in: json, atMost: TPMPublicArea.maximumBytes)
  }

  private static func bytes(
    _ name: String, in json: JSONObject, atMost maximum: Int
  ) throws(AttestationFailure) -> [UInt8] {
    guard let text = json[name]?.stringValue, text.utf8.count <= (maximum * 4 + 2) / 3,
      let bytes = Base64URL.decode(text), !bytes.isEmpty
    else {
      throw AttestationFailure(
        .statementMalformed, "tpm.\(name) is missing, not base64url, or longer than \(maximum) bytes")
    }
    return bytes
  }
}
