internal import Bytes
internal import Crypto
internal import Foundation
package import KeyAttestation
package import StrictJSON
internal import SwiftASN1
internal import X509

/// A TPM with a certified attestation key.
package struct Chip {
  private let rootKey: P256.Signing.PrivateKey
  private let attestationKey = P256.Signing.PrivateKey()
  private let attributes: UInt32
  private let root: Certificate

  /// - Parameter attributes: TPMA_OBJECT of the keys that it certifies; by default fixedTPM, fixedParent,
  ///   sensitiveDataOrigin, userWithAuth, sign.
  package init(of maker: Chip? = nil, attributes: UInt32 = 0x0004_0072) throws {
    self.attributes = attributes
    rootKey = maker?.rootKey ?? P256.Signing.PrivateKey()
    root =
      try maker?.root
      ?? Self.certificate(
        of: rootKey.publicKey, subject: DistinguishedName { CommonName("TPM Root") }, by: rootKey,
        [Certificate.Extension(BasicConstraints.isCertificateAuthority(maxPathLength: nil), critical: true)])
  }

  package var roots: TrustAnchors { get throws { try TrustAnchors([Self.der(root)]) } }

  /// `x5c` and `tpm` for a key.
  ///
  /// - Parameter challenge: in Base64.
  package func evidence(of jwk: JSONObject, challenge: String) throws -> JSONObject {
    let leaf = try Self.certificate(
      of: attestationKey.publicKey, subject: DistinguishedName(), by: rootKey,
      [
        Certificate.Extension(
          ExtendedKeyUsage([ExtendedKeyUsage.Usage(oid: [2, 23, 133, 8, 3])]), critical: false)
      ])
    let x = Base64URL.decode(jwk["x"]?.stringValue ?? "") ?? []
    let y = Base64URL.decode(jwk["y"]?.stringValue ?? "") ?? []
    let area: [UInt8] =
      [0, 0x23, 0, 0x0B] + withUnsafeBytes(of: attributes.bigEndian, Array.init)
      + [0, 0, 0, 0x10, 0, 0x10, 0, 3, 0, 0x10, 0, 32] + x + [0, 32] + y
    let name: [UInt8] = [0, 0x0B] + Array(SHA256.hash(data: area))
    let nonce = PaddedBase64.decode(challenge) ?? []
    let info: [UInt8] =
      [0xFF, 0x54, 0x43, 0x47, 0x80, 0x17, 0, 0, 0, UInt8(nonce.count)] + nonce
      + Array(repeating: 0, count: 16 + 1 + 8) + [0, 34] + name + [0, 0]
    let raw = Array(try attestationKey.signature(for: info).rawRepresentation)
    let statement = TPMStatement(
      certifyInfo: info, signature: [0, 0x18, 0, 0x0B, 0, 32] + raw[..<32] + [0, 32] + raw[32...],
      publicArea: area)
    return [
      "x5c": [.string(Data(try Self.der(leaf)).base64EncodedString())], "tpm": .object(statement.json),
    ]
  }

  private static func certificate(
    of key: P256.Signing.PublicKey, subject: DistinguishedName, by issuer: P256.Signing.PrivateKey,
    _ extensions: [Certificate.Extension]
  ) throws -> Certificate {
    try Certificate(
      version: .v3, serialNumber: Certificate.SerialNumber(1), publicKey: Certificate.PublicKey(key),
      notValidBefore: Date(timeIntervalSince1970: 1_700_000_000),
      notValidAfter: Date(timeIntervalSince1970: 2_000_000_000),
      issuer: DistinguishedName { CommonName("TPM Root") }, subject: subject,
      signatureAlgorithm: .ecdsaWithSHA256, extensions: Certificate.Extensions(extensions),
      issuerPrivateKey: Certificate.PrivateKey(issuer))
  }

  private static func der(_ certificate: Certificate) throws -> [UInt8] {
    var serializer = DER.Serializer()
    try serializer.serialize(certificate)
    return serializer.serializedBytes
  }
}
