import CommonFixtures
import Concurrency
import DeviceKeys
import Foundation
import FRAuth
import PingFido
import PingStorage
import Testing
import UserVerification
import WebAuthnAuthenticator

/// An app as the guide for WebAuthn writes it, with its screens replaced by answers.
final class GuideApp: PlatformAuthenticatorRegistrationDelegate, PlatformAuthenticatorAuthenticationDelegate,
  Sendable
{
  let calls = Locked<[String]>([])
  let consent: WebAuthnUserConsentResult?
  let answersExclusion: WebAuthnUserConsentResult

  init(consent: WebAuthnUserConsentResult? = .allow, exclusion: WebAuthnUserConsentResult = .allow) {
    self.consent = consent
    answersExclusion = exclusion
  }

  func excludeCredentialDescriptorConsent(consentCallback: @escaping WebAuthnUserConsentCallback) {
    calls.withLock { $0.append("exclude") }
    consentCallback(answersExclusion)
  }

  func createNewCredentialConsent(
    keyName: String,
    rpName: String,
    rpId: String?,
    userName: String,
    userDisplayName: String,
    consentCallback: @escaping WebAuthnUserConsentCallback
  ) {
    calls.withLock { $0.append("create \(rpName) \(rpId ?? "-") \(userName) \(userDisplayName)") }
    if let consent { consentCallback(consent) }
  }

  func selectCredential(
    keyNames: [String], selectionCallback: @escaping WebAuthnCredentialsSelectionCallback
  ) {
    calls.withLock { $0.append("select \(keyNames.count)") }
    selectionCallback(keyNames.last)
  }

  func localKeyExistsAndPasskeysAreAvailable() { calls.withLock { $0.append("passkeys") } }

  /// The guide's registration, with its two completions as one.
  func register(_ callback: Callback) async -> Result<String, any Error>? {
    await withCheckedContinuation { continuation in
      guard let registrationCallback = callback as? WebAuthnRegistrationCallback else {
        return continuation.resume(returning: nil)
      }
      registrationCallback.delegate = self
      registrationCallback.register(
        node: nil,
        window: nil,
        deviceName: "Mira's device",
        usePasskeysIfAvailable: false
      ) { (attestation) in
        continuation.resume(returning: .success(attestation))
      } onError: { (error) in
        continuation.resume(returning: .failure(error))
      }
    }
  }

  func authenticate(_ callback: Callback) async -> Result<String, any Error>? {
    await withCheckedContinuation { continuation in
      guard let authenticationCallback = callback as? WebAuthnAuthenticationCallback else {
        return continuation.resume(returning: nil)
      }
      authenticationCallback.delegate = self
      authenticationCallback.authenticate(usePasskeysIfAvailable: false) {
        continuation.resume(returning: .success($0))
      } onError: {
        continuation.resume(returning: .failure($0))
      }
    }
  }
}

@Suite(.serialized) struct WebAuthnGuideTests {
  let folder = TemporaryFolder()

  init() {
    WebAuthn.config = FidoConfig(
      keyStore: MemoryKeyStore(),
      credentials: CredentialStore(
        directory: folder.file("credentials"), encryptor: NoEncryptor()),
      verifiers: UserVerifiers(vault: AuthorizationVault(directory: folder.file("vault"))),
      origin: "https://login.example.com")
  }

  private func registration(_ changes: [String: Any] = [:]) throws -> Callback {
    var data: [String: Any] = [
      "_action": "webauthn_registration", "_type": "WebAuthn",
      "challenge": "BBuZ+A9t9r0RT/ZpoBy4f5+OS0vMoQ02suUJ/MnK7BA=", "attestationPreference": "none",
      "userName": "demo", "displayName": "Demo User", "userId": "ZGVtbw", "relyingPartyName": "Example",
      "_relyingPartyId": "example.com", "_authenticatorSelection": ["requireResidentKey": true],
      "_pubKeyCredParams": [["type": "public-key", "alg": -8], ["type": "public-key", "alg": -7]],
      "timeout": "60000",
    ]
    data.merge(changes) { $1 }
    return try WebAuthnRegistrationCallback(json: Self.metadata(data))
  }

  private func authentication(_ changes: [String: Any] = [:]) throws -> Callback {
    var data: [String: Any] = [
      "_action": "webauthn_authentication", "_type": "WebAuthn",
      "challenge": "SP0l/08ks8fHf4E7MpTVYW1Zl8BP3Wohu0IHZKJ+0c8=", "_allowCredentials": [Any](),
      "timeout": "60000", "userVerification": "preferred", "_relyingPartyId": "example.com",
    ]
    data.merge(changes) { $1 }
    return try WebAuthnAuthenticationCallback(json: Self.metadata(data))
  }

