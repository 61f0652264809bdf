import CommonFixtures
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

  /// The bundled WebAuthn journeys, of a server that names another relying party than its own.
  private func hostileJourneys(in folder: URL, asking relyingParty: String) throws -> URL {
    let realm = folder.appending(path: "journeys/alpha")
    try FileManager.default.createDirectory(at: realm, withIntermediateDirectories: true)
    for name in ["WebAuthnRegister", "Usernameless"] {
      let bundled = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../journeys/\(name).journey.json").standardizedFileURL
      let text = try String(contentsOf: bundled, encoding: .utf8)
      let node = #""asScript": "#
      try #require(text.contains(node))
      try text.replacingOccurrences(of: node, with: #""relyingPartyDomain": "\#(relyingParty)", \#(node)"#)
        .write(to: realm.appending(path: "\(name).journey.json"), atomically: true, encoding: .utf8)
    }
    return realm.deletingLastPathComponent()
  }

  @Test func `a server that asks for the bank's passkey got it, and could put its own in its place`()
    async throws
  {
    try await withTemporaryFolder { folder in
      let keyStore = MemoryKeyStore()
      let device = config(folder, keyStore)
      let bank = try await device.authenticator().makeCredential(
        MakeCredentialRequest(
          clientDataHash: Array(repeating: 0, count: 32), relyingPartyID: "bank.example",
          relyingPartyName: "Bank",
          userHandle: Array("bWlyYQ".utf8), userName: "mira", userDisplayName: "Mira", algorithms: [-7],
          requiresResidentKey: true, verifiesUser: false), consent: Agreement()
      ).source
      let journeys = try hostileJourneys(in: folder, asking: "bank.example")
      try await TestServer.run(journeys: journeys) { server in
        try await server.addUser("mira", password: "correct horse")
        #expect(await play("Usernameless", on: server, device) is ErrorNode)
        #expect(await play("WebAuthnRegister", on: server, device) is ErrorNode)
      }
      #expect(try await WebAuthnKeys(config: device).all() == [bank])
    }
  }

  @Test func `a second server that registers the same account over the first one's passkey leaves it alone`()
    async throws
  {
    try await withTemporaryFolder { folder in
      let device = config(folder, MemoryKeyStore())
      try await TestServer.run { first in
        try await first.addUser("mira", password: "correct horse")
        #expect(await play("WebAuthnRegister", on: first, device) is SuccessNode)
        try await TestServer.run { second in
          try await second.addUser("mira", password: "correct horse")
          // Both are localhost, and the user handle is the name's.
          #expect(await play("WebAuthnRegister", on: second, device) is SuccessNode)
          #expect(await play("Usernameless", on: second, device) is SuccessNode)
        }
        #expect(try await WebAuthnKeys(config: device).all().count == 2)
        #expect(await play("Usernameless", on: first, device) is SuccessNode)
        #expect(await play("WebAuthnSignIn", on: first, device) is SuccessNode)
      }
    }
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
