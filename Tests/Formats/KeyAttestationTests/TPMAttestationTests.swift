import Crypto
import Foundation
import JOSE
import KeyAttestation
import StrictJSON
import SwiftASN1
import Testing
import X509

@Suite("TPM key attestation")
struct TPMAttestationTests {
  @Test func `a key that its TPM certified for this challenge is accepted, and the record says how`()
    async throws
  {
    let scenario = TPMScenario()
    let attestation = try await scenario.verify()
    #expect(attestation.kind == "tpm")
    #expect(attestation.securityLevel == "tpm")
    #expect(attestation.root.subject == "CN=TPM Root")
    let json = try #require(attestation.json["tpm"])
    #expect(json["noDA"] == false)
    #expect(json["firmwareVersion"] == "2019102300163636")
    #expect(json["name"]?.stringValue?.hasPrefix("000b") == true)
  }

  @Test
  func `the certificate may have a subject and no alternative name, as those that Sealring issued at first`()
    async throws
  {
    var scenario = TPMScenario()
    scenario.subject = "TPM attestation key 00112233"
    scenario.leaf.extensions.removeAll { $0.oid == .X509ExtensionID.subjectAlternativeName }
    #expect(scenario.leaf.extensions.count == 1)
    #expect(try await scenario.verify().root.subject == "CN=TPM Root")
  }

  @Test func `a key without PIN may be exempt from the lockout, and the record says so`() async throws {
    var scenario = TPMScenario()
    scenario.requiresLockout = false
    scenario.attributes |= 1 << 10
    let attestation = try await scenario.verify()
    #expect(attestation.json["tpm"]?["noDA"] == true)
  }

  @Test(arguments: [0, 1, 32, 33, 64])
  func `the nonce of a challenge above 32 bytes is its SHA-256`(_ count: Int) async throws {
    var scenario = TPMScenario()
    scenario.challenge = Array(repeating: 5, count: count)
    scenario.info.extraData = count <= 32 ? scenario.challenge : Array(SHA256.hash(data: scenario.challenge))
    _ = try await scenario.verify()
  }

  @Test func `coordinates and signature halves may be shorter than 32 bytes`() async throws {
    // A key whose x begins with a zero byte turns up once in 256.
    var key = P256.Signing.PrivateKey()
    for _ in 0..<20_000 where key.publicKey.rawRepresentation.first != 0 { key = P256.Signing.PrivateKey() }
    try #require(key.publicKey.rawRepresentation.first == 0)
    let area = TPMStructures.publicArea(of: key.publicKey, attributes: 0x0004_0072)
    // x stands after 18 bytes: its length, then the zero.
    let short = Array(area[..<18]) + [0, 31] + Array(area[21...])
    let verified = try await verify(publicArea: short, key: key.publicKey)
    #expect(verified.kind == "tpm")
  }

  /// Verifies a statement about `key` with its own public area.
  private func verify(
    publicArea: [UInt8], key: P256.Signing.PublicKey
  ) async throws -> VerifiedAttestation {
    let attestationKey = P256.Signing.PrivateKey()
    let root = try Authority.root("TPM Root")
    let leaf = try root.issue(
      Certificate.PublicKey(attestationKey.publicKey), subject: nil,
      profile: TPMScenario.attestationKeyProfile)
    var info = CertifyInfoFixture()
    info.name = TPMStructures.name(of: publicArea)
    let statement = TPMStatement(
      certifyInfo: info.encoded,
      signature: TPMStructures.signature(
        Array(try attestationKey.signature(for: info.encoded).rawRepresentation)),
      publicArea: publicArea)
    let verifier = AttestationVerifier(
      AttestationVerifier.Configuration(tpmRoots: try TrustAnchors([root.der])), clock: { testTime })
    return try await verifier.verify(
      jwk: key.jwk(chain: [leaf.derBytes], extra: ["tpm": .object(statement.json)]),
      challenge: info.extraData, requiresLockout: true)
  }

