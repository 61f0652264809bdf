import CBOR
import CommonFixtures
import Crypto
import CryptoExtras
import Foundation
import KeyAttestation
import SwiftASN1
import Testing
import WebAuthnFormats
import WebAuthnVerification
import X509

/// Statements in the form of Windows Hello: an RSA attestation key whose certificates have critical policies signs with SHA-1. Made with an
/// authority of the tests' own.
@Suite("Attestation as Windows Hello makes it")
struct WindowsHelloTests {
  /// Making one takes long.
  static let attestationKey = Result { try _RSA.Signing.PrivateKey(keySize: .bits2048) }

  /// As made, all is well where SHA-1 is accepted; a test changes one thing.
  struct Scenario: Sendable {
    let authority: Authority
    let attestationKey: _RSA.Signing.PrivateKey
    var registration = RegistrationScenario()
    var leaf = Authority.Leaf.withoutSubject
    var format = "tpm"
    var algorithm = -65535
    var nameAlgorithm: UInt8 = 0x0B

    /// What `extraData` is the digest of the registration by; SHA-1 as a rule.
    var digest: @Sendable ([UInt8]) -> [UInt8] = { Array(Insecure.SHA1.hash(data: $0)) }

    /// Replaces the signature over `certInfo`; data and hash are what other formats sign.
    var sign: (@Sendable (_RSA.Signing.PrivateKey, _ info: [UInt8], _ signed: [UInt8]) throws -> [UInt8])?
    var changesMembers: @Sendable (inout CBORMap) throws -> Void = { _ in }

    init(acceptsSHA1: Bool = true) throws {
      authority = try Authority()
      attestationKey = try WindowsHelloTests.attestationKey.get()
      registration.policy.attestation.conveyance = .direct
      registration.policy.attestation.roots = try TrustAnchors([authority.der])
      registration.policy.attestation.acceptedTypes = [.ca]
      registration.policy.attestation.acceptsTPMSHA1 = acceptsSHA1
      leaf.extensions = AttestationTests.TPM.extensions + [Self.policies]
    }

    /// Microsoft's policy of TPMs' attestation keys, with a notice.
    static let policies = Certificate.Extension(
      oid: [2, 5, 29, 32], critical: true,
      value: der(
        0x30,
        der(
          0x30,
          [6, 9, 0x2B, 6, 1, 4, 1, 0x82, 0x37, 0x15, 0x1F]
            + der(
              0x30,
              der(
                0x30,
                [6, 8, 0x2B, 6, 1, 5, 5, 7, 2, 2]
                  + der(0x30, der(0x1E, [0, 0x54, 0, 0x43, 0, 0x50, 0, 0x41]))
              )))
      )[...])

    func verify() async throws -> VerifiedRegistration {
      var registration = registration
      let scenario = self
      registration.statement = { registration, data, hash in
        try scenario.statement(registration, data + hash)
      }
      return try await registration.verify()
    }

    private func statement(
      _ registration: RegistrationScenario, _ signed: [UInt8]
    ) throws -> RegistrationScenario.Statement {
      var area = AttestationTests.TPM.publicArea(of: registration.key.publicKey)
      area[3] = nameAlgorithm
      let info = AttestationTests.TPM.certifyInfo(extraData: digest(signed), publicArea: area)
      let signature = try sign?(attestationKey, info, signed) ?? Self.sha1(attestationKey, info)
      var members: CBORMap = [
        "ver": "2.0", "alg": CBORValue(algorithm), "sig": .bytes(signature), "certInfo": .bytes(info),
        "pubArea": .bytes(area),
        "x5c": [.bytes(try authority.issue(Certificate.PublicKey(attestationKey.publicKey), leaf))],
      ]
      try changesMembers(&members)
      return RegistrationScenario.Statement(format, members)
    }

    static func sha1(_ key: _RSA.Signing.PrivateKey, _ bytes: [UInt8]) throws -> [UInt8] {
      Array(
        try key.signature(for: Insecure.SHA1.hash(data: bytes), padding: .insecurePKCS1v1_5).rawRepresentation
      )
    }

    static func sha256(_ key: _RSA.Signing.PrivateKey, _ bytes: [UInt8]) throws -> [UInt8] {
      Array(try key.signature(for: SHA256.hash(data: bytes), padding: .insecurePKCS1v1_5).rawRepresentation)
    }

