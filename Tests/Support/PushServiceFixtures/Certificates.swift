internal import Crypto
internal import Foundation
package import NIOSSL
internal import SwiftASN1
internal import X509

/// An authority made for one test, and the certificate that it issued, of `localhost` if nothing else is said.
package struct TestCertificates {
  private let authority: NIOSSLCertificate
  let chain: [NIOSSLCertificateSource]
  let key: NIOSSLPrivateKeySource

  /// The certificate and its authority's, and the key, as files hold them.
  package let chainPEM: String
  package let keyPEM: String

  /// The authority's own certificate, as clients are given it.
  package let authorityPEM: String

  package var trust: NIOSSLTrustRoots { .certificates([authority]) }

  package init(of names: [String] = ["localhost", "push.example.com"]) throws {
    let rootKey = P256.Signing.PrivateKey()
    let rootName = try DistinguishedName { CommonName("Test authority") }
    let root = try Self.certificate(
      subject: rootName, key: rootKey.publicKey, issuer: rootName, issuerKey: rootKey,
      extensions: Certificate.Extensions {
        Critical(BasicConstraints.isCertificateAuthority(maxPathLength: 0))
        Critical(KeyUsage(keyCertSign: true))
      })
    let leafKey = P256.Signing.PrivateKey()
    let leaf = try Self.certificate(
      subject: try DistinguishedName { CommonName("localhost") }, key: leafKey.publicKey, issuer: rootName,
      issuerKey: rootKey,
      extensions: Certificate.Extensions {
        Critical(BasicConstraints.notCertificateAuthority)
        SubjectAlternativeNames(names.map { .dnsName($0) })
      })
    chainPEM = try [leaf, root].map { try $0.serializeAsPEM().pemString + "\n" }.joined()
    authorityPEM = try root.serializeAsPEM().pemString + "\n"
    keyPEM = leafKey.pemRepresentation
    authority = try NIOSSLCertificate(bytes: Self.der(root), format: .der)
    chain = [.certificate(try NIOSSLCertificate(bytes: Self.der(leaf), format: .der))]
    key = .privateKey(try NIOSSLPrivateKey(bytes: Array(leafKey.derRepresentation), format: .der))
  }

  private static func certificate(
    subject: DistinguishedName, key: P256.Signing.PublicKey, issuer: DistinguishedName,
    issuerKey: P256.Signing.PrivateKey, extensions: Certificate.Extensions
  ) throws -> Certificate {
    try Certificate(
      version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: .init(key),
      notValidBefore: Date(timeIntervalSinceNow: -3600), notValidAfter: Date(timeIntervalSinceNow: 86_400),
      issuer: issuer, subject: subject, signatureAlgorithm: .ecdsaWithSHA256, extensions: extensions,
      issuerPrivateKey: .init(issuerKey))
  }

  private static func der(_ certificate: Certificate) throws -> [UInt8] {
    var serializer = DER.Serializer()
    try certificate.serialize(into: &serializer)
    return serializer.serializedBytes
  }
}
