import DeviceKeys
import Foundation
import PingFido
import PingJourney
import PingJourneyPlugin
import PingOrchestrate
import PingStorage
import SealringTesting
import Testing
import UserVerification
import WebAuthnAuthenticator

/// The bundled WebAuthn journeys over HTTP, answered by this device's own authenticator.
@Suite struct PasskeyJourneyTests {
  private struct Agreement: AuthenticatorConsent {
    func mayRevealExcludedCredential() async -> Bool { true }
    func mayCreate(_ credential: CredentialDescription) async -> Bool { true }
    func choose(among credentials: [PublicKeyCredentialSource]) async -> PublicKeyCredentialSource? {
      credentials.last
    }
  }

  /// - Parameter password: What the person enters as the device's password, which is `secret`.
  private func config(_ folder: URL, _ keyStore: any DeviceKeyStore, password: String? = "secret")
    -> FidoConfig
  {
    FidoConfig(
      keyStore: keyStore,
      credentials: CredentialStore(
        directory: folder.appending(path: "credentials"), encryptor: NoEncryptor()),
      verifiers: UserVerifiers(
        deviceCredential: MemoryCredentialVerifier(password: "secret"),
        credentialSource: FixedCredentialSource(password.map { CredentialSecret($0) }),
        vault: AuthorizationVault(directory: folder.appending(path: "vault"))),
      consent: Agreement())
  }

  private func play(_ name: String, on server: TestServer, as user: String = "mira", _ config: FidoConfig)
    async -> any Node
  {
    var node = await TestDevice().journey(on: server).start(name)
    while let step = node as? ContinueNode {
      for callback in step.callbacks {
        switch callback {
        case let callback as NameCallback: callback.name = user
        case let callback as PasswordCallback: callback.password = "correct horse"
        case let callback as FidoRegistrationCallback:
          callback.config = config
          _ = await callback.register(deviceName: "Bench", window: PresentationAnchor())
        case let callback as FidoAuthenticationCallback:
          callback.config = config
          _ = await callback.authenticate(window: PresentationAnchor())
        default: break
        }
      }
      node = await step.next()
    }
    return node
  }

  @Test func `a key registers, signs in, signs in without a name, and is refused without a verification`()
    async throws
  {
    try await withTemporaryFolder { folder in
      try await TestServer.run { server in
        try await server.addUser("mira", password: "correct horse")
        let keyStore = MemoryKeyStore()
        let device = config(folder, keyStore)
        #expect(await play("Usernameless", on: server, device) is ErrorNode, "there is no key yet")
        #expect(await play("WebAuthnRegister", on: server, device) is SuccessNode)
        #expect(await play("WebAuthnSignIn", on: server, device) is SuccessNode)
        #expect(await play("Usernameless", on: server, device) is SuccessNode)

        // The person does not know the password.
        let stranger = config(folder, keyStore, password: nil)
        #expect(await play("Usernameless", on: server, stranger) is ErrorNode)
        #expect(await play("WebAuthnSignIn", on: server, stranger) is ErrorNode)

        // The device is registered already: nothing is made, and the key goes on working.
        #expect(await play("WebAuthnRegister", on: server, device) is ErrorNode)
        #expect(try await WebAuthnKeys(config: device).all().count == 1)
        #expect(await keyStore.keys().count == 1)
        #expect(await play("Usernameless", on: server, device) is SuccessNode)
      }
    }
  }
}
