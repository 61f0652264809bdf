import Crypto
import Foundation
import SwiftASN1
import X509

/// An authority that certifies attestation keys.
struct TestAuthority: Sendable {
  let key = P256.Signing.PrivateKey()
  let certificate: Certificate

  var der: [UInt8] { get throws { try Self.der(certificate) } }

  init() throws {
    let name = try DistinguishedName { CommonName("Attestation Root") }
    certificate = try Self.certify(
      Certificate.PublicKey(key.publicKey), subject: name, issuer: name, by: key,
      [
        Certificate.Extension(BasicConstraints.isCertificateAuthority(maxPathLength: nil), critical: true),
        Certificate.Extension(KeyUsage(keyCertSign: true), critical: true),
      ])
  }

  /// DER of a certificate for the attestation key at the point `x963`.
  func certify(_ x963: [UInt8]) throws -> [UInt8] {
    let key = try P256.Signing.PublicKey(x963Representation: x963)
    return try Self.der(
      Self.certify(
        Certificate.PublicKey(key), subject: DistinguishedName { CommonName("AK") },
        issuer: certificate.subject, by: self.key,
        [
          Certificate.Extension(BasicConstraints.notCertificateAuthority, critical: true),
          Certificate.Extension(KeyUsage(digitalSignature: true), critical: true),
          // SEQUENCE { OID 2.23.133.8.3 }: an attestation key.
          Certificate.Extension(
            oid: [2, 5, 29, 37], critical: true,
            value: [0x30, 0x07, 0x06, 0x05, 0x67, 0x81, 0x05, 0x08, 0x03]),
        ]))
  }

  private static func certify(
    _ key: Certificate.PublicKey, subject: DistinguishedName, issuer: DistinguishedName,
    by signer: P256.Signing.PrivateKey, _ extensions: [Certificate.Extension]
  ) throws -> Certificate {
    try Certificate(
      version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: key,
      notValidBefore: Date(timeIntervalSinceNow: -3600), notValidAfter: Date(timeIntervalSinceNow: 3600),
      issuer: issuer, subject: subject, signatureAlgorithm: .ecdsaWithSHA256,
      extensions: try Certificate.Extensions(extensions), issuerPrivateKey: Certificate.PrivateKey(signer))
  }

  private static func der(_ certificate: Certificate) throws -> [UInt8] {
    var serializer = DER.Serializer()
    try serializer.serialize(certificate)
    return serializer.serializedBytes
  }
}