    /// The members that the format `packed` has.
    mutating func isPacked(
      by sign: @escaping @Sendable (_RSA.Signing.PrivateKey, [UInt8]) throws -> [UInt8]
    ) {
      format = "packed"
      leaf = Authority.Leaf()
      self.sign = { key, _, signed in try sign(key, signed) }
      changesMembers = { members in for name in ["ver", "certInfo", "pubArea"] { members[.text(name)] = nil }
      }
    }
  }

  @Test func `a statement signed with SHA-1 is trusted where that is accepted`() async throws {
    let registration = try await Scenario().verify()
    #expect(registration.attestation.type == .ca && registration.attestation.format == "tpm")
    #expect(registration.publicKey.algorithm == .es256)
  }

  @Test func `it is refused where that is not accepted, and the operator learns what to do`() async throws {
    let scenario = try Scenario(acceptsSHA1: false)
    await expectFailure(.attestationInvalid, "--webauthn-tpm-sha1") { _ = try await scenario.verify() }
    #expect(!AttestationPolicy().acceptsTPMSHA1)
  }

  @Test(arguments: [true, false])
  func `critical policies alone need no SHA-1`(acceptsSHA1: Bool) async throws {
    var scenario = try Scenario(acceptsSHA1: acceptsSHA1)
    scenario.algorithm = -257
    scenario.digest = { Array(SHA256.hash(data: $0)) }
    scenario.sign = { key, info, _ in try Scenario.sha256(key, info) }
    #expect(try await scenario.verify().attestation.type == .ca)
  }

  @Test func `attestation by a TPM without a list of roots is of type BASIC`() async throws {
    var scenario = try Scenario()
    scenario.registration.policy.attestation.roots = TrustAnchors()
    scenario.registration.policy.attestation.acceptedTypes = [.basic]
    #expect(try await scenario.verify().attestation.type == .basic)
  }

  struct Fault: Sendable, CustomStringConvertible {
    let description: String
    let check: WebAuthnFailure.Check
    let text: String
    let change: @Sendable (inout Scenario) throws -> Void

    init(
      _ description: String, _ text: String, _ check: WebAuthnFailure.Check = .attestationInvalid,
      _ change: @escaping @Sendable (inout Scenario) throws -> Void
    ) {
      self.description = description
      self.check = check
      self.text = text
      self.change = change
    }
  }

  static let faults: [Fault] = [
    Fault("SHA-1 of the registration, signed with SHA-256", "extraData") {
      $0.algorithm = -257
      $0.sign = { key, info, _ in try Scenario.sha256(key, info) }
    },
    Fault("SHA-256 of the registration, signed with SHA-1", "extraData") {
      $0.digest = { Array(SHA256.hash(data: $0)) }
    },
    Fault("SHA-1 under the name of RS256", "sig is not") {
      $0.algorithm = -257
      $0.digest = { Array(SHA256.hash(data: $0)) }
    },
    Fault("SHA-256 under the name of RS1", "sig is not") {
      $0.sign = { key, info, _ in try Scenario.sha256(key, info) }
    },
    Fault("a signature over the registration, as packed has it", "sig is not") {
      $0.sign = { key, _, signed in try Scenario.sha1(key, signed) }
    },
    Fault("RS1 with a certificate for P-256", "sig is not") { scenario in
      let leaf = try scenario.authority.issue(P256.Signing.PrivateKey().publicKey, scenario.leaf)
      scenario.changesMembers = { $0["x5c"] = [.bytes(leaf)] }
    },
    Fault("a key whose name is by SHA-1", "not SHA-256") { $0.nameAlgorithm = 0x04 },
    Fault("another number", "not supported") { $0.algorithm = -65534 },
    Fault("a number as text", "not a number") { $0.changesMembers = { $0["alg"] = "RS1" } },
    Fault("a policy that cannot be read", "policiesUnreadable", .attestationNotTrusted) {
      $0.leaf.extensions.removeLast()
      $0.leaf.extensions.append(
        Certificate.Extension(oid: [2, 5, 29, 32], critical: true, value: [0x30, 0]))
    },
    Fault("another critical extension", "2.5.29.36", .attestationNotTrusted) {
      $0.leaf.extensions.append(
        Certificate.Extension(oid: [2, 5, 29, 36], critical: true, value: [0x30, 3, 0x80, 1, 0]))
    },
    // SHA-1 is for the format tpm alone.
    Fault("packed, signed with SHA-1", "RS1 (-65535) uses SHA-1") {
      $0.isPacked { key, signed in try Scenario.sha1(key, signed) }
    },
    Fault("packed, signed with SHA-256 and said to be RS1", "RS1 (-65535) uses SHA-1") {
      $0.isPacked { key, signed in try Scenario.sha256(key, signed) }
    },
    Fault("packed by the key itself, said to be RS1", "RS1 (-65535) uses SHA-1") {
      $0.isPacked { key, signed in try Scenario.sha1(key, signed) }
      let change = $0.changesMembers
      $0.changesMembers = { members in
        try change(&members)
        members["x5c"] = nil
      }
    },
    Fault("android-key, signed with SHA-1", "RS1 (-65535) uses SHA-1") {
      $0.isPacked { key, signed in try Scenario.sha1(key, signed) }
      $0.format = "android-key"
    },
    // What has parts of both.
    Fault("packed with the members of tpm", "RS1 (-65535) uses SHA-1") { $0.format = "packed" },
    Fault("packed with the members of tpm and another algorithm", "other members") {
      $0.format = "packed"
      $0.algorithm = -257
    },
    Fault("tpm with a statement of the format packed inside", "other members") {
      $0.changesMembers = { $0["packed"] = ["alg": -7, "sig": .bytes([1])] }
    },
    Fault("tpm without what the TPM certified", "other members") {
      $0.changesMembers = { $0["certInfo"] = nil }
    },
    Fault("a compound of both", "compound", .unsupportedAttestationFormat) { $0.format = "compound" },
  ]

