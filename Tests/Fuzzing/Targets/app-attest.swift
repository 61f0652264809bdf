import AppIntegrity
import Bytes
import CBOR
import Foundation
import JOSE
import KeyAttestation
import StrictJSON
import WebAuthnFormats

extension FuzzTarget {
  /// An app's answers: no input proves an app, since nobody has the keys of Apple or of a TPM's authority. The first byte chooses the input
  /// that is replaced in an otherwise well-formed answer.
  static let appAttest = FuzzTarget(
    seeds: {
      attestations.map { [0] + $0 } + [
        [1] + signedAssertion, [2] + clientData, Array("\u{3}\(token)".utf8),
      ]
    },
    check: { bytes in
      guard let first = bytes.first else { return }
      let rest = Array(bytes.dropFirst())
      var answer = AppIntegrityVerifier.Answer(
        attestation: PaddedBase64.encode(attestations.first ?? []),
        assertion: PaddedBase64.encode(signedAssertion),
        keyID: PaddedBase64.encode([UInt8](repeating: 1, count: 32)),
        clientData: PaddedBase64.encode(clientData))
      switch first % 4 {
      case 0: answer.attestation = PaddedBase64.encode(rest)
      case 1: answer.assertion = PaddedBase64.encode(rest)
      case 2: answer.clientData = PaddedBase64.encode(rest)
      default: answer.attestation = String(decoding: rest, as: UTF8.self)
      }
      let sent = answer
      let verified = wait { try? await verifier.verify(sent, expecting: expected) }
      expect((verified ?? nil) == nil, "an app is proven that nobody attested")
      if let data = try? AppIntegrityClientData(parsing: rest) {
        expect(
          (try? AppIntegrityClientData(parsing: data.json.serialized)) == data,
          "client data changes when it is written")
      }
    })

  /// WebAuthn's vectors that have certificates, as if App Attest had made them.
  private static let attestations: [[UInt8]] = Vectors.shared.all.compactMap { vector in
    guard let object = try? AttestationObject(parsing: vector.attestationObject),
      object.statement["x5c"] != nil
    else { return nil }
    return AttestationObject(
      format: "apple-appattest", statement: object.statement, authenticatorData: object.authenticatorData
    ).encoded
  }
  private static let challenge = "BBuZ+A9t9r0RT/ZpoBy4f5+OS0vMoQ02suUJ/MnK7BA="
  private static let clientData = Array(#"{"challenge":"\#(challenge)","bundleId":"com.example.app"}"#.utf8)
  private static let signedAssertion: [UInt8] =
    [0xA2, 0x69] + Array("signature".utf8) + [0x48, 0x30, 6, 2, 1, 1, 2, 1, 1]
    + [0x71] + Array("authenticatorData".utf8) + [0x58, 37] + [UInt8](repeating: 0, count: 36) + [1]
  private static let token = FixedKeys.token(
    ["alg": "ES256", "typ": "app-integrity+jws", "jwk": .object(FixedKeys.jwk.json)], clientData)
  private static let expected = AppIntegrityVerifier.Expectations(
    challenge: challenge, applicationIDs: ["ABCDE12345.com.example.app", "com.example.app"],
    allowsDevelopment: true,
    acceptsTPM: true)
  private static let verifier = AppIntegrityVerifier(
    AttestationVerifier.Configuration(tpmRoots: Vectors.shared.roots ?? TrustAnchors())
  ) { Date(timeIntervalSince1970: 1_800_000_000) }
}
