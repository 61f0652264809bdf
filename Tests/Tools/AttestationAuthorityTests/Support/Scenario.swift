import Bytes
import CommonFixtures
import Crypto
import CryptoExtras
import Foundation
import KeyAttestation
import SwiftASN1
import X509

@testable import AttestationAuthority

/// The time at which tests issue.
let testTime = Date(timeIntervalSince1970: 1_800_000_000)

/// A request, and what the authority trusts. As made, all is well; a test changes one thing.
struct Scenario {
  let maker = P256.Signing.PrivateKey()
  let endorsementKey = P256.KeyAgreement.PrivateKey()
  let attestationKey = P256.Signing.PrivateKey()

  var makerName = "TPM Maker"
  var endorsementUsage: [UInt] = [2, 23, 133, 8, 1]
  var keyUsage = KeyUsage(keyAgreement: true)
  var isAuthority = false
  var notAfter = testTime + 86400
  typealias Attributes = [(type: ASN1ObjectIdentifier, text: String)]

  /// The directory names among the alternative names of the endorsement certificate.
  var description: [Attributes] = [
    [
      ([2, 23, 133, 2, 1], "id:494E5443"), ([2, 23, 133, 2, 2], "Model 1"),
      ([2, 23, 133, 2, 3], "id:00070002"),
    ]
  ]
  /// In place of ``description``.
  var encodedDescription: ArraySlice<UInt8>?
  /// In the certificate, when it is not the endorsement key.
  var certifiedKey: P256.Signing.PublicKey?

  /// fixedTPM, fixedParent, sensitiveDataOrigin, adminWithPolicy, restricted, decrypt.
  var endorsementAttributes: UInt32 = 0x0003_00B2
  /// fixedTPM, fixedParent, sensitiveDataOrigin, userWithAuth, restricted, sign.
  var attestationAttributes: UInt32 = 0x0005_0072
  var changesRequest: (inout AttestationKeyRequest) -> Void = { _ in }
  /// The maker's roots that are trusted, when they are not this maker's.
  var trusted: TrustAnchors?
  var revoked = RevokedSerialNumbers()

  func root() throws -> [UInt8] {
    let name = try DistinguishedName { CommonName(makerName) }
    return try Certificate(
      version: .v3, serialNumber: .init(1), publicKey: .init(maker.publicKey),
      notValidBefore: testTime - 86400, notValidAfter: testTime + 86400 * 365, issuer: name, subject: name,
      signatureAlgorithm: .ecdsaWithSHA256,
      extensions: try Certificate.Extensions {
        Critical(BasicConstraints.isCertificateAuthority(maxPathLength: nil))
        Critical(KeyUsage(keyCertSign: true))
      }, issuerPrivateKey: .init(maker)
    ).der
  }

  func endorsementCertificate() throws -> [UInt8] {
    let key =
      try certifiedKey
      ?? P256.Signing.PublicKey(
        x963Representation: endorsementKey.publicKey.x963Representation)
    return try Certificate(
      version: .v3, serialNumber: .init(0x77), publicKey: .init(key), notValidBefore: testTime - 3600,
      notValidAfter: notAfter, issuer: try DistinguishedName { CommonName(makerName) },
      subject: DistinguishedName(), signatureAlgorithm: .ecdsaWithSHA256,
      extensions: try Certificate.Extensions {
        Critical(
          isAuthority
            ? BasicConstraints.isCertificateAuthority(maxPathLength: nil) : .notCertificateAuthority)
        Critical(keyUsage)
        try ExtendedKeyUsage([.init(oid: ASN1ObjectIdentifier(elements: endorsementUsage))])
        if let encodedDescription {
          Certificate.Extension(
            oid: .X509ExtensionID.subjectAlternativeName, critical: true, value: encodedDescription)
        } else {
          Critical(
            SubjectAlternativeNames(
              try description.map { attributes in
                .directoryName(
                  try DistinguishedName(
                    attributes.map { RelativeDistinguishedName.Attribute(type: $0.type, utf8String: $0.text) }
                  )
                )
              }))
        }
      }, issuerPrivateKey: .init(maker)
    ).der
  }

  func request() throws -> AttestationKeyRequest {
    var request = AttestationKeyRequest(
      endorsementCertificate: try endorsementCertificate(),
      endorsementKey: PublicAreas.storage(endorsementKey.publicKey, attributes: endorsementAttributes),
      attestationKey: PublicAreas.signing(attestationKey.publicKey, attributes: attestationAttributes))
    changesRequest(&request)
    return request
  }

  func issue(_ authority: AttestationAuthority) async throws -> AttestationAuthority.Issued {
    try await authority.issue(
      for: request(), trusting: .certified(roots: trusted ?? TrustAnchors([root()]), revoked: revoked))
  }
}

/// TPMT_PUBLIC of P-256 keys.
enum PublicAreas {
  static func signing(_ key: P256.Signing.PublicKey, attributes: UInt32) -> [UInt8] {
    ecc(attributes, [0, 0x10, 0, 0x18, 0, 0x0B], Array(key.rawRepresentation))
  }

  static func storage(
    _ key: P256.KeyAgreement.PublicKey, attributes: UInt32, cipher: [UInt8] = [0, 6, 0, 128, 0, 0x43],
    hash: [UInt8] = [0, 0x0B]
  ) -> [UInt8] {
    ecc(attributes, cipher + [0, 0x10], Array(key.rawRepresentation), hash: hash)
  }

  static func storage(_ key: _RSA.Encryption.PublicKey) throws -> [UInt8] {
    let modulus = try key.getKeyPrimitives().modulus
    let bits = UInt16(modulus.count * 8)
    return [0, 1, 0, 0x0B] + UInt32(0x0003_00B2).bigEndianBytes + [0, 0] + [0, 6, 0, 128, 0, 0x43, 0, 0x10]
      + bits.bigEndianBytes + [0, 0, 0, 0] + UInt16(modulus.count).bigEndianBytes + modulus
  }

  private static func ecc(
    _ attributes: UInt32, _ schemes: [UInt8], _ point: [UInt8], hash: [UInt8] = [0, 0x0B]
  ) -> [UInt8] {
    [0, 0x23] + hash + attributes.bigEndianBytes + [0, 0] + schemes + [0, 3, 0, 0x10]
      + [0, 32] + point[..<32] + [0, 32] + point[32...]
  }
}

extension TemporaryFolder {
  /// A new authority in the folder.
  func authority(at time: Date = testTime) throws -> AttestationAuthority {
    try AttestationAuthority.create(directory: file("authority"), clock: { time })
  }
}