  @Test(arguments: faults)
  func `each fault is found, though SHA-1 is accepted`(fault: Fault) async throws {
    var scenario = try Scenario()
    try fault.change(&scenario)
    await expectFailure(fault.check, fault.text) { [scenario] in _ = try await scenario.verify() }
  }

  @Test func `two statements in one object are not one`() async throws {
    var scenario = try Scenario()
    // The member attStmt a second time, empty, and the count of members to match.
    scenario.registration.changesObject = { object in
      [0xA4] + object.dropFirst() + CBORValue.text("attStmt").encoded + [0xA0]
    }
    await expectFailure(.malformedAttestationObject) { [scenario] in _ = try await scenario.verify() }
  }

  @Test func `no credential has RS1 as its algorithm`() async throws {
    var scenario = try Scenario()
    scenario.registration.changesKey = { $0[3] = -65535 }
    await expectFailure(.algorithmNotAllowed, "-65535") { [scenario] in _ = try await scenario.verify() }
  }

  @Test func `the cause stands in the failure`() async throws {
    var scenario = try Scenario()
    scenario.registration.time = testTime.addingTimeInterval(7200)
    let late = scenario
    let failure = await #expect(throws: WebAuthnFailure.self) { _ = try await late.verify() }
    #expect(failure?.check == .attestationNotTrusted && failure?.chainFault?.cause == .expired)
    #expect(failure?.detail.contains("chainUntrusted (expired)") == true)
  }

  @Test(arguments: ["sig", "x5c", "certInfo", "pubArea"])
  func `damaged members are refused`(name: String) async throws {
    var generator = SeededGenerator(seed: UInt64(name.utf8.count))
    for _ in 0..<60 {
      var scenario = try Scenario()
      let place = Int.random(in: 0..<10_000, using: &generator)
      let bit = UInt8(1) << UInt8.random(in: 0..<8, using: &generator)
      let isCut = Bool.random(using: &generator)
      scenario.changesMembers = { members in
        let member = CBORValue.text(name)
        var bytes = members[member]?.bytesValue ?? members[member]?.arrayValue?.first?.bytesValue ?? []
        bytes[place % bytes.count] ^= bit
        if isCut { bytes.removeLast() }
        members[member] = name == "x5c" ? [.bytes(bytes)] : .bytes(bytes)
      }
      let damaged = scenario
      await #expect(throws: WebAuthnFailure.self) { _ = try await damaged.verify() }
    }
  }
}
