import Crypto
import Foundation
import JOSE
import KeyAttestation
import StrictJSON
import SwiftASN1
import Testing
import X509

@Suite("Android key attestation")
struct AndroidAttestationTests {
  @Test
  func `a key generated in the trusted environment for this challenge is accepted, and the record says how`()
    async throws
  {
    let attestation = try await AndroidScenario().verify()
    #expect(attestation.kind == "android")
    #expect(attestation.securityLevel == "trustedEnvironment")
    #expect(attestation.root.subject == "CN=Android Root")
    #expect(attestation.root.fingerprint.count == 64)
    #expect(attestation.json["root"]?["sha256"]?.stringValue == attestation.root.fingerprint)
    #expect(
      attestation.json["android"] == [
        "attestationVersion": 200, "verifiedBoot": true, "userAuthentication": false,
      ])
  }

  /// `[503] NULL`, and `[504] INTEGER 2`: a fingerprint or the like.
  private static let (nobody, biometric): ([UInt8], [UInt8]) = (
    [0xBF, 0x83, 0x77, 0x02, 0x05, 0x00], [0xBF, 0x83, 0x78, 0x03, 0x02, 0x01, 0x02]
  )

  /// `[709]` of one package with one signer.
  private static func application(_ package: String, signer: UInt8) -> [UInt8] {
    func wrapped(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] { [tag, UInt8(content.count)] + content }
    let name = wrapped(0x30, wrapped(0x04, Array(package.utf8)) + [0x02, 0x01, 0x01])
    let value = wrapped(
      0x30, wrapped(0x31, name) + wrapped(0x31, wrapped(0x04, Array(repeating: signer, count: 32))))
    let octets = wrapped(0x04, value)
    return [0xBF, 0x85, 0x45, UInt8(octets.count)] + octets
  }

  @Test(
    arguments: [
      ([], false), (nobody, false), (biometric, true), (nobody + biometric, false),
      ([0xBF, 0x83, 0x78, 0x03, 0x02, 0x01, 0x00], false),
    ] as [([UInt8], Bool)])
  func `a key for which somebody has to be recognised says so`(extra: [UInt8], isRecognised: Bool)
    async throws
  {
    var scenario = AndroidScenario()
    scenario.description.hardware.extra = extra
    #expect(try await scenario.verify().json["android"]?["userAuthentication"]?.boolValue == isRecognised)
    scenario.requiresPerson = true
    let demanding = scenario
    guard !isRecognised else {
      _ = try await demanding.verify()
      return
    }
    let failure = await #expect(throws: AttestationFailure.self) { try await demanding.verify() }
    #expect(failure?.check == .personNotRequired)
    // What Android alone promises of a hardware key counts for nothing.
    scenario.description.software.extra = Self.biometric
    let promised = scenario
    await #expect(throws: AttestationFailure.self) { try await promised.verify() }
  }

  @Test(
    arguments: [
      (application("com.example.app", signer: 1), true), (application("com.example.app", signer: 2), false),
      (application("com.evil.app", signer: 1), false), ([], false),
    ] as [([UInt8], Bool)])
  func `only keys of the listed apps are accepted`(extra: [UInt8], isAccepted: Bool) async throws {
    var scenario = AndroidScenario()
    scenario.description.software.extra = extra
    // Without a list any app's are, and the record says whose.
    let attestation = try await scenario.verify()
    #expect((attestation.json["android"]?["packages"] == nil) == extra.isEmpty)
    scenario.policy.applications = ["com.example.app": [Array(repeating: 1, count: 32)]]
    let listed = scenario
    guard !isAccepted else {
      #expect(try await listed.verify().json["android"]?["packages"] == ["com.example.app"])
      return
    }
    let failure = await #expect(throws: AttestationFailure.self) { try await listed.verify() }
    #expect(failure?.check == .applicationRefused)
  }

  @Test(
    arguments: [
      Unusual("StrongBox") { scenario in
        scenario.description.attestationLevel = 2
        scenario.description.keyLevel = 2
        scenario.policy.minimumSecurityLevel = .strongBox
      },
      Unusual("a chain without its root") { $0.changesChain = { Array($0.dropLast()) } },
      Unusual("purposes that are not sorted") { $0.description.hardware.purposes = [3, 2] },
      Unusual("an authorization that is not known") { scenario in
        // [1999] EXPLICIT NULL
        scenario.description.hardware.extra = [0xBF, 0x8F, 0x4F, 0x02, 0x05, 0x00]
      },
      Unusual("software, when the operator accepts that") { scenario in
        scenario.policy.minimumSecurityLevel = .software
        scenario.policy.requiresVerifiedBoot = false
        scenario.description.attestationLevel = 0
        scenario.description.keyLevel = 0
        swap(&scenario.description.software, &scenario.description.hardware)
      },
      Unusual("an unlocked device, when the operator accepts that") { scenario in
        scenario.policy.requiresVerifiedBoot = false
        scenario.description.hardware.boot?.isLocked = false
      },
      Unusual("another certificate is revoked") { $0.revoked = RevokedSerialNumbers(["1235", "not hex"]) },
    ])
  func `what is unusual and harmless is accepted`(_ unusual: Unusual) async throws {
    var scenario = AndroidScenario()
    unusual.change(&scenario)
    _ = try await scenario.verify()
  }

  struct Unusual: Sendable, CustomStringConvertible {
    let description: String
    let change: @Sendable (inout AndroidScenario) -> Void

    init(_ description: String, _ change: @escaping @Sendable (inout AndroidScenario) -> Void) {
      self.description = description
      self.change = change
    }
  }

  @Test(arguments: certificates + descriptions)
  func `each thing that is wrong is found by its own check`(_ wrong: Wrong<AndroidScenario>) async throws {
    var scenario = AndroidScenario()
    try wrong.change(&scenario)
    let changed = scenario
    let failure = try #require(
      await #expect(throws: AttestationFailure.self) { try await changed.verify() })
    #expect(failure.check == wrong.check, "\(failure)")
    #expect(!failure.detail.isEmpty)
  }

  static let certificates: [Wrong<AndroidScenario>] = [
    Wrong("no chain", .evidenceMissing) { $0.changesChain = { _ in [] } },
    Wrong("no roots", .noRootsConfigured) { $0.trusted = TrustAnchors() },
    Wrong("another root of the same name", .chainUntrusted) {
      $0.trusted = try TrustAnchors([try Authority.root("Android Root").der])
    },
    Wrong("another root", .chainUntrusted) {
      $0.trusted = try TrustAnchors([try Authority.root("Other").der])
    },
    Wrong("an expired leaf", .chainUntrusted) { $0.leaf.notAfter = testTime.addingTimeInterval(-1) },
    Wrong("an expired intermediate", .chainUntrusted) {
      $0.intermediate.notAfter = testTime.addingTimeInterval(-1)
    },
    Wrong("an expired root", .chainUntrusted) { $0.root.notAfter = testTime.addingTimeInterval(-1) },
    Wrong("a leaf of tomorrow", .chainUntrusted) { $0.leaf.notBefore = testTime.addingTimeInterval(60) },
    Wrong("long ago", .chainUntrusted) { $0.time = testTime.addingTimeInterval(-86400) },
    Wrong("an issuer that is not an authority", .chainUntrusted) { $0.intermediate.isAuthority = false },
    Wrong("an issuer of version 1", .chainUntrusted) { $0.intermediate.version = .v1 },
    Wrong("an issuer whose key may not sign certificates", .chainUntrusted) {
      $0.intermediate.keyUsage = KeyUsage(digitalSignature: true)
    },
    Wrong("an unknown critical extension", .chainUntrusted) {
      $0.leaf.extensions.append(Certificate.Extension(oid: [1, 2, 3, 4], critical: true, value: [5, 0]))
    },
    Wrong("a missing intermediate", .chainMalformed) { $0.changesChain = { [$0[0], $0[2]] } },
    Wrong("an intermediate left out with the root", .chainUntrusted) { $0.changesChain = { [$0[0]] } },
    Wrong("the wrong order", .chainMalformed) { $0.changesChain = { [$0[0], $0[2], $0[1]] } },
    Wrong("one certificate twice", .chainMalformed) { $0.changesChain = { $0 + [$0[2]] } },
    Wrong("only the root", .chainUntrusted) { $0.changesChain = { [$0[2]] } },
    Wrong("an altered signature", .chainUntrusted) {
      $0.changesChain = { chain in
        var chain = chain
        chain[0][chain[0].count - 1] ^= 1
        return chain
      }
    },
    Wrong("a truncated certificate", .certificateMalformed) {
      $0.changesChain = { [Array($0[0].dropLast())] + $0[1...] }
    },
    Wrong("bytes after a certificate", .certificateMalformed) {
      $0.changesChain = { [$0[0] + [0]] + $0[1...] }
    },
    Wrong("a certificate above 16 KiB", .keyRefused) {
      $0.changesChain = { [$0[0] + Array(repeating: 0, count: 16 << 10)] + $0[1...] }
    },
    Wrong("eleven certificates", .keyRefused) {
      $0.changesChain = { $0 + Array(repeating: $0[2], count: 8) }
    },
    Wrong("a revoked leaf", .certificateRevoked) {
      $0.leaf.serialNumber = 0xABCDEF
      $0.revoked = RevokedSerialNumbers(["00:AB:cd:ef"])
    },
    Wrong("a revoked intermediate", .certificateRevoked) {
      $0.intermediate.serialNumber = 0x99
      $0.revoked = RevokedSerialNumbers(["99"])
    },
    Wrong("another key in the leaf", .keyMismatch) {
      $0.certifiedKey = P256.Signing.PrivateKey().publicKey
    },
  ]

  static let descriptions: [Wrong<AndroidScenario>] = [
    Wrong("no description", .keyDescriptionMissing) { $0.hasExtension = false },
    Wrong("a description in the intermediate too", .keyDescriptionMisplaced) {
      $0.intermediate.extensions = [
        Certificate.Extension(
          oid: keyDescriptionIdentifier, critical: false, value: try KeyDescriptionFixture().der[...])
      ]
    },
    Wrong("a description in the intermediate only", .keyDescriptionMisplaced) {
      $0.hasExtension = false
      $0.intermediate.extensions = [
        Certificate.Extension(
          oid: keyDescriptionIdentifier, critical: false, value: try KeyDescriptionFixture().der[...])
      ]
    },
    Wrong("a truncated description", .keyDescriptionMalformed) { $0.changesExtension = { $0.dropLast() } },
    Wrong("bytes after the description", .keyDescriptionMalformed) { $0.changesExtension = { $0 + [0] } },
    Wrong("an empty description", .keyDescriptionMalformed) { $0.changesExtension = { _ in [0x30, 0] } },
    Wrong("an unknown security level", .keyDescriptionMalformed) { $0.description.keyLevel = 3 },
    Wrong("a challenge above 128 bytes", .keyDescriptionMalformed) {
      $0.description.challenge = Array(repeating: 7, count: 129)
    },
    Wrong("one authorization twice", .keyDescriptionMalformed) {
      // [702] EXPLICIT INTEGER 0 before the true one
      $0.description.hardware.origin = 2
      $0.description.hardware.extra = [0xBF, 0x85, 0x3E, 0x03, 0x02, 0x01, 0x00]
    },
    Wrong("another challenge", .challengeMismatch) { $0.challenge[31] ^= 1 },
    Wrong("a longer challenge", .challengeMismatch) { $0.challenge.append(7) },
    Wrong("no challenge", .challengeMismatch) { $0.description.challenge = [] },
    Wrong("a software key", .securityLevelTooLow) { $0.description.keyLevel = 0 },
    Wrong("a software attestation", .securityLevelTooLow) { $0.description.attestationLevel = 0 },
    Wrong("no StrongBox", .securityLevelTooLow) { $0.policy.minimumSecurityLevel = .strongBox },
    Wrong("an imported key", .originNotGenerated) { $0.description.hardware.origin = 2 },
    Wrong("an origin only in Android's own word", .originNotGenerated) {
      $0.description.software.origin = 0
      $0.description.hardware.origin = nil
    },
    Wrong("every app, says Android", .allApplications) {
      $0.description.software.isForAllApplications = true
    },
    Wrong("every app, says the hardware", .allApplications) {
      $0.description.hardware.isForAllApplications = true
    },
    Wrong("another algorithm", .purposeRefused) { $0.description.hardware.algorithm = 1 },
    Wrong("a decryption key", .purposeRefused) { $0.description.hardware.purposes = [1] },
    Wrong("a key for signing and decrypting", .purposeRefused) { $0.description.hardware.purposes = [1, 2] },
    Wrong("no purpose", .purposeRefused) { $0.description.hardware.purposes = nil },
    Wrong("no word of the boot", .bootNotVerified) { $0.description.hardware.boot = nil },
    Wrong("an unlocked device", .bootNotVerified) { $0.description.hardware.boot?.isLocked = false },
    Wrong("the owner's own system", .bootNotVerified) { $0.description.hardware.boot?.state = 1 },
  ]
}
