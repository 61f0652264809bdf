import CommonFixtures
import Testing
import WebAuthnAuthenticator
import WebAuthnFormats

@Suite struct InteroperabilityTests {
  @Test func `other implementations accept registrations and assertions of ours`() async throws {
    var device = try AuthenticatorDevice()
    device.password = "secret"
    var ceremonies: [(MadeCredential, AuthenticatorAssertion)] = []
    for attestation in MakeCredentialRequest.Attestation.allCases {
      let made = try await device.authenticator.makeCredential(
        .ordinary.with {
          $0.attestation = attestation
          $0.verifiesUser = true
        }, consent: Person())
      ceremonies.append(
        (
          made,
          try await device.authenticator.getAssertion(
            .request(allowed: [made.source.id], verifiesUser: true), consent: Person())
        ))
    }
    #expect(ceremonies.map(\.0.attestationObject.format) == ["none", "packed"])
    try Interoperability.check(ceremonies, in: device.folder.url)
  }
}
