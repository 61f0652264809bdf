import Crypto
import DeviceKeys
import Foundation
import SoftwareTPM
import SwiftASN1
import Testing
import X509

@testable import DeviceKeysTPM

/// The device's side of having its attestation key certified. The authority's challenges come from tpm2-tools.
extension OnAChip {
  @Suite(.certifiedTPM) struct Enrolment {
    @Test func `the maker's certificate is of the endorsement key and from the maker's root`() async throws {
      let tpm = try TestChip.required()
      let identity = try await tpm.store().attestationIdentity()
      let certificate = try #require(identity.endorsementCertificate)
      let path = try tpm.file("ek.der", certificate)
      let authorities = tpm.tpm.endorsementAuthorities.map(\.path)
      try #require(authorities.count == 2)
      let result = try await tpm.tool(
        "openssl", "verify", "-ignore_critical", "-CAfile", authorities[1], "-untrusted", authorities[0],
        path)
      #expect(result.contains("OK"))
      // The key that tpm2-tools make from the same template is the certified one.
      let file = tpm.folder.appendingPathComponent("ek.pem").path
      try await tpm.tool("tpm2_createek", "-G", "rsa", "-c", "-", "-f", "pem", "-u", file)
      let certified = try await tpm.tool(
        "openssl", "x509", "-inform", "DER", "-in", path, "-noout", "-pubkey")
      #expect(try String(contentsOfFile: file, encoding: .utf8) == certified)
    }

    @Test func `the chip decrypts a challenge for its keys`() async throws { try await expectActivation() }

    @Test func `a challenge for others is refused`() async throws {
      let tpm = try TestChip.required()
      let store = try tpm.store()
      let challenge = try await makeCredential(name: [0, 0x0b] + [UInt8](repeating: 7, count: 32))
      let text = await unsupported {
        _ = try await store.activateCredential(
          credentialBlob: challenge.blob, encryptedSecret: challenge.secret)
      }
      #expect(text.contains("not for this TPM"))
      let malformed: [([UInt8], [UInt8])] = [
        ([], []), ([0, 1, 2, 3], [0, 0]), ([UInt8](repeating: 0, count: 2000), [0, 0]),
      ]
      for (blob, secret) in malformed {
        _ = await unsupported {
          _ = try await store.activateCredential(credentialBlob: blob, encryptedSecret: secret)
        }
      }
      #expect(try await tpm.handles().isEmpty)
    }
  }

  /// A chip without certificates, as some virtual ones are.
  @Suite(.softwareTPM) struct EnrolmentWithoutCertificate {
    @Test func `the P-256 endorsement key stands in`() async throws {
      let tpm = try TestChip.required()
      let identity = try await tpm.store().attestationIdentity()
      #expect(identity.endorsementCertificate == nil)
      let file = tpm.folder.appendingPathComponent("ek.pub").path
      try await tpm.tool("tpm2_createek", "-G", "ecc", "-c", "-", "-u", file)
      #expect(Array(try Data(contentsOf: URL(fileURLWithPath: file))) == sized(identity.endorsementKey))
      try await expectActivation()
    }

    @Test func `an endorsement password is an error that says so`() async throws {
      let tpm = try TestChip.required()
      let store = try tpm.store()
      try await tpm.tool("tpm2_changeauth", "-c", "endorsement", "secret")
      let text = await unsupported { _ = try await store.attestationIdentity() }
      #expect(text.contains("endorsement hierarchy"))
      // Keys themselves are not concerned.
      _ = try await store.createKey(tag: "k", protection: .none, unlock: .nothing)
    }
  }
}

private func expectActivation() async throws {
  let tpm = try TestChip.required()
  let store = try tpm.store()
  let identity = try await store.attestationIdentity()
  let challenge = try await makeCredential(
    name: [0, 0x0b] + Array(SHA256.hash(data: identity.attestationKey)))
  for without in [0, 2] {
    let secret = try await store.activateCredential(
      credentialBlob: Array(challenge.blob.dropFirst(without)),
      encryptedSecret: Array(challenge.secret.dropFirst(without)))
    #expect(secret == Array("the authority's secret".utf8))
  }
  #expect(try await tpm.handles().isEmpty)
}

/// What an authority makes, with tpm2-tools and no TPM: TPM2B_ID_OBJECT and TPM2B_ENCRYPTED_SECRET.
private func makeCredential(name: [UInt8]) async throws -> (blob: [UInt8], secret: [UInt8]) {
  let tpm = try TestChip.required()
  let identity = try await tpm.store().attestationIdentity()
  let output = tpm.folder.appendingPathComponent("credential")
  try await tpm.tool(
    "tpm2_makecredential", "-Q", "-T", "none", "-u", try tpm.file("ek", sized(identity.endorsementKey)),
    "-s", try tpm.file("secret", "the authority's secret".utf8), "-n",
    name.map { String(format: "%02x", $0) }.joined(), "-o", output.path)
  let bytes = Array(try Data(contentsOf: output))
  // A header of tpm2-tools': BADCC0DE and a version.
  try #require(bytes.starts(with: [0xba, 0xdc, 0xc0, 0xde, 0, 0, 0, 1]))
  let end = 8 + 2 + (Int(bytes[8]) << 8 | Int(bytes[9]))
  return (Array(bytes[8..<end]), Array(bytes[end...]))
}