  @Test(arguments: statements + certificates + keys)
  func `each thing that is wrong is found by its own check`(_ wrong: Wrong<TPMScenario>) async throws {
    var scenario = TPMScenario()
    try wrong.change(&scenario)
    let changed = scenario
    let failure = try #require(
      await #expect(throws: AttestationFailure.self) { try await changed.verify() })
    #expect(failure.check == wrong.check, "\(failure)")
    #expect(!failure.detail.isEmpty)
  }

  static let statements: [Wrong<TPMScenario>] = [
    Wrong("a member that is not an object", .statementMalformed) { $0.changesMember = { _ in "tpm" } },
    Wrong("null", .statementMalformed) { $0.changesMember = { _ in .null } },
    Wrong("another version", .statementMalformed) { $0.changesMember = member("ver", "1.2") },
    Wrong("no certInfo", .statementMalformed) { $0.changesMember = member("certInfo", nil) },
    Wrong("an empty sig", .statementMalformed) { $0.changesMember = member("sig", "") },
    Wrong("a pubArea in Base64 with padding", .statementMalformed) {
      $0.changesMember = member("pubArea", "AA==")
    },
    Wrong("a certInfo above its bound", .statementMalformed) {
      $0.changesCertifyInfo = { $0 + Array(repeating: 0, count: 512) }
    },
    Wrong("a truncated certInfo", .certifyInfoMalformed) { $0.changesCertifyInfo = { $0.dropLast() } },
    Wrong("bytes after certInfo", .certifyInfoMalformed) { $0.changesCertifyInfo = { $0 + [0] } },
    Wrong("another magic", .certifyInfoMalformed) { $0.info.magic = 0xFF54_4348 },
    Wrong("a quote instead of a certification", .certifyInfoMalformed) { $0.info.type = 0x8018 },
    Wrong("an impossible clock flag", .certifyInfoMalformed) {
      // After magic, type, signer (36), extraData (34), clock and counts (16).
      $0.changesCertifyInfo = { $0.replacing(2, at: 92) }
    },
    Wrong("a truncated pubArea", .publicAreaMalformed) { $0.changesPublicArea = { $0.dropLast() } },
    Wrong("bytes after pubArea", .publicAreaMalformed) { $0.changesPublicArea = { $0 + [0] } },
    Wrong("a length in front of pubArea", .publicAreaMalformed) {
      $0.changesPublicArea = { TPMStructures.sized($0) }
    },
    Wrong("a name by SHA-1", .publicAreaMalformed) { $0.changesPublicArea = { $0.replacing(0x04, at: 3) } },
    Wrong("a storage key", .publicAreaMalformed) { $0.changesPublicArea = { $0.replacing(0x06, at: 11) } },
    Wrong("a key of P-384", .publicAreaMalformed) { $0.changesPublicArea = { $0.replacing(0x04, at: 15) } },
    Wrong("another type of object", .publicAreaMalformed) {
      $0.changesPublicArea = { $0.replacing(0x08, at: 1) }
    },
    Wrong("a truncated sig", .signatureMalformed) { $0.changesSignature = { $0.dropLast() } },
    Wrong("bytes after sig", .signatureMalformed) { $0.changesSignature = { $0 + [0] } },
    Wrong("a sig by SHA-1", .signatureMalformed) { $0.changesSignature = { $0.replacing(0x04, at: 3) } },
    Wrong("a sig by ECDAA", .signatureMalformed) { $0.changesSignature = { $0.replacing(0x1A, at: 1) } },
    Wrong("an altered sig", .signatureInvalid) { $0.changesSignature = { $0.replacing($0[40] ^ 1, at: 40) } },
    Wrong("a sig of another hash", .signatureInvalid) { $0.changesSignature = { $0.replacing(0x0C, at: 3) } },
    Wrong("an RSA sig by a P-256 key", .signatureInvalid) {
      $0.changesSignature = { _ in [0, 0x14, 0, 0x0B] + TPMStructures.sized(Array(repeating: 1, count: 256)) }
    },
  ]

