import Crypto
import DeviceKeys
import Foundation
import KeyAttestation
import ProofFixtures
import StrictJSON
import Testing

@testable import DeviceKeysTPM

extension OnAChip {
  /// What the chip says about a key, to our verifier and to others.
  @Suite(.softwareTPM) struct Attestation {
    let tpm: TestChip
    let store: TPMKeyStore
    let authority: TestAuthority

    init() throws {
      tpm = try TestChip.required()
      store = try tpm.store()
      authority = try TestAuthority()
    }

    /// Has the authority certify the chip's attestation key.
    func enrol() async throws {
      let identity = try await store.attestationIdentity()
      let area = try PublicArea(sized: sized(identity.attestationKey))
      let leaf = try authority.certify(try #require(area.p256X963))
      try await store.installAttestationCertificates([leaf, authority.der])
    }

    func evidence(
      of how: (KeyProtection, KeyUnlock), challenge: [UInt8]
    ) async throws -> (any DeviceKey, KeyAttestationEvidence) {
      let key = try await store.createKey(tag: "k", protection: how.0, unlock: how.1)
      let attestable = try #require(key as? any AttestableDeviceKey)
      return (key, try await attestable.attestation(challenge: challenge))
    }

    func verify(
      _ key: any DeviceKey, _ evidence: KeyAttestationEvidence, challenge: [UInt8], requiresLockout: Bool
    ) async throws -> VerifiedAttestation {
      var jwk = KeyHolder(signer: key, publicKey: key.publicKey).jwk
      jwk["x5c"] = .array(evidence.certificateChain.map { .string(Data($0).base64EncodedString()) })
      jwk.merge(evidence.members)
      let roots = try TrustAnchors([authority.der])
      return try await AttestationVerifier(.init(tpmRoots: roots), clock: { Date() })
        .verify(jwk: jwk, challenge: challenge, requiresLockout: requiresLockout)
    }

    @Test(arguments: allUnlocks, [[UInt8](1...20), [UInt8](1...32), [UInt8](1...64)])
    func `the server believes it`(how: (KeyProtection, KeyUnlock), challenge: [UInt8]) async throws {
      try await enrol()
      #expect(await store.attestationAvailability() == .available)
      let (key, evidence) = try await evidence(of: how, challenge: challenge)
      let verified = try await verify(
        key, evidence, challenge: challenge, requiresLockout: how.0 == .applicationPIN)
      #expect(verified.json["securityLevel"] == .string("tpm"))
      await #expect(throws: AttestationFailure.self) {
        try await verify(key, evidence, challenge: [9] + challenge, requiresLockout: false)
      }
      if how.0 != .applicationPIN {
        await #expect(throws: AttestationFailure.self) {
          try await verify(key, evidence, challenge: challenge, requiresLockout: true)
        }
      }
      #expect(try await tpm.handles().isEmpty)
    }

    @Test func `programs that are not ours believe it too`() async throws {
      try await enrol()
      let challenge = Array("a challenge of more than 32 bytes, so it is hashed".utf8)
      let (key, evidence) = try await evidence(of: allUnlocks[1], challenge: challenge)
      let statement = try TPMStatement(json: try #require(evidence.members["tpm"]))
      // openssl: the signature is the certified attestation key's. TPMT_SIGNATURE is 0018 000b, then r and s with their sizes.
      let signature = statement.signature
      try #require(signature.starts(with: [0, 0x18, 0, 0x0b]))
      let rSize = Int(signature[5])
      let r = Array(signature[6..<6 + rSize])
      let s = Array(signature[(8 + rSize)...])
      func padded(_ number: [UInt8]) -> [UInt8] { Array(repeating: 0, count: 32 - number.count) + number }
      let der = try P256.Signing.ECDSASignature(rawRepresentation: padded(r) + padded(s)).derRepresentation
      let certificate = try tpm.file("ak.der", evidence.certificateChain[0])
      let publicKey = try await tpm.tool(
        "openssl", "x509", "-inform", "DER", "-in", certificate, "-noout", "-pubkey")
      let info = try tpm.file("info", statement.certifyInfo)
      let verified = try await tpm.tool(
        "openssl", "dgst", "-sha256", "-verify", try tpm.file("ak.pem", publicKey.utf8), "-signature",
        try tpm.file("sig", der), info)
      #expect(verified.contains("Verified OK"))
      // What it says, by nobody's parser: the nonce, and the Name of the key.
      #expect(statement.certifyInfo.starts(with: [0xff, 0x54, 0x43, 0x47, 0x80, 0x17]))
      for part in [
        Array(SHA256.hash(data: challenge)), [0, 0x0b] + SHA256.hash(data: statement.publicArea),
      ] {
        #expect(
          statement.certifyInfo.indices.contains { statement.certifyInfo[$0...].starts(with: part) })
      }
      // tpm2-tools: what that key is.
      let area = try await tpm.tool(
        "tpm2_print", "-t", "TPM2B_PUBLIC", try tpm.file("pub", sized(statement.publicArea)))
      #expect(area.contains("fixedtpm|fixedparent|sensitivedataorigin|userwithauth|sign"))
      #expect(!area.contains("noda"))
      let point = try #require(try PublicArea(sized: sized(statement.publicArea)).p256X963)
      #expect(
        try P256.Signing.PublicKey(x963Representation: point).jwk()
          == KeyHolder(signer: key, publicKey: key.publicKey).jwk)
    }

    @Test func `without certificates it says what to do`() async throws {
      let key = try await store.createPINKey()
      let attestable = try #require(key as? any AttestableDeviceKey)
      for text in [
        try #require(await store.attestationAvailability().reason),
        await unsupported { _ = try await attestable.attestation(challenge: [1]) },
      ] { #expect(text.contains("sealring attestation request")) }
    }

    @Test func `certificates of another key are refused`() async throws {
      let other = P256.Signing.PrivateKey().publicKey
      let leaf = try authority.certify(Array(other.x963Representation))
      let chain = [leaf, try authority.der]
      let text = await unsupported { try await store.installAttestationCertificates(chain) }
      #expect(text.contains("not one of this TPM's attestation key"))
      // Nor does a file of another device pass.
      try await enrol()
      let file = store.attestationCertificates
      try file.write(try AttestationCertificates.Chain(chain))
      #expect(await store.attestationAvailability().reason?.contains("exchanged or cleared") == true)
      try await enrol()
      let attributes = try FileManager.default.attributesOfItem(atPath: file.file.path)
      #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
      for wrong in [[], [[1, 2, 3]], [try authority.der, leaf]] {
        let text = await unsupported { try await store.installAttestationCertificates(wrong) }
        #expect(text.contains("not an attestation key's"))
      }
      #expect(await store.attestationAvailability() == .available)
    }

    @Test func `a damaged certificate file is named`() async throws {
      try await enrol()
      let file = store.attestationCertificates.file
      try Data("-----BEGIN CERTIFICATE-----\nAAAA\n".utf8).write(to: file)
      #expect(await store.attestationAvailability().reason?.contains(file.path) == true)
    }
  }
}

extension KeyStoreAvailability {
  var reason: String? { problem }
}

/// The text with which `body` fails as unsupported.
func unsupported(_ body: () async throws -> Void) async -> String {
  do {
    try await body()
    Issue.record("It did not fail")
    return ""
  } catch DeviceKeyError.unsupported(let text) {
    return text
  } catch {
    Issue.record("It failed otherwise: \(error)")
    return ""
  }
}

/// `bytes` after their size.
func sized(_ bytes: [UInt8]) -> [UInt8] { [UInt8(bytes.count >> 8), UInt8(bytes.count & 0xff)] + bytes }
