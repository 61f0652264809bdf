import CommonFixtures
import Crypto
import Foundation
import KeyAttestation
import ProofFixtures
import StrictJSON
import SwiftASN1
import Testing
import X509

@testable import AttestationAuthority

/// Against TPMs that know nothing of us.
@Suite("Enrolment of a real TPM's attestation key", .serialized) struct EnrolmentTests {
  @Test(arguments: zip(ToolTPM.EndorsementKey.allCases, ["rsa", "ecc", "ecc"]))
  func `the TPM that holds both keys gets a certificate with which its attestations are accepted`(
    kind: ToolTPM.EndorsementKey, algorithm: String
  ) async throws {
    let folder = try TemporaryFolder.make()
    let authority = try AttestationAuthority.create(directory: folder.url.appending(path: "authority"))
    let tpm = try ToolTPM()
    let maker = try tpm.makerCertificates()
    let (endorsementKey, certificate) = try tpm.endorsementKey(kind)
    let attestationKey = try tpm.attestationKey(beside: endorsementKey, algorithm: algorithm)
    let request = AttestationKeyRequest(
      endorsementCertificate: certificate,
      endorsementIntermediates: certificate == nil ? [] : [maker.intermediate],
      endorsementKey: endorsementKey.publicArea, attestationKey: attestationKey.publicArea)
    let issued = try await authority.issue(
      for: AttestationKeyRequest(parsing: request.json.serialized),
      trusting: certificate == nil ? .anyKey : .certified(roots: TrustAnchors([maker.root])))
    #expect((issued.endorsementRoot?.subject == "CN=swtpm-localca-rootca") == (certificate != nil))

    let credential = try AttestationKeyCredential(parsing: issued.credential.json.serialized)
    let secret = SymmetricKey(data: try tpm.activate(credential, attestationKey, endorsementKey))
    let chain = try credential.certificates(secret: secret, attestationKey: attestationKey.publicArea)

    let leaf = try Certificate(derEncoded: chain[0])
    #expect(leaf.subject.isEmpty)
    let names = Array(try #require(try leaf.extensions.subjectAlternativeNames))
    let expected =
      certificate == nil
      ? "2.23.133.2.1=id:00000000,2.23.133.2.2=unknown,2.23.133.2.3=id:00000000"
      // What swtpm's maker writes, IBM's number and the date of the specification.
      : "2.23.133.2.1=id:00001014,2.23.133.2.2=swtpm,2.23.133.2.3=id:20191023"
    guard names.count == 1, case .directoryName(let name) = names[0] else {
      Issue.record("not one directory name: \(names)")
      return
    }
    #expect(name.flatMap { Array($0) }.map { "\($0)" }.joined(separator: ",") == expected)

    let statement = try tpm.certifiedKey(by: attestationKey)
    let point = statement.publicArea.suffix(68)
    let key = try P256.Signing.PublicKey(
      rawRepresentation: Array(point.dropFirst(2).prefix(32) + point.suffix(32)))
    var jwk = try key.jwk(keyID: "kid")
    jwk["x5c"] = .array(chain.map { .string(Data($0).base64EncodedString()) })
    jwk["tpm"] = .object(statement.json)
    let verifier = AttestationVerifier(
      .init(tpmRoots: try TrustAnchors([Array(authority.rootPEM.utf8)])), clock: { Date() })
    let attestation = try await verifier.verify(
      jwk: jwk, challenge: [0x00, 0xFF, 0x55, 0xAA], requiresLockout: true)
    #expect(attestation.root.subject == "CN=Sealring Attestation Authority")
    let revoking = AttestationVerifier(
      .init(
        tpmRoots: try TrustAnchors([Array(authority.rootPEM.utf8)]),
        revoked: RevokedSerialNumbers([issued.serialNumber])), clock: { Date() })
    let failure = await #expect(throws: AttestationFailure.self) {
      _ = try await revoking.verify(
        jwk: jwk, challenge: [0x00, 0xFF, 0x55, 0xAA], requiresLockout: true)
    }
    #expect(failure?.check == .certificateRevoked)
  }

  @Test func `no other TPM, and no other key of the same TPM, gets the secret out of the answer`()
    async throws
  {
    let folder = try TemporaryFolder.make()
    let authority = try AttestationAuthority.create(directory: folder.url.appending(path: "authority"))
    let (tpm, other) = (try ToolTPM(), try ToolTPM())
    let endorsementKey = try tpm.endorsementKey(.rsa).key
    let attestationKey = try tpm.attestationKey(beside: endorsementKey, algorithm: "ecc")
    let issued = try await authority.issue(
      for: AttestationKeyRequest(
        endorsementCertificate: nil, endorsementKey: endorsementKey.publicArea,
        attestationKey: attestationKey.publicArea), trusting: .anyKey)
    let foreignEndorsementKey = try other.endorsementKey(.rsa).key
    let foreignKey = try other.attestationKey(beside: foreignEndorsementKey, algorithm: "ecc")
    #expect(throws: Program.Failed.self) {
      _ = try other.activate(issued.credential, foreignKey, foreignEndorsementKey)
    }
    let sibling = try tpm.attestationKey(beside: endorsementKey, algorithm: "rsa")
    #expect(throws: Program.Failed.self) {
      _ = try tpm.activate(issued.credential, sibling, endorsementKey)
    }
    #expect(try tpm.activate(issued.credential, attestationKey, endorsementKey).count == 32)
  }
}
