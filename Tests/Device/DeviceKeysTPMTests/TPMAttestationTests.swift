import Crypto
import DeviceKeys
import Foundation
import JOSE
import Testing

@testable import DeviceKeysTPM

@Suite struct TPMAttestationTests {
  @Test(arguments: TPMKeyStoreTests.unlocks)
  func theAttestationKeyVouchesForTheKeyAndTheNonce(how: (KeyProtection, KeyUnlock)) async throws {
    let tpm = try SoftwareTPM()
    let store = try tpm.store()
    let key = try await store.createKey(tag: "k", protection: how.0, unlock: how.1)
    let nonce = Array(SHA256.hash(data: Array("challenge".utf8)))
    let evidence = try await store.certify(tag: "k", unlock: how.1, nonce: nonce)

    let signer = try P256.Signing.PublicKey(x963Representation: evidence.attestationKeyX963)
    let signature = try P256.Signing.ECDSASignature(rawRepresentation: evidence.signature)
    #expect(signer.isValidSignature(signature, for: evidence.attest))
    #expect(evidence.attest.prefix(6) == [0xff, 0x54, 0x43, 0x47, 0x80, 0x17])
    #expect(evidence.attest.contains(sequence: nonce))
    let name = [0, 0x0b] + Array(SHA256.hash(data: evidence.certifiedKey))
    #expect(evidence.attest.contains(sequence: name))
    let point = try #require(
      try PublicArea(sized: [0, UInt8(evidence.certifiedKey.count)] + evidence.certifiedKey).p256X963)
    #expect(try key.publicKey == JWK(p256X963: point, keyID: nil))
    #expect(try await tpm.handles().isEmpty)
  }

  @Test func certifyingNeedsThePINAndABoundedNonce() async throws {
    let tpm = try SoftwareTPM()
    let store = try tpm.store()
    _ = try await store.createKey(tag: "k", protection: .applicationPIN, unlock: .pin(PIN("4711")))
    await #expect(throws: DeviceKeyError.wrongPIN(tag: "k")) {
      try await store.certify(tag: "k", unlock: .pin(PIN("4712")), nonce: [1])
    }
    for count in [0, 33] {
      await #expect(throws: DeviceKeyError.self) {
        try await store.certify(
          tag: "k", unlock: .pin(PIN("4711")), nonce: [UInt8](repeating: 1, count: count))
      }
    }
  }

  @Test func theMakersCertificateIsReadFromTheChip() async throws {
    let bare = try SoftwareTPM()
    #expect(try await bare.store().endorsementCertificate() == nil)
    let tpm = try SoftwareTPM(certificates: true)
    let certificate = try #require(try await tpm.store().endorsementCertificate())
    #expect(certificate.starts(with: [0x30, 0x82]))
    #expect(certificate.count == 4 + (Int(certificate[2]) << 8 | Int(certificate[3])))
  }
}

extension Array where Element: Equatable {
  fileprivate func contains(sequence: [Element]) -> Bool {
    indices.contains { self[$0...].starts(with: sequence) }
  }
}
