import Crypto
import CryptoExtras
import Foundation
import SwiftASN1
import Testing
import X509

@testable import KeyAttestation

@Suite("What is wrong with a chain")
struct ChainFaultTests {
  struct Fault: Sendable, CustomStringConvertible {
    let description: String
    let cause: ChainFault.Cause
    let place: Int?
    let text: String
    let change: @Sendable (inout AndroidScenario) throws -> Void

    init(
      _ description: String, _ cause: ChainFault.Cause, at place: Int?, _ text: String = "",
      _ change: @escaping @Sendable (inout AndroidScenario) throws -> Void
    ) {
      self.description = description
      self.cause = cause
      self.place = place
      self.text = text
      self.change = change
    }
  }

  static let faults: [Fault] = [
    Fault("an expired leaf", .expired, at: 0, "valid until 2027-01-15") {
      $0.leaf.notAfter = testTime.addingTimeInterval(-1)
    },
    Fault("an expired intermediate", .expired, at: 1) {
      $0.intermediate.notAfter = testTime.addingTimeInterval(-1)
    },
    Fault("an expired root", .expired, at: 2) { $0.root.notAfter = testTime.addingTimeInterval(-1) },
    Fault("a leaf of tomorrow", .notYetValid, at: 0, "valid from 2027-01-15") {
      $0.leaf.notBefore = testTime.addingTimeInterval(60)
    },
    Fault("a root of another name", .unknownIssuer, at: 2, "CN=Android Root") {
      $0.trusted = try TrustAnchors([try Authority.root("Other").der])
    },
    Fault("a root of the same name", .unknownIssuer, at: 2, "that root's key did not sign") {
      $0.trusted = try TrustAnchors([try Authority.root("Android Root").der])
    },
    Fault("no intermediate and no root", .unknownIssuer, at: 0, "CN=TEE") { $0.changesChain = { [$0[0]] } },
    Fault("an altered signature", .invalidSignature, at: 0) {
      $0.changesChain = { chain in
        var chain = chain
        chain[0][chain[0].count - 1] ^= 1
        return chain
      }
    },
    Fault("an issuer that is not an authority", .notAnAuthority, at: 1) {
      $0.intermediate.isAuthority = false
    },
    Fault("a root that allows no authority below it", .pathTooLong, at: 2) { $0.root.maxPathLength = 0 },
    Fault("an issuer of version 1", .version, at: 1) { $0.intermediate.version = .v1 },
    Fault("an issuer whose key may not sign", .keyUsage, at: 1) {
      $0.intermediate.keyUsage = KeyUsage(digitalSignature: true)
    },
    Fault("only the root", .leafIsRoot, at: 0) { $0.changesChain = { [$0[2]] } },
    Fault("an unknown critical extension", .criticalExtension, at: 0, "1.2.3.4") {
      $0.leaf.extensions.append(Certificate.Extension(oid: [1, 2, 3, 4], critical: true, value: [5, 0]))
    },
    Fault("one in the intermediate", .criticalExtension, at: 1, "1.2.3.4") {
      $0.intermediate.extensions.append(
        Certificate.Extension(oid: [1, 2, 3, 4], critical: true, value: [5, 0]))
    },
    Fault("one in the root", .criticalExtension, at: 2, "1.2.3.4") {
      $0.root.extensions.append(Certificate.Extension(oid: [1, 2, 3, 4], critical: true, value: [5, 0]))
    },
    Fault("a name that is excluded", .constraint, at: nil, "name constraints") {
      // excludedSubtrees [1] with an empty directoryName [4].
      $0.root.extensions.append(
        PolicyExtensions.critical(
          [2, 5, 29, 30],
          PolicyExtensions.tlv(0x30, [0xA1, 6, 0x30, 4, 0xA4, 2, 0x30, 0])))
    },
    // Only by these could a verifier that takes any policy refuse a chain for its policies, so they are not waved through.
    Fault("an explicit policy is required", .criticalExtension, at: 1, "2.5.29.36") {
      $0.leaf.extensions.append(PolicyExtensions.policies)
      $0.intermediate.extensions.append(
        PolicyExtensions.critical([2, 5, 29, 36], [0x30, 3, 0x80, 1, 0]))
    },
    Fault("any policy is inhibited", .criticalExtension, at: 1, "2.5.29.54") {
      $0.intermediate.extensions += [
        PolicyExtensions.policies, PolicyExtensions.critical([2, 5, 29, 54], [2, 1, 0]),
      ]
    },
    Fault("policies are mapped", .criticalExtension, at: 1, "2.5.29.33") {
      $0.intermediate.extensions.append(
        PolicyExtensions.critical(
          [2, 5, 29, 33],
          PolicyExtensions.list(
            PolicyExtensions.list(PolicyExtensions.tpmPolicy + PolicyExtensions.tpmPolicy))))
    },
  ]

