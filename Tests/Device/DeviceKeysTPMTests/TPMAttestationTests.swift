import CTSS2
import Crypto
import DeviceKeys
import Foundation
import JOSE
import KeyAttestation
import SoftwareTPM
import StrictJSON
import SwiftASN1
import Testing
import X509

@testable import DeviceKeysTPM

extension ChipTests {
  @Suite struct TPMAttestationTests {
    static let challenges = [
      Array("a challenge".utf8), [UInt8](repeating: 7, count: 32), [UInt8](repeating: 9, count: 64),
    ]

    /// The server's verifier believes what the chip says of a key whose attestation key has a certificate.
    @Test(arguments: TPMKeyStoreTests.unlocks)
    func theServerBelievesTheChip(how: (KeyProtection, KeyUnlock)) async throws {
      try await Bench.run { bench async throws in
        let authority = try Authority()
        let store = bench.store
        try await store.installAttestationCertificates(
          try authority.chain(for: try await store.attestationIdentity().attestationKey))
        #expect(await store.attestationAvailability() == .available)
        _ = try await store.createKey(tag: "k", protection: how.0, unlock: how.1)
        let opened = try await store.openKey(tag: "k", unlock: how.1)
        let key = try #require(opened as? any AttestableDeviceKey)
        for challenge in Self.challenges {
          let jwk = Self.jwk(key.publicKey, try await key.attestation(challenge: challenge))
          let verified = try await authority.verifier.verify(
            jwk: jwk, challenge: challenge, requiresLockout: how.0 == .applicationPIN)
          #expect(verified.root.subject == "CN=Root of a test")
          await #expect(throws: AttestationFailure.self) {
            try await authority.verifier.verify(jwk: jwk, challenge: [1], requiresLockout: false)
          }
        }
        if how.0 != .applicationPIN {
          // Such a key's authorisation cannot be guessed, so the chip does not count: not good enough for a PIN.
          let jwk = Self.jwk(key.publicKey, try await key.attestation(challenge: [1]))
          await #expect(throws: AttestationFailure.self) {
            try await authority.verifier.verify(jwk: jwk, challenge: [1], requiresLockout: true)
          }
        }
        #expect(try await bench.tpm.handles().isEmpty)
      }
    }

    @Test func withoutCertificateOrWithAnotherDevicesNothingIsAttested() async throws {
      try await Bench.run { bench async throws in
        let store = bench.store
        guard case .unavailable(let reason) = await store.attestationAvailability() else {
          Issue.record("It can attest")
          return
        }
        #expect(reason.contains("sealring attestation request"))
        let other = try Authority().chain(for: P256.Signing.PrivateKey().publicKey)
        await #expect(throws: DeviceKeyError.self) { try await store.installAttestationCertificates(other) }
        #expect(try store.certificates.chain() == nil, "what is not this chip's is not installed")
        try store.certificates.install(other)
        guard case .unavailable(let reason) = await store.attestationAvailability() else {
          Issue.record("It can attest")
          return
        }
        #expect(reason.contains("not for this TPM"))
      }
    }

    @Test func aDamagedCertificateFileIsNamed() async throws {
      try await Bench.run { bench async throws in
        let file = bench.store.certificates.file
        try FileManager.default.createDirectory(
          at: file.deletingLastPathComponent(), withIntermediateDirectories: true,
          attributes: [.posixPermissions: 0o700])
        try Data("no PEM".utf8).write(to: file)
        guard case .unavailable(let reason) = await bench.store.attestationAvailability() else {
          Issue.record("It can attest")
          return
        }
        #expect(reason.contains(file.path))
      }
    }

    @Test func aPasswordOfTheEndorsementHierarchyIsAnErrorThatSaysSo() async throws {
      try await Bench.run { bench async throws in
        try await bench.tpm.setPassword(of: ESYS_TR_RH_ENDORSEMENT)
        let error = await #expect(throws: DeviceKeyError.self) { try await bench.store.attestationIdentity() }
        #expect(error?.localizedDescription.contains("endorsement hierarchy") == true)
      }
    }

    /// The chip's maker certified the key that the chip names, checked without our code.
    @Test func theMakersCertificateIsForTheEndorsementKey() async throws {
      try await Bench.run { bench async throws in
        #expect(try await bench.store.endorsementCertificate() == nil)
        #expect(try await bench.store.attestationIdentity().endorsementCertificate == nil)
      }
      try await Bench.run(certificates: true) { bench async throws in
        let identity = try await bench.store.attestationIdentity()
        let certificate = try Certificate(derEncoded: try #require(identity.endorsementCertificate))
        let key = try certificate.publicKey.serializeAsPEM().derBytes
        // The modulus stands at the end of TPMT_PUBLIC, and inside of SubjectPublicKeyInfo.
        let modulus = Array(identity.endorsementKey.suffix(256))
        #expect(key.indices.contains { key[$0...].starts(with: modulus) })
        #expect(bench.tpm.endorsementAuthorities.count == 2)
      }
    }

    @Test func aCredentialForAnotherChipIsNotActivated() async throws {
      try await Bench.run { bench async throws in
        for (blob, secret) in [(64, 256), (3, 3), (5000, 1), (1, 5000)] {
          await #expect(throws: DeviceKeyError.self) {
            try await bench.store.activateCredential(
              credentialBlob: [UInt8](repeating: 1, count: blob),
              encryptedSecret: [UInt8](repeating: 2, count: secret))
          }
        }
        #expect(try await bench.tpm.handles().isEmpty)
      }
    }

    private static func jwk(_ key: JWK, _ evidence: KeyAttestationEvidence) -> JSONObject {
      var json = key.json
      json["x5c"] = .array(evidence.certificateChain.map { .string(Data($0).base64EncodedString()) })
      for (name, value) in evidence.members { json[name] = value }
      return json
    }
  }
}