  static let certificates: [Wrong<TPMScenario>] = [
    Wrong("no roots for TPMs", .noRootsConfigured) {
      $0.trusted = TrustAnchors()
      $0.androidRoots = try TrustAnchors([try Authority.root("TPM Root").der])
    },
    Wrong("another root", .chainUntrusted) {
      $0.trusted = try TrustAnchors([try Authority.root("TPM Root").der])
    },
    Wrong("an expired leaf", .chainUntrusted) { $0.leaf.notAfter = testTime.addingTimeInterval(-1) },
    Wrong("a revoked leaf", .certificateRevoked) { $0.revoked = RevokedSerialNumbers(["1234"]) },
    Wrong("another key in the leaf", .signatureInvalid) {
      $0.certifiedKey = P256.Signing.PrivateKey().publicKey
    },
    Wrong("the attested key in the leaf", .signatureInvalid) { $0.certifiedKey = $0.key.publicKey },
    Wrong("a leaf without usage", .leafUnsuitable) { $0.leaf.extensions = [] },
    Wrong("a TLS server's leaf", .leafUnsuitable) {
      $0.leaf.extensions = [
        try Certificate.Extension(ExtendedKeyUsage([.serverAuth]), critical: true)
      ]
    },
    Wrong("an authority's leaf", .leafUnsuitable) { $0.leaf.isAuthority = true },
    Wrong("a leaf not for signatures", .leafUnsuitable) {
      $0.leaf.keyUsage = KeyUsage(keyEncipherment: true)
    },
  ]

  @Test(arguments: [1, 2])
  func `an issuer that may certify only for another use certifies no attestation key`(_ place: Int)
    async throws
  {
    let unreadable = Certificate.Extension(
      oid: .X509ExtensionID.extendedKeyUsage, critical: true, value: [5, 0])
    let usages: [(Certificate.Extension, Bool)] = [
      (try TPMScenario.usage(.serverAuth), false), (unreadable, false), (try TPMScenario.usage(.any), true),
      (try TPMScenario.usage(.serverAuth, .init(oid: TPMScenario.attestationKeyUsage)), true),
      (try TPMScenario.usage(.serverAuth, isCritical: false), true),
    ]
    for (usage, isAllowed) in usages {
      var scenario = TPMScenario()
      if place == 1 { scenario.intermediate.extensions = [usage] } else { scenario.root.extensions = [usage] }
      let changed = scenario
      guard !isAllowed else {
        #expect(try await changed.verify().kind == "tpm")
        continue
      }
      let failure = await #expect(throws: AttestationFailure.self) { try await changed.verify() }
      #expect(failure?.chainFault?.cause == .keyUsage && failure?.chainFault?.place == place)
    }
  }

  static let keys: [Wrong<TPMScenario>] = [
    Wrong("another nonce", .challengeMismatch) { $0.info.extraData[0] ^= 1 },
    Wrong("no nonce", .challengeMismatch) { $0.info.extraData = [] },
    Wrong("another key's name", .nameMismatch) {
      $0.info.name = TPMStructures.name(
        of: TPMStructures.publicArea(of: P256.Signing.PrivateKey().publicKey, attributes: 0x0004_0072))
    },
    Wrong("no name", .nameMismatch) { $0.info.name = [] },
    Wrong("attributes changed after certification", .nameMismatch) {
      $0.info.name = TPMStructures.name(
        of: TPMStructures.publicArea(of: $0.key.publicKey, attributes: 0x0004_0040))
    },
    Wrong("another key than the proof's", .keyMismatch) {
      $0.publicKey = P256.Signing.PrivateKey().publicKey
    },
    Wrong("a key that may leave its TPM", .attributesRefused) { $0.attributes &= ~(1 << 1) },
    Wrong("a key that may change its parent", .attributesRefused) { $0.attributes &= ~(1 << 4) },
    Wrong("a key from outside", .attributesRefused) { $0.attributes &= ~(1 << 5) },
    Wrong("a key not for signing", .attributesRefused) { $0.attributes &= ~(1 << 18) },
    Wrong("a key for decrypting too", .attributesRefused) { $0.attributes |= 1 << 17 },
    Wrong("a PIN key exempt from the lockout", .attributesRefused) { $0.attributes |= 1 << 10 },
  ]

  private static func member(
    _ name: String, _ value: JSONValue?
  ) -> @Sendable (JSONObject) -> JSONValue {
    { json in
      var json = json
      json[name] = value
      return .object(json)
    }
  }
}
