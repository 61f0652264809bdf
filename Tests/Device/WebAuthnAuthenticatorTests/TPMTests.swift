import CommonFixtures
import CBOR
import Crypto
import DeviceKeys
import DeviceKeysTPM
import Foundation
import KeyAttestation
import SoftwareTPM
import StrictJSON
import SwiftASN1
import Testing
import WebAuthnAuthenticator
import WebAuthnFormats
import WebAuthnVerification
import X509

/// Credentials whose keys are in a TPM, here swtpm.
@Suite(.serialized) struct TPMTests {
  @Test func `the TPM attests the key, and the relying party trusts it up to the authority's root`()
    async throws
  {
    try await SoftwareTPM.run(certificates: false) { tpm in
      let authority = try Authority()
      let store = try TPMKeyStore(directory: tpm.state.appending(path: "keys"), tcti: tpm.tcti)
      try await authority.certify(store)
      let device = try AuthenticatorDevice(keyStore: store)
      let made = try await device.authenticator.makeCredential(
        .ordinary.with { $0.attestation = .direct }, consent: Person())
      #expect(made.attestationObject.format == "tpm")
      var policy = AttestationPolicy()
      policy.conveyance = .direct
      policy.roots = try TrustAnchors([authority.der])
      policy.acceptedTypes = [.ca]
      let registration = try await Server.verify(made, attestation: policy)
      #expect(registration.attestation.type == .ca)

      let assertion = try await device.authenticator.getAssertion(
        .request(allowed: [made.source.id]), consent: Person())
      try Server.verify(assertion, by: registration)
      try Interoperability.check(
        [(made, assertion)], root: authority.der, in: device.folder.url)

      // Another registration's statement says nothing of this one.
      let other = try await device.authenticator.makeCredential(
        .ordinary.with { $0.attestation = .direct }, consent: Person())
      let mixed = MadeCredential.mixing(made.attestationObject, statementOf: other.attestationObject)
      await #expect(throws: WebAuthnFailure.self) {
        try await Server.verify(object: mixed, id: made.source.id, attestation: policy)
      }
    }
  }

  @Test(arguments: [true, false])
  func `without a certificate that relying parties would accept, the key signs for itself`(
    hasUnsuitableCertificate: Bool
  ) async throws {
    try await SoftwareTPM.run(certificates: false) { tpm in
      let store = try TPMKeyStore(directory: tpm.state.appending(path: "keys"), tcti: tpm.tcti)
      if hasUnsuitableCertificate { try await Authority(isSuitable: false).certify(store) }
      let device = try AuthenticatorDevice(keyStore: store)
      let made = try await device.authenticator.makeCredential(
        .ordinary.with { $0.attestation = .direct }, consent: Person())
      #expect(made.attestationObject.format == "packed")
      #expect(try await Server.verify(made).attestation.type == .selfSigned)
    }
  }

  @Test func `a cleared TPM's key is an error, and is not made again`() async throws {
    try await SoftwareTPM.run(certificates: false) { tpm in
      let keys = tpm.state.appending(path: "keys")
      var device = try AuthenticatorDevice(keyStore: try TPMKeyStore(directory: keys, tcti: tpm.tcti))
      let made = try await device.authenticator.makeCredential(.ordinary, consent: Person())
      try await SoftwareTPM.run(certificates: false) { other in
        device.keyStore = try TPMKeyStore(directory: keys, tcti: other.tcti)
        let outcome = await failure {
          try await device.authenticator.getAssertion(
            .request(allowed: [made.source.id]), consent: Person())
        }
        #expect(outcome?.hasPrefix("failed lost") == true)
      }
    }
  }
}

/// Certifies attestation keys of TPMs as WebAuthn wants it (L3 §8.3.1), or with a subject in place of the TPM's description.
private struct Authority {
  let key = P256.Signing.PrivateKey()
  let certificate: Certificate
  let isSuitable: Bool

  var der: [UInt8] { get throws { try Self.der(certificate) } }

  init(isSuitable: Bool = true) throws {
    self.isSuitable = isSuitable
    let name = try DistinguishedName { CommonName("TPM Attestation Root") }
    certificate = try Certificate(
      version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: Certificate.PublicKey(key.publicKey),
      notValidBefore: Date(timeIntervalSinceNow: -3600), notValidAfter: Date(timeIntervalSinceNow: 3600),
      issuer: name, subject: name, signatureAlgorithm: .ecdsaWithSHA256,
      extensions: try Certificate.Extensions {
        Critical(BasicConstraints.isCertificateAuthority(maxPathLength: nil))
        Critical(KeyUsage(keyCertSign: true))
      }, issuerPrivateKey: Certificate.PrivateKey(key))
  }

  func certify(_ store: TPMKeyStore) async throws {
    let area = try await store.attestationIdentity().attestationKey
    // The end of a TPMT_PUBLIC of a P-256 key is its point: x and y with their lengths.
    let point = [4] + area.suffix(66).prefix(32) + area.suffix(32)
    let publicKey = try P256.Signing.PublicKey(x963Representation: point)
    let subject = isSuitable ? DistinguishedName() : try DistinguishedName { CommonName("AK") }
    let leaf = try Certificate(
      version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: Certificate.PublicKey(publicKey),
      notValidBefore: Date(timeIntervalSinceNow: -3600), notValidAfter: Date(timeIntervalSinceNow: 3600),
      issuer: certificate.subject, subject: subject, signatureAlgorithm: .ecdsaWithSHA256,
      extensions: try Certificate.Extensions {
        Critical(BasicConstraints.notCertificateAuthority)
        try ExtendedKeyUsage([.init(oid: [2, 23, 133, 8, 3])])
        if isSuitable { Critical(try Self.description) }
      }, issuerPrivateKey: Certificate.PrivateKey(key))
    try await store.installAttestationCertificates([try Self.der(leaf), der])
  }

  /// Maker, model and version of the TPM (TCG EK Credential Profile §3.2.9).
  private static var description: SubjectAlternativeNames {
    get throws {
      let attributes: [(ASN1ObjectIdentifier, String)] = [
        ([2, 23, 133, 2, 1], "id:494E5443"), ([2, 23, 133, 2, 2], "swtpm"), ([2, 23, 133, 2, 3], "id:0001"),
      ]
      return SubjectAlternativeNames([
        .directoryName(
          DistinguishedName([
            RelativeDistinguishedName(
              attributes.map { RelativeDistinguishedName.Attribute(type: $0.0, utf8String: $0.1) })
          ]))
      ])
    }
  }

  private static func der(_ certificate: Certificate) throws -> [UInt8] {
    var serializer = DER.Serializer()
    try serializer.serialize(certificate)
    return serializer.serializedBytes
  }
}
