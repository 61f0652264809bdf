import CommonFixtures
import Concurrency
import DeviceKeys
import Foundation
import PingFido
import PingJourney
import PingJourneyPlugin
import PingOrchestrate
import PingStorage
import UserVerification
import WebAuthnAuthenticator

/// A device of the tests, with an authenticator and a person.
final class PasskeyDevice: Sendable {
  let folder = TemporaryFolder()
  let keyStore = MemoryKeyStore()
  let config: FidoConfig

  init(
    consent: (any AuthenticatorConsent)? = Agreement(), password: String? = nil,
    clock: (any Clock<Duration>)? = nil, origin: String? = "https://app.example.com",
    credentials: CredentialStore? = nil
  ) {
    var config = FidoConfig(
      keyStore: keyStore,
      credentials: credentials
        ?? CredentialStore(directory: folder.file("credentials"), encryptor: NoEncryptor()),
      verifiers: UserVerifiers(
        deviceCredential: MemoryCredentialVerifier(password: password),
        credentialSource: FixedCredentialSource(CredentialSecret("secret")),
        vault: AuthorizationVault(directory: folder.file("vault"))),
      origin: origin, consent: consent)
    if let clock { config.clock = clock }
    self.config = config
  }

  var keys: [WebAuthnKey] { get async throws { try await WebAuthnKeys(config: config).all() } }
}

/// A person who agrees to everything and takes the first key.
struct Agreement: AuthenticatorConsent {
  var reveals = true
  var creates = true

  func mayRevealExcludedCredential() async -> Bool { reveals }
  func mayCreate(_ credential: CredentialDescription) async -> Bool { creates }
  func choose(among credentials: [PublicKeyCredentialSource]) async -> PublicKeyCredentialSource? {
    credentials.first
  }
}

/// A person who never answers.
struct Silence: AuthenticatorConsent {
  let asked: @Sendable () -> Void

  func mayRevealExcludedCredential() async -> Bool { await silence() }
  func mayCreate(_ credential: CredentialDescription) async -> Bool { await silence() }
  func choose(among credentials: [PublicKeyCredentialSource]) async -> PublicKeyCredentialSource? {
    _ = await silence()
    return nil
  }

  private func silence() async -> Bool {
    asked()
    // Ignores cancellation, as an app may.
    return await withCheckedContinuation { Self.forgotten.keep($0) }
  }

  private static let forgotten = Forgotten()
}

/// Continuations that nobody resumes: kept, so that the runtime does not complain of a leak.
final class Forgotten: Sendable {
  private let continuations = Locked<[CheckedContinuation<Bool, Never>]>([])
  func keep(_ continuation: CheckedContinuation<Bool, Never>) {
    continuations.withLock { $0.append(continuation) }
  }
}

/// The server's data, as AM sends them.
enum Data71 {
  static let challenge = "BBuZ+A9t9r0RT/ZpoBy4f5+OS0vMoQ02suUJ/MnK7BA="

  static func registration(_ changes: [String: Any?] = [:]) -> [String: Any] {
    var data: [String: Any] = [
      "_action": "webauthn_registration", "_type": "WebAuthn", "challenge": challenge,
      "attestationPreference": "none", "userName": "demo", "displayName": "Demo User", "userId": "ZGVtbw",
      "relyingPartyName": "ForgeRock", "relyingPartyId": "id: \"example.com\",",
      "_relyingPartyId": "example.com",
      "authenticatorSelection":
        "{\"userVerification\":\"preferred\",\"residentKey\":\"required\",\"requireResidentKey\":true}",
      "_authenticatorSelection": [
        "userVerification": "preferred", "residentKey": "required", "requireResidentKey": true,
      ] as [String: Any],
      "pubKeyCredParams":
        "[ { \"type\": \"public-key\", \"alg\": -257 }, { \"type\": \"public-key\", \"alg\": -7 } ]",
      "_pubKeyCredParams": [
        ["type": "public-key", "alg": -257], ["type": "public-key", "alg": -7],
      ] as [[String: Any]], "timeout": "60000", "excludeCredentials": "", "_excludeCredentials": [Any](),
      "extensions": [String: Any](), "supportsJsonResponse": true,
    ]
    for (name, value) in changes { data[name] = value }
    return data
  }

  static func authentication(_ changes: [String: Any?] = [:]) -> [String: Any] {
    var data: [String: Any] = [
      "_action": "webauthn_authentication", "_type": "WebAuthn",
      "challenge": "SP0l/08ks8fHf4E7MpTVYW1Zl8BP3Wohu0IHZKJ+0c8=", "allowCredentials": "",
      "_allowCredentials": [Any](), "timeout": "60000", "userVerification": "preferred",
      "relyingPartyId": "rpId: \"example.com\",", "_relyingPartyId": "example.com",
      "supportsJsonResponse": true,
    ]
    for (name, value) in changes { data[name] = value }
    return data
  }

  /// The form before AM 7.1: pieces of JavaScript, and nothing that says what to do.
  static func before71(_ data: [String: Any]) -> [String: Any] {
    data.filter { !$0.key.hasPrefix("_") || $0.key == "_type" }.filter { $0.key != "supportsJsonResponse" }
  }

  static func descriptors(_ ids: [[UInt8]]) -> [[String: Any]] {
    ids.map { ["type": "public-key", "id": $0.map { Int(Int8(bitPattern: $0)) }] }
  }

  static func script(_ ids: [[UInt8]]) -> String {
    ids.map {
      let bytes = $0.map { String(Int8(bitPattern: $0)) }.joined(separator: ", ")
      return "{ \"type\": \"public-key\", \"id\": new Int8Array([\(bytes)]).buffer }"
    }.joined(separator: ",")
  }
}

/// A step with a WebAuthn callback and the hidden value, as a journey makes it.
struct Step {
  let node: ContinueNode
  let hidden: HiddenValueCallback

  init(
    _ data: [String: Any], server: String = "https://am.example.com/am", realm: String = "alpha"
  ) async throws {
    CallbackInitializer.registerCallbacks()
    let metadata: [String: Any] = [
      "type": "MetadataCallback", "output": [["name": "data", "value": data] as [String: Any]],
    ]
    let parsed = try JSONSerialization.jsonObject(with: JSONSerialization.data(withJSONObject: metadata))
    let json = parsed as? [String: Any] ?? [:]
    let callback = await MetadataCallback().initialize(with: json)
    hidden = HiddenValueCallback()
    _ = await hidden.initialize(with: [
      "type": "HiddenValueCallback",
      "output": [["name": "value", "value": "false"], ["name": "id", "value": "webAuthnOutcome"]],
      "input": [["name": "IDToken2", "value": "webAuthnOutcome"]],
    ])
    let workflow = Journey.createJourney {
      $0.serverUrl = server
      $0.realm = realm
    }
    node = ContinueNode(
      context: FlowContext(flowContext: SharedContext()), workflow: workflow, input: [:],
      actions: [callback, hidden])
    if var aware = callback as? any ContinueNodeAware { aware.continueNode = node }
    if var aware = callback as? any JourneyAware { aware.journey = workflow }
  }

  func registration(_ device: PasskeyDevice) throws -> FidoRegistrationCallback {
    guard let callback = node.callbacks.first as? FidoRegistrationCallback else { throw WrongCallback() }
    callback.config = device.config
    return callback
  }

  func authentication(_ device: PasskeyDevice) throws -> FidoAuthenticationCallback {
    guard let callback = node.callbacks.first as? FidoAuthenticationCallback else { throw WrongCallback() }
    callback.config = device.config
    return callback
  }

  struct WrongCallback: Error {}
}
