import DeviceKeys
import Testing
import UserVerification
import WebAuthnAuthenticator
import WebAuthnFormats

/// No assertion without somebody there (WebAuthn L3 §6.3.3 step 7).
@Suite struct GestureTests {
  /// An app's consent from before it was asked about uses.
  private struct EarlierConsent: AuthenticatorConsent {
    var chooses = true
    func mayRevealExcludedCredential() async -> Bool { true }
    func mayCreate(_ credential: CredentialDescription) async -> Bool { true }
    func choose(among credentials: [PublicKeyCredentialSource]) async -> PublicKeyCredentialSource? {
      chooses ? credentials.first : nil
    }
  }

  @Test func `the only fitting key signed, and told that somebody was there, without anybody being asked`()
    async throws
  {
    let device = try AuthenticatorDevice()
    let made = try await device.authenticator.makeCredential(.ordinary, consent: Person())
    let request = GetAssertionRequest.request(
      allowed: [made.source.id], scope: CredentialScope(server: "https://a"))
    let refusing = Person(uses: false)
    #expect(
      await failure { try await device.authenticator.getAssertion(request, consent: refusing) }
        == "notAllowed")
    #expect(
      refusing.questions == [
        .use(CredentialUse(credential: made.source, scope: CredentialScope(server: "https://a")))
      ])
    #expect(try await device.sources.map(\.signCount) == [0])

    let agreeing = Person()
    let assertion = try await device.authenticator.getAssertion(request, consent: agreeing)
    #expect(agreeing.questions.count == 1)
    #expect(assertion.authenticatorData.flags == .userPresent)
  }

  @Test(arguments: [true, false])
  func `a consent that knows only of choices is asked to choose from a list of one`(chooses: Bool)
    async throws
  {
    let device = try AuthenticatorDevice()
    let made = try await device.authenticator.makeCredential(.ordinary, consent: Person())
    let failure = await failure {
      try await device.authenticator.getAssertion(
        .request(allowed: [made.source.id]), consent: EarlierConsent(chooses: chooses))
    }
    #expect(failure == (chooses ? nil : "notAllowed"))
  }

  @Test func `a verification or a choice is the gesture: nothing is asked beside them`() async throws {
    var device = try AuthenticatorDevice()
    device.password = "secret"
    let verified = try await device.authenticator.makeCredential(
      .ordinary.with { $0.verifiesUser = true }, consent: Person())
    let plain = try await device.authenticator.makeCredential(.ordinary, consent: Person())
    let person = Person(choice: 1)
    for request in [
      GetAssertionRequest.request(allowed: [verified.source.id]),
      .request(allowed: [plain.source.id], verifiesUser: true),
    ] {
      _ = try await device.authenticator.getAssertion(request, consent: person)
    }
    #expect(person.questions.isEmpty)
    _ = try await device.authenticator.getAssertion(
      .request(allowed: [verified.source.id, plain.source.id]), consent: person)
    #expect(person.questions.count == 1)
  }
}
