import Crypto
import Foundation
import SwiftASN1
import WebAuthnFormats
import X509

/// A certificate authority of the tests, and what differs between the leaves that it issues.
struct Authority: Sendable {
  let key = P256.Signing.PrivateKey()
  let certificate: Certificate

  init() throws {
    let subject = try DistinguishedName { CommonName("Test Root") }
    let extensions = try Certificate.Extensions {
      Critical(BasicConstraints.isCertificateAuthority(maxPathLength: nil))
      Critical(KeyUsage(keyCertSign: true))
    }
    certificate = try Certificate(
      version: .v3, serialNumber: Certificate.SerialNumber(1 as UInt64),
      publicKey: Certificate.PublicKey(key.publicKey), notValidBefore: testTime.addingTimeInterval(-3600),
      notValidAfter: testTime.addingTimeInterval(3600), issuer: subject, subject: subject,
      signatureAlgorithm: .ecdsaWithSHA256, extensions: extensions,
      issuerPrivateKey: Certificate.PrivateKey(key))
  }

  var der: [UInt8] { get throws { try certificate.derBytes } }

  struct Leaf: Sendable {
    var country: String? = "AT"
    var organization: String? = "Maker"
    var unit: String? = "Authenticator Attestation"
    var name: String? = "Model"
    var isAuthority: Bool? = false
    var extensions: [Certificate.Extension] = []

    static var withoutSubject: Leaf { Leaf(country: nil, organization: nil, unit: nil, name: nil) }
  }

  func issue(_ key: P256.Signing.PublicKey, _ leaf: Leaf) throws -> [UInt8] {
    try issue(Certificate.PublicKey(key), leaf)
  }

  func issue(_ key: Certificate.PublicKey, _ leaf: Leaf) throws -> [UInt8] {
    let attributes: [(ASN1ObjectIdentifier, String?)] = [
      (.RDNAttributeType.countryName, leaf.country), (.RDNAttributeType.organizationName, leaf.organization),
      (.RDNAttributeType.organizationalUnitName, leaf.unit), (.RDNAttributeType.commonName, leaf.name),
    ]
    let subject = try DistinguishedName(
      attributes.compactMap { type, text in
        try text.map { try RelativeDistinguishedName.Attribute(type: type, printableString: $0) }
      })
    var extensions = leaf.extensions
    if let isAuthority = leaf.isAuthority {
      let constraints: BasicConstraints =
        isAuthority ? .isCertificateAuthority(maxPathLength: nil) : .notCertificateAuthority
      extensions.append(try Certificate.Extension(constraints, critical: true))
    }
    return try Certificate(
      version: .v3, serialNumber: Certificate.SerialNumber(2 as UInt64),
      publicKey: key,
      notValidBefore: testTime.addingTimeInterval(-3600), notValidAfter: testTime.addingTimeInterval(3600),
      issuer: certificate.subject, subject: subject, signatureAlgorithm: .ecdsaWithSHA256,
      extensions: try Certificate.Extensions(extensions), issuerPrivateKey: Certificate.PrivateKey(self.key)
    ).derBytes
  }
}

extension Certificate {
  var derBytes: [UInt8] {
    get throws {
      var serializer = DER.Serializer()
      try serializer.serialize(self)
      return serializer.serializedBytes
    }
  }
}

/// DER by hand, for contents of up to 255 bytes.
func der(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
  [tag] + (content.count < 0x80 ? [] : [0x81]) + [UInt8(content.count)] + content
}