  private static func metadata(_ data: [String: Any]) -> [String: Any] {
    ["type": "MetadataCallback", "output": [["name": "data", "value": data] as [String: Any]]]
  }

  @Test func `register, sign in, list and delete, as the guide does`() async throws {
    let app = GuideApp()
    let outcome = try #require(await app.register(try registration())).get()
    #expect(outcome.hasPrefix("{\"type\":\"webauthn.create\"") && outcome.hasSuffix("::Mira's device"))
    #expect(app.calls.withLock { $0 } == ["create Example example.com demo Demo User"])

    let signed = try #require(await app.authenticate(try authentication())).get()
    #expect(signed.hasPrefix("{\"type\":\"webauthn.get\"") && signed.hasSuffix("::ZGVtbw"))
    // One key, too, is used only when the person selects it. There is no system with passkeys here, so nobody is told of them.
    #expect(app.calls.withLock { $0.dropFirst() } == ["select 1"])

    let keys = FRWebAuthn.loadAllCredentials(by: "example.com")
    #expect(keys.count == 1 && keys[0].otherUI.hasPrefix("Demo User ("))
    FRWebAuthn.deleteCredentials(by: "example.com")
    #expect(FRWebAuthn.loadAllCredentials(by: "example.com").isEmpty)
    guard case .failure(WebAuthnError.notAllowed)? = await app.authenticate(try authentication()) else {
      Issue.record("a deleted key was used")
      return
    }
  }

  @Test func `declined, excluded, and no delegate`() async throws {
    guard
      case .failure(WebAuthnError.cancelled)? = await GuideApp(consent: .reject).register(try registration())
    else {
      Issue.record("declined")
      return
    }
    _ = await GuideApp().register(try registration())
    let id = try #require(FRWebAuthn.loadAllCredentials(by: "example.com").first).id
    let excluding = [
      "_excludeCredentials": [["type": "public-key", "id": id.map { Int($0) }] as [String: Any]]
    ]
    guard
      case .failure(WebAuthnError.invalidState)? = await GuideApp(exclusion: .allow).register(
        try registration(excluding)),
      case .failure(WebAuthnError.notAllowed)? = await GuideApp(exclusion: .reject).register(
        try registration(excluding))
    else {
      Issue.record("excluded")
      return
    }
    let callback = try #require(try registration() as? WebAuthnRegistrationCallback)
    await #expect(throws: WebAuthnError.self) { try await callback.register() }
    #expect(FRWebAuthn.loadAllCredentials(by: "example.com").count == 1)
  }

  @Test func `of two keys with one name the person chooses one`() async throws {
    let app = GuideApp()
    _ = await app.register(try registration(["userId": "YQ"]))
    _ = await app.register(try registration(["userId": "Yg"]))
    _ = try #require(await app.authenticate(try authentication())).get()
    #expect(app.calls.withLock { $0.last } == "select 2")
  }

  @Test func `the callback's members are the server's data`() throws {
    let callback = try #require(
      try registration(["_excludeCredentials": [["type": "public-key", "id": [-1, 2]] as [String: Any]]])
        as? WebAuthnRegistrationCallback)
    #expect(callback._type == "WebAuthn")
    #expect(callback.relyingPartyName == "Example" && callback.relyingPartyId == "example.com")
    #expect(callback.challenge == "BBuZ+A9t9r0RT/ZpoBy4f5+OS0vMoQ02suUJ/MnK7BA=")
    #expect(callback.userId == "ZGVtbw" && callback.userName == "demo" && callback.displayName == "Demo User")
    #expect(callback.timeout == 60_000 && callback.attestationPreference == .none)
    #expect(callback.excludeCredentials == [[255, 2]])
    #expect(callback.userVerification == .preferred && callback.requireResidentKey)
    #expect(callback.authenticatorAttachment == .unspecified)
    #expect(callback.pubKeyCredParams.compactMap { $0["alg"] as? Int } == [-8, -7])
    #expect(throws: AuthError.self) {
      try registration(["_authenticatorSelection": ["authenticatorAttachment": "cross-platform"]])
    }
    #expect(throws: AuthError.self) { try registration(["challenge": 1]) }
  }
}