/// Certifies attestation keys with a root of its own.
private struct Authority {
  private let key = P256.Signing.PrivateKey()
  private let root: Certificate
  let verifier: AttestationVerifier

  init() throws {
    let name = try DistinguishedName { CommonName("Root of a test") }
    root = try Certificate(
      version: .v3, serialNumber: .init(), publicKey: .init(key.publicKey), notValidBefore: Date() - 60,
      notValidAfter: Date() + 3600, issuer: name, subject: name, signatureAlgorithm: .ecdsaWithSHA256,
      extensions: try .init {
        Critical(BasicConstraints.isCertificateAuthority(maxPathLength: nil))
        Critical(KeyUsage(keyCertSign: true))
      }, issuerPrivateKey: .init(key))
    verifier = AttestationVerifier(
      .init(tpmRoots: try TrustAnchors([root.serializeAsPEM().derBytes])), clock: { Date() })
  }

  /// For the key in TPMT_PUBLIC, whose last 68 bytes are x and y, each with its length.
  func chain(for attestationKey: [UInt8]) throws -> [[UInt8]] {
    let point = attestationKey.suffix(68)
    let x963 = [4] + point.dropFirst(2).prefix(32) + point.suffix(32)
    return try chain(for: try P256.Signing.PublicKey(x963Representation: x963))
  }

  func chain(for publicKey: P256.Signing.PublicKey) throws -> [[UInt8]] {
    let leaf = try Certificate(
      version: .v3, serialNumber: .init(), publicKey: .init(publicKey), notValidBefore: Date() - 60,
      notValidAfter: Date() + 3600, issuer: root.subject,
      subject: try DistinguishedName { CommonName("Attestation key") }, signatureAlgorithm: .ecdsaWithSHA256,
      extensions: try .init {
        Critical(BasicConstraints.notCertificateAuthority)
        Critical(KeyUsage(digitalSignature: true))
        try ExtendedKeyUsage([.init(oid: [2, 23, 133, 8, 3])])
      }, issuerPrivateKey: .init(key))
    return try [leaf, root].map { try $0.serializeAsPEM().derBytes }
  }
}