  @Test(arguments: faults)
  func `the cause is told, and where it is`(fault: Fault) async throws {
    var scenario = AndroidScenario()
    try fault.change(&scenario)
    let changed = scenario
    let failure = try #require(
      await #expect(throws: AttestationFailure.self) { _ = try await changed.verify() })
    #expect(failure.check == .chainUntrusted)
    #expect(failure.chainFault?.cause == fault.cause, "\(failure)")
    #expect(failure.chainFault?.place == fault.place, "\(failure)")
    #expect(fault.text.isEmpty || failure.detail.contains(fault.text), "\(failure)")
    #expect(failure.description.hasPrefix("chainUntrusted (\(fault.cause)): "))
  }

  @Test func `other checks have no cause`() async throws {
    var scenario = AndroidScenario()
    scenario.challenge[0] ^= 1
    let changed = scenario
    let failure = await #expect(throws: AttestationFailure.self) { _ = try await changed.verify() }
    #expect(failure?.check == .challengeMismatch && failure?.chainFault == nil)
    #expect(failure?.description.hasPrefix("challengeMismatch: ") == true)
  }

  @Test func `names in certificates cannot write lines into the log`() async throws {
    let root = try Authority.root("evil\n\u{1B}[31m2026 INFO signed in")
    let key = P256.Signing.PrivateKey()
    let leaf = try root.issue(Certificate.PublicKey(key.publicKey), subject: "leaf", profile: .leaf)
    let other = try TrustAnchors([try Authority.root("Other").der])
    let failure = await #expect(throws: AttestationFailure.self) {
      _ = try await UnverifiedChain(der: [leaf.derBytes]).verified(
        against: other, revoked: RevokedSerialNumbers(), at: testTime)
    }
    #expect(failure?.chainFault?.cause == .unknownIssuer)
    #expect(failure?.description.contains("\n") == false && failure?.description.contains("\u{1B}") == false)
  }

  // MARK: Policies

  @Test func `critical policies are accepted in each certificate of an Android key's chain`() async throws {
    var scenario = AndroidScenario()
    scenario.leaf.extensions.append(PolicyExtensions.policies)
    scenario.intermediate.extensions.append(PolicyExtensions.policies)
    scenario.root.extensions.append(PolicyExtensions.policies)
    #expect(try await scenario.verify().kind == "android")
  }

  @Test func `critical policies are accepted in the chain of a TPM's attestation key`() async throws {
    var scenario = TPMScenario()
    scenario.leaf.extensions.append(PolicyExtensions.policies)
    #expect(try await scenario.verify().kind == "tpm")
  }

  @Test func `critical policies are accepted in the chain of an endorsement key`() async throws {
    var root = Authority.Profile()
    root.extensions = [PolicyExtensions.policies]
    let maker = try Authority.root("Maker", profile: root)
    let key = P256.Signing.PrivateKey()
    var profile = Authority.Profile.leaf
    profile.keyUsage = KeyUsage(keyAgreement: true)
    profile.extensions = [
      try Certificate.Extension(
        ExtendedKeyUsage([.init(oid: TPMKeyUsage.endorsementKey)]), critical: true),
      PolicyExtensions.policies,
    ]
    let leaf = try maker.issue(Certificate.PublicKey(key.publicKey), subject: nil, profile: profile)
    let certificate = try await EndorsementCertificate(
      verifying: [leaf.derBytes], against: TrustAnchors([maker.der]), revoked: RevokedSerialNumbers(),
      at: testTime)
    #expect(certificate.publicKey == leaf.publicKey)
  }

  static let readable: [(String, [UInt8])] = {
    typealias P = PolicyExtensions
    return [
      ("a policy", P.list(P.policy(P.tpmPolicy))),
      ("any policy", P.list(P.policy([6, 4, 0x55, 0x1D, 0x20, 0]))),
      (
        "two with a statement and a notice",
        P.list(
          P.policy(P.tpmPolicy, P.qualifier(P.statement, [0x16, 1, 0x61]))
            + P.policy([6, 4, 0x55, 0x1D, 0x20, 0], P.qualifier(P.notice, P.text)))
      ),
    ]
  }()

  static let unreadable: [(String, [UInt8])] = {
    typealias P = PolicyExtensions
    return [
      ("nothing", []), ("no policy", P.list([])), ("not a list", [5, 0]),
      ("text for a policy", P.list([0x0C, 1, 0x61])),
      ("one policy twice", P.list(P.policy(P.tpmPolicy) + P.policy(P.tpmPolicy))),
      (
        "a qualifier of an unknown kind", P.list(P.policy(P.tpmPolicy, P.qualifier([6, 2, 0x2A, 3], P.text)))
      ),
      ("a qualifier without value", P.list(P.policy(P.tpmPolicy, P.qualifier(P.notice, [])))),
      ("more behind the qualifiers", P.list(P.tlv(0x30, P.tpmPolicy + P.list([]) + [5, 0]))),
      ("bytes behind the list", P.list(P.policy(P.tpmPolicy)) + [0]),
      ("thirty-three policies", [0x30, 0x81, 0xC6] + (0..<33).flatMap { P.policy([6, 2, 0x2A, $0]) }),
    ]
  }()

  @Test(arguments: readable)
  func `critical policies are read`(_ name: String, _ value: [UInt8]) async throws {
    var scenario = AndroidScenario()
    scenario.leaf.extensions.append(PolicyExtensions.critical([2, 5, 29, 32], value))
    #expect(try await scenario.verify().kind == "android")
  }

  @Test(arguments: unreadable, [0, 1])
  func `critical policies that cannot be read are refused, others are not looked at`(
    _ policies: (String, [UInt8]), place: Int
  ) async throws {
    for isCritical in [true, false] {
      var scenario = AndroidScenario()
      let policies = Certificate.Extension(
        oid: [2, 5, 29, 32], critical: isCritical, value: policies.1[...])
      if place == 0 {
        scenario.leaf.extensions.append(policies)
      } else {
        scenario.intermediate.extensions.append(policies)
      }
      let changed = scenario
      guard isCritical else {
        #expect(try await changed.verify().kind == "android")
        continue
      }
      let failure = await #expect(throws: AttestationFailure.self) { _ = try await changed.verify() }
      #expect(failure?.chainFault?.cause == .policiesUnreadable, "\(failure?.description ?? "")")
      #expect(failure?.chainFault?.place == place)
    }
  }

  // MARK: SHA-1

  @Test(arguments: [Certificate.SignatureAlgorithm.sha1WithRSAEncryption, .sha256WithRSAEncryption])
  func `a certificate signed with SHA-1 is refused, but for the root, which is trusted by itself`(
    _ algorithm: Certificate.SignatureAlgorithm
  ) async throws {
    let key = try _RSA.Signing.PrivateKey(keySize: .bits2048)
    func certify(
      _ subject: String, _ publicKey: Certificate.PublicKey, isAuthority: Bool,
      _ algorithm: Certificate.SignatureAlgorithm
    ) throws -> Certificate {
      let constraints: BasicConstraints =
        isAuthority ? .isCertificateAuthority(maxPathLength: nil) : .notCertificateAuthority
      return try Certificate(
        version: .v3, serialNumber: Certificate.SerialNumber(7 as UInt64), publicKey: publicKey,
        notValidBefore: testTime.addingTimeInterval(-60), notValidAfter: testTime.addingTimeInterval(60),
        issuer: DistinguishedName { CommonName("Root") },
        subject: DistinguishedName { CommonName(subject) }, signatureAlgorithm: algorithm,
        extensions: Certificate.Extensions { Critical(constraints) },
        issuerPrivateKey: Certificate.PrivateKey(key))
    }
    let root = try certify(
      "Root", Certificate.PublicKey(key.publicKey), isAuthority: true, .sha1WithRSAEncryption)
    let leaf = try certify(
      "Leaf", Certificate.PublicKey(P256.Signing.PrivateKey().publicKey), isAuthority: false, algorithm)
    let anchors = try TrustAnchors([root.derBytes])
    let chain = try UnverifiedChain(der: [leaf.derBytes, root.derBytes])
    guard algorithm == .sha1WithRSAEncryption else {
      _ = try await chain.verified(against: anchors, revoked: RevokedSerialNumbers(), at: testTime)
      return
    }
    let failure = await #expect(throws: AttestationFailure.self) {
      _ = try await chain.verified(against: anchors, revoked: RevokedSerialNumbers(), at: testTime)
    }
    #expect(failure?.chainFault?.cause == .weakSignature && failure?.chainFault?.place == 0)
  }
}
