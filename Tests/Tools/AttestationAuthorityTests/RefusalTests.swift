import CommonFixtures
import Crypto
import Foundation
import KeyAttestation
import StrictJSON
import Testing
import X509

@testable import AttestationAuthority

@Suite("What the authority refuses") struct RefusalTests {
  /// One thing wrong, and the check that finds it.
  struct Wrong: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let check: AttestationEnrolmentFailure.Check
    let change: @Sendable (inout Scenario) throws -> Void

    init(
      _ description: String, _ check: AttestationEnrolmentFailure.Check,
      _ change: @escaping @Sendable (inout Scenario) throws -> Void
    ) {
      testDescription = description
      self.check = check
      self.change = change
    }
  }

  static let wrong: [Wrong] = [
    Wrong("no endorsement certificate", .endorsementCertificateMissing) {
      $0.changesRequest = { $0.endorsementCertificate = nil }
    },
    Wrong("another maker's root", .endorsementCertificateRefused) {
      $0.trusted = try TrustAnchors([Scenario().root()])
    },
    Wrong("no root at all", .endorsementCertificateRefused) { $0.trusted = TrustAnchors() },
    Wrong("an expired endorsement certificate", .endorsementCertificateRefused) {
      $0.notAfter = testTime - 1
    },
    Wrong("a revoked endorsement certificate", .endorsementCertificateRefused) {
      $0.revoked = RevokedSerialNumbers(["77"])
    },
    Wrong(
      "a certificate for attestation keys in place of one for endorsement keys",
      .endorsementCertificateRefused
    ) {
      $0.endorsementUsage = [2, 23, 133, 8, 3]
    },
    Wrong("a certificate for signatures", .endorsementCertificateRefused) {
      $0.keyUsage = KeyUsage(digitalSignature: true)
    },
    Wrong("an authority's certificate", .endorsementCertificateRefused) { $0.isAuthority = true },
    Wrong("a certificate that is none", .endorsementCertificateRefused) {
      $0.changesRequest = { $0.endorsementCertificate = [0x30, 0] }
    },
    Wrong("another key's certificate", .endorsementKeyMismatch) {
      $0.certifiedKey = P256.Signing.PrivateKey().publicKey
    },
    Wrong("an endorsement key that signs", .endorsementKeyRefused) {
      $0.endorsementAttributes |= 0x0004_0000
    },
    Wrong("an endorsement key that decrypts for everybody", .endorsementKeyRefused) {
      $0.endorsementAttributes &= ~0x0001_0000
    },
    Wrong("an endorsement key that was imported", .endorsementKeyRefused) {
      $0.endorsementAttributes &= ~0x20
    },
    Wrong("an endorsement key that ends early", .endorsementKeyRefused) {
      $0.changesRequest = { $0.endorsementKey.removeLast() }
    },
    Wrong("an endorsement key with bytes after its end", .endorsementKeyRefused) {
      $0.changesRequest = { $0.endorsementKey.append(0) }
    },
    Wrong("an endorsement key that is not a point of its curve", .endorsementKeyRefused) {
      $0.changesRequest = { $0.endorsementKey[$0.endorsementKey.count - 1] ^= 1 }
    },
    Wrong("an attestation key without restricted", .attestationKeyRefused) {
      $0.attestationAttributes &= ~0x0001_0000
    },
    Wrong("an attestation key that does not sign", .attestationKeyRefused) {
      $0.attestationAttributes &= ~0x0004_0000
    },
    Wrong("an attestation key that decrypts", .attestationKeyRefused) {
      $0.attestationAttributes |= 0x0002_0000
    },
    Wrong("an attestation key that may leave its TPM", .attestationKeyRefused) {
      $0.attestationAttributes &= ~0x2
    },
    Wrong("an attestation key that may change its parent", .attestationKeyRefused) {
      $0.attestationAttributes &= ~0x10
    },
    Wrong("an attestation key that was imported", .attestationKeyRefused) {
      $0.attestationAttributes &= ~0x20
    },
    Wrong("an attestation key that is not a structure", .attestationKeyRefused) {
      $0.changesRequest = { $0.attestationKey = [1, 2, 3] }
    },
  ]

  @Test(arguments: wrong)
  func `a request with one thing wrong is refused by the check for it`(wrong: Wrong) async throws {
    let authority = try TemporaryFolder.make().authority()
    var scenario = Scenario()
    try wrong.change(&scenario)
    let failure = await #expect(throws: AttestationEnrolmentFailure.self) {
      _ = try await scenario.issue(authority)
    }
    #expect(failure?.check == wrong.check, "\(String(describing: failure))")
  }

  @Test func `as it is made, the same request is answered`() async throws {
    let authority = try TemporaryFolder.make().authority()
    let issued = try await Scenario().issue(authority)
    #expect(issued.notAfter == testTime + AttestationAuthority.standardLifetime)
    #expect(issued.endorsementRoot?.subject == "CN=TPM Maker")
    #expect(issued.serialNumber.count == 32 && issued.attestationKeyName.hasPrefix("000b"))
    let other = try await Scenario().issue(authority)
    #expect(other.serialNumber != issued.serialNumber)
  }

  @Test func `a certificate does not outlive the root, and an expired root certifies nothing`() async throws {
    let folder = try TemporaryFolder.make()
    _ = try folder.authority(at: testTime - 20 * 365 * 86400 + 86400)
    let place = folder.url.appending(path: "authority")
    let old = try AttestationAuthority.open(directory: place, clock: { testTime })
    #expect(try await Scenario().issue(old).notAfter == testTime + 86400)
    let expired = try AttestationAuthority.open(directory: place, clock: { testTime + 86400 })
    let scenario = Scenario(notAfter: testTime + 3 * 86400)
    await #expect(throws: AttestationAuthorityError.self) { _ = try await scenario.issue(expired) }
  }
}
