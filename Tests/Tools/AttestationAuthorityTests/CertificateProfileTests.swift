import CommonFixtures
import Crypto
import Foundation
import KeyAttestation
import SwiftASN1
import Testing
import X509

@testable import AttestationAuthority

/// WebAuthn L3 §8.3.1: what relying parties demand of the certificate of a TPM's attestation key.
@Suite("The certificate of an attestation key") struct CertificateProfileTests {
  private static let attributeTypes: [ASN1ObjectIdentifier] = [
    [2, 23, 133, 2, 1], [2, 23, 133, 2, 2], [2, 23, 133, 2, 3],
  ]

  /// The certificate that `scenario`'s device would get, and the authority's root, both in PEM.
  private func certify(
    _ scenario: Scenario, trusting trust: AttestationAuthority.EndorsementTrust? = nil
  ) async throws -> (leaf: Certificate, root: Certificate) {
    let folder = try TemporaryFolder.make()
    // What hides the certificates is known here: the secret is made of these bytes.
    let authority = try AttestationAuthority.create(
      directory: folder.url.appending(path: "authority"), clock: { testTime },
      randomBytes: { Array(repeating: 7, count: $0) })
    let request = try scenario.request()
    let issued = try await authority.issue(
      for: request, trusting: trust ?? .certified(roots: TrustAnchors([scenario.root()])))
    let chain = try issued.credential.certificates(
      secret: SymmetricKey(data: Array(repeating: UInt8(7), count: AttestationKeyCredential.secretBytes)),
      attestationKey: request.attestationKey)
    #expect(chain.count == 2)
    return (try Certificate(derEncoded: chain[0]), try Certificate(derEncoded: chain[1]))
  }

  /// Maker, model and version in the one directory name that is the one alternative name.
  private func description(in certificate: Certificate) throws -> [String] {
    let names = Array(try #require(try certificate.extensions.subjectAlternativeNames))
    guard names.count == 1, case .directoryName(let name) = names[0] else {
      Issue.record("not one directory name: \(names)")
      return []
    }
    let attributes = name.flatMap { Array($0) }
    #expect(attributes.map(\.type) == Self.attributeTypes)
    return attributes.compactMap { String($0.value) }
  }

  @Test
  func `has version 3, no subject, a critical description of the TPM, the usage, and is not an authority's`()
    async throws
  {
    let (leaf, root) = try await certify(Scenario())
    #expect(leaf.version == .v3)
    #expect(leaf.subject.isEmpty && leaf.issuer == root.subject)
    #expect(leaf.extensions[oid: .X509ExtensionID.subjectAlternativeName]?.critical == true)
    #expect(try description(in: leaf) == ["id:494E5443", "Model 1", "id:00070002"])
    let usage = try #require(try leaf.extensions.extendedKeyUsage)
    #expect(usage.contains(.init(oid: [2, 23, 133, 8, 3])) && usage.count == 1)
    #expect(try leaf.extensions.basicConstraints == .notCertificateAuthority)
    #expect(leaf.extensions[oid: .X509ExtensionID.basicConstraints] != nil)
    // Without a name, the key's identifier tells one from the other.
    #expect(try leaf.extensions.subjectKeyIdentifier == SubjectKeyIdentifier(hash: leaf.publicKey))
  }

  @Test func `satisfies openssl, which reads the same in it`() async throws {
    let folder = try TemporaryFolder.make()
    let (leaf, root) = try await certify(Scenario())
    func file(_ name: String) -> String { folder.url.appending(path: name).path }
    try leaf.serializeAsPEM().pemString.write(toFile: file("leaf.pem"), atomically: true, encoding: .utf8)
    try root.serializeAsPEM().pemString.write(toFile: file("root.pem"), atomically: true, encoding: .utf8)
    let log = folder.url.appending(path: "log")
    // x509_strict: among others that a certificate without subject has a critical alternative name.
    try Program.run(
      [
        "openssl", "verify", "-x509_strict", "-attime", "\(Int(testTime.timeIntervalSince1970))", "-CAfile",
        file("root.pem"), file("leaf.pem"),
      ], log: log)
    try Program.run(
      ["openssl", "x509", "-in", file("leaf.pem"), "-noout", "-text", "-nameopt", "RFC2253"], log: log)
    let text = try String(contentsOf: log, encoding: .utf8)
    let lines = text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
    #expect(lines.contains("Version: 3 (0x2)"), "\(text)")
    #expect(lines.contains("Subject:"), "\(text)")
    func value(below heading: String) -> String? {
      lines.firstIndex(of: heading).map { lines[$0 + 1] }
    }
    #expect(
      value(below: "X509v3 Subject Alternative Name: critical")
        == "DirName:/2.23.133.2.1=id:494E5443/2.23.133.2.2=Model 1/2.23.133.2.3=id:00070002", "\(text)")
    #expect(value(below: "X509v3 Extended Key Usage: critical") == "2.23.133.8.3", "\(text)")
    #expect(value(below: "X509v3 Basic Constraints: critical") == "CA:FALSE", "\(text)")
  }

  struct Telling: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let names: [Scenario.Attributes]
    let description: [String]
  }

  private static let placeholders = ["id:00000000", "unknown", "id:00000000"]

  static let telling = [
    Telling(testDescription: "nothing", names: [], description: placeholders),
    Telling(
      testDescription: "something else", names: [[([2, 5, 4, 3], "Intel")]], description: placeholders),
    Telling(
      testDescription: "the model alone", names: [[(attributeTypes[1], "Model 2")]],
      description: ["id:00000000", "Model 2", "id:00000000"]),
    Telling(
      testDescription: "in two names, in another order",
      names: [
        [(attributeTypes[2], "id:1"), (attributeTypes[1], "M")], [(attributeTypes[0], "id:414D4400")],
      ],
      description: ["id:414D4400", "M", "id:1"]),
    Telling(
      testDescription: "empty texts and control characters",
      names: [[(attributeTypes[0], ""), (attributeTypes[1], "a\nb"), (attributeTypes[2], "\u{0}")]],
      description: placeholders),
    Telling(
      testDescription: "texts of the greatest length, and longer",
      names: [
        [
          (attributeTypes[0], String(repeating: "m", count: 256)),
          (attributeTypes[1], String(repeating: "é", count: 129)),
        ]
      ],
      description: [String(repeating: "m", count: 256), "unknown", "id:00000000"]),
    Telling(
      testDescription: "a text twice, the first unusable",
      names: [[(attributeTypes[1], ""), (attributeTypes[1], "Second")]],
      description: ["id:00000000", "Second", "id:00000000"]),
  ]

  @Test(arguments: telling)
  func `describes the TPM as its maker's certificate does, else by placeholders`(telling: Telling)
    async throws
  {
    var scenario = Scenario()
    scenario.description = telling.names
    let (leaf, _) = try await certify(scenario)
    #expect(try description(in: leaf) == telling.description)
    #expect(leaf.subject.isEmpty)
  }

  @Test func `believes no description in a certificate that nobody verified`() async throws {
    let (leaf, _) = try await certify(Scenario(), trusting: .anyKey)
    #expect(try description(in: leaf) == Self.placeholders)
  }

  @Test func `survives a maker's alternative name that is none`() async throws {
    var scenario = Scenario()
    scenario.encodedDescription = [0x30, 0x05, 0xA4]
    let (leaf, _) = try await certify(scenario)
    #expect(try description(in: leaf) == Self.placeholders)
  }
}
