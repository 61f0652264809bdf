import CommonFixtures
import Concurrency
import DeviceKeys
import Foundation
import FRAuth
import LegacyFixtures
import PingFido
import PingStorage
import SealringTesting
import Testing
import UserVerification
import WebAuthnAuthenticator

/// The WebAuthn guide's flows against a real server over HTTP, each with the outcome that the text promises. In processes of
/// their own: the earlier SDK and its settings are one for the process.
@Suite(.serialized, .earlierNames) struct WebAuthnFlowTests {
  /// "Register a WebAuthn device", and signing in with it.
  @Test func `a registered device signs in`() async throws {
    let folder = TemporaryFolder()
    defer { withExtendedLifetime(folder) {} }
    let path = folder.url.path
    await #expect(processExitsWith: .success) { [path = path as String] in
      try await Self.run(in: path) { (server) async throws in
        let app = ConsentingApp()
        #expect(try await app.play("WebAuthnRegister", on: server) != nil)
        #expect(app.asked.withLock { $0 } == ["create"])
        #expect(app.errors.withLock { $0.isEmpty })
        let keys = FRWebAuthn.loadAllCredentials(by: "localhost")
        #expect(keys.count == 1)
        #expect(try await app.play("WebAuthnSignIn", on: server) != nil)
      }
    }
  }

  /// "If the user selects Cancel, the SDK returns WebAuthnError.cancelled."
  @Test func `who declines a new key has none`() async throws {
    let folder = TemporaryFolder()
    defer { withExtendedLifetime(folder) {} }
    let path = folder.url.path
    await #expect(processExitsWith: .success) { [path = path as String] in
      try await Self.run(in: path) { (server) async throws in
        let app = ConsentingApp(creates: .reject)
        #expect(try await app.play("WebAuthnRegister", on: server) == nil)
        #expect(app.errors.withLock { $0 } == ["cancelled"])
        #expect(FRWebAuthn.loadAllCredentials(by: "localhost").isEmpty)
      }
    }
  }

  /// "Limit registrations": a device that is registered is not registered again, and tells so only when the person agrees.
  /// Which error is which is docs/guides.md's matter.
  @Test func `a registered device is not registered twice`() async throws {
    let folder = TemporaryFolder()
    defer { withExtendedLifetime(folder) {} }
    let path = folder.url.path
    await #expect(processExitsWith: .success) { [path = path as String] in
      try await Self.run(in: path) { (server) async throws in
        #expect(try await ConsentingApp().play("WebAuthnRegister", on: server) != nil)
        for (answer, error) in [(WebAuthnUserConsentResult.allow, "invalidState"), (.reject, "notAllowed")] {
          let app = ConsentingApp(reveals: answer)
          #expect(try await app.play("WebAuthnRegister", on: server) == nil)
          #expect(app.asked.withLock { $0 } == ["exclude"])
          #expect(app.errors.withLock { $0 } == [error])
        }
        #expect(FRWebAuthn.loadAllCredentials(by: "localhost").count == 1)
      }
    }
  }

  private static func run(
    in path: String, _ body: @escaping @Sendable (TestServer) async throws -> Void
  ) async throws {
    let folder = URL(filePath: path)
    WebAuthn.config = FidoConfig(
      keyStore: MemoryKeyStore(),
      credentials: CredentialStore(
        directory: folder.appending(path: "credentials"), encryptor: NoEncryptor()),
      verifiers: UserVerifiers(
        deviceCredential: MemoryCredentialVerifier(password: "secret"),
        credentialSource: FixedCredentialSource(CredentialSecret("secret")),
        vault: AuthorizationVault(directory: folder.appending(path: "vault"))))
    try await TestServer.run(clock: TestClock(start: Date())) { server in
      try await server.addUser("mira", password: ConsentingApp.password)
      try await body(server)
    }
  }
}

/// An app as the guide writes it, with its screens replaced by answers.
private final class ConsentingApp: PlatformAuthenticatorRegistrationDelegate,
  PlatformAuthenticatorAuthenticationDelegate, Sendable
{
  static let password = "Correct horse battery 1"

  let asked = Locked<[String]>([])
  let errors = Locked<[String]>([])
  private let creates: WebAuthnUserConsentResult
  private let reveals: WebAuthnUserConsentResult

  init(creates: WebAuthnUserConsentResult = .allow, reveals: WebAuthnUserConsentResult = .allow) {
    self.creates = creates
    self.reveals = reveals
  }

  func excludeCredentialDescriptorConsent(consentCallback: @escaping WebAuthnUserConsentCallback) {
    asked.withLock { $0.append("exclude") }
    consentCallback(reveals)
  }

  func createNewCredentialConsent(
    keyName: String, rpName: String, rpId: String?, userName: String, userDisplayName: String,
    consentCallback: @escaping WebAuthnUserConsentCallback
  ) {
    asked.withLock { $0.append("create") }
    consentCallback(creates)
  }

  func selectCredential(
    keyNames: [String], selectionCallback: @escaping WebAuthnCredentialsSelectionCallback
  ) { selectionCallback(keyNames.first) }

  func localKeyExistsAndPasskeysAreAvailable() {}

  /// Plays a journey, and submits each node whatever became of it, as the guide does.
  func play(_ name: String, on server: TestServer) async throws -> Token? {
    try ProgramsDevice().start(on: server.address)
    return await withCheckedContinuation { continuation in
      @Sendable func go(_ token: Token?, _ node: Node?, _ error: (any Error)?) {
        guard let node else { return continuation.resume(returning: token) }
        let submit: @Sendable () -> Void = {
          node.next { (token: Token?, node, error) in go(token, node, error) }
        }
        let failed: @Sendable (any Error) -> Void = { error in
          let name =
            switch error {
            case WebAuthnError.cancelled: "cancelled"
            case WebAuthnError.invalidState: "invalidState"
            case WebAuthnError.notAllowed: "notAllowed"
            default: "\(error)"
            }
          self.errors.withLock { $0.append(name) }
          submit()
        }
        for callback in node.callbacks {
          switch callback {
          case let callback as NameCallback: callback.setValue("mira")
          case let callback as PasswordCallback: callback.setValue(Self.password)
          case let callback as WebAuthnRegistrationCallback:
            callback.delegate = self
            return callback.register(
              node: node, window: nil, deviceName: "Mira's till", usePasskeysIfAvailable: false
            ) { _ in
              submit()
            } onError: {
              failed($0)
            }
          case let callback as WebAuthnAuthenticationCallback:
            callback.delegate = self
            return callback.authenticate(node: node, usePasskeysIfAvailable: false) { _ in
              submit()
            } onError: {
              failed($0)
            }
          default: break
          }
        }
        submit()
      }
      FRSession.authenticate(authIndexValue: name) { (token: Token?, node, error) in go(token, node, error) }
    }
  }
}
