import Bytes
import DeviceKeys
import Foundation
import PingFido
import PingJourney
import PingJourneyPlugin
import PingOrchestrate
import StrictJSON
import Testing
import WebAuthnAuthenticator
import WebAuthnFormats
import WebAuthnVerification

/// A step of a journey from the server's data to the hidden value.
@Suite struct CallbackTests {
  private static let party = RelyingParty(
    id: "example.com", origins: OriginPolicy(["https://app.example.com"]))

  private func verify(_ value: String, challenge: String = Data71.challenge) async throws
    -> VerifiedRegistration
  {
    guard case .completed(let response, _) = try ClientOutcome<RegistrationResponse>(parsing: value) else {
      throw Step.WrongCallback()
    }
    return try await RegistrationVerifier(.init(relyingParty: Self.party), clock: { Date() }).verify(
      response, challenge: Array(try #require(Data(base64Encoded: challenge))))
  }

  @Test(arguments: [true, false])
  func `a registration fills the hidden value in, in the form that the server understands`(json: Bool)
    async throws
  {
    let device = PasskeyDevice()
    let step = try await Step(Data71.registration(["supportsJsonResponse": json]))
    let result = try await step.registration(device).register(
      deviceName: "My Laptop", window: PresentationAnchor())
    let members = try result.get()
    #expect(step.hidden.value.hasPrefix("{\"authenticatorAttachment\":\"platform\",\"legacyData\":") == json)
    let registered = try await verify(step.hidden.value)
    #expect(members["rawId"] as? Data == Data(registered.credentialID))
    #expect(members["authenticatorAttachment"] as? String == "platform")
    guard
      case .completed(let response, let attachment) = try ClientOutcome<RegistrationResponse>(
        parsing: step.hidden.value)
    else { throw Step.WrongCallback() }
    #expect(response.deviceName == "My Laptop")
    #expect(attachment == (json ? .platform : nil))
    #expect(members["attestationObject"] as? Data == Data(response.attestationObject))

    // The callback itself goes back as it came.
    let callback = try step.registration(device)
    let input = step.hidden.payload()["input"] as? [[String: Any]]
    #expect(input?.first?["value"] as? String == step.hidden.value)
    #expect(callback.payload()["type"] as? String == "MetadataCallback")
  }

  @Test(arguments: [true, false])
  func `an authentication signs with the registered key, with and without its id`(isListed: Bool) async throws
  {
    let device = PasskeyDevice(password: "secret")
    let registering = try await Step(Data71.registration())
    _ = try await registering.registration(device).register(window: PresentationAnchor()).get()
    let registered = try await verify(registering.hidden.value)

    let list = isListed ? Data71.descriptors([[1, 2], registered.credentialID]) : []
    let step = try await Step(
      Data71.authentication(["_allowCredentials": list, "userVerification": "required"]))
    let members = try await step.authentication(device).authenticate(window: PresentationAnchor()).get()
    #expect(members["userHandle"] as? Data == Data("ZGVtbw".utf8))
    guard case .completed(let response, _) = try ClientOutcome<AssertionResponse>(parsing: step.hidden.value)
    else {
      throw Step.WrongCallback()
    }
    let challenge = try #require(Data(base64Encoded: "SP0l/08ks8fHf4E7MpTVYW1Zl8BP3Wohu0IHZKJ+0c8="))
    let asserted = try AssertionVerifier(
      .init(relyingParty: Self.party, userVerification: .required, requiresUserHandle: true)
    ).verify(
      response, challenge: Array(challenge),
      credential: RegisteredCredential(
        id: registered.credentialID, publicKey: registered.publicKey, signCount: 0,
        userHandle: Array("ZGVtbw".utf8)))
    #expect(asserted.signCount == 1)
  }

  @Test func `the data of AM 7.0 and older, in pieces of JavaScript`() async throws {
    let device = PasskeyDevice()
    let step = try await Step(
      Data71.before71(Data71.registration(["excludeCredentials": Data71.script([[1, 255]])])))
    _ = try await step.registration(device).register(window: PresentationAnchor()).get()
    let registered = try await verify(step.hidden.value)
    let signing = try await Step(
      Data71.before71(
        Data71.authentication([
          "allowCredentials": "allowCredentials: [\(Data71.script([registered.credentialID]))]"
        ])))
    _ = try await signing.authentication(device).authenticate(window: PresentationAnchor()).get()
    #expect(signing.hidden.value.hasPrefix("{\"type\":\"webauthn.get\""))
  }

  @Test(
    arguments: [
      (
        OptionsBox(["_pubKeyCredParams": [["type": "public-key", "alg": -8] as [String: Any]]]), Agreement(),
        "unsupported"
      ),
      (
        OptionsBox(["_authenticatorSelection": ["authenticatorAttachment": "cross-platform"]]), Agreement(),
        "unsupported"
      ),
      (OptionsBox(["_authenticatorSelection": ["userVerification": "required"]]), Agreement(), "unsupported"),
      (OptionsBox([:]), Agreement(creates: false), "ERROR::NotAllowedError:The operation was canceled."),
      (OptionsBox(["challenge": "%%%"]), Agreement(), "ERROR::DataError:"),
    ] as [(OptionsBox, Agreement, String)])
  func `every failure has the outcome that AM knows`(changes: OptionsBox, consent: Agreement, outcome: String)
    async throws
  {
    let device = PasskeyDevice(consent: consent)
    let step = try await Step(Data71.registration(changes.value))
    let callback = try step.registration(device)
    await #expect(throws: (any Error).self) {
      _ = try await callback.register(window: PresentationAnchor()).get()
    }
    #expect(step.hidden.value.hasPrefix(outcome), "\(step.hidden.value)")
    #expect(callback.failure != nil)
    #expect(try await device.keys.isEmpty)
    #expect(await device.keyStore.keys().isEmpty)
  }

  @Test(arguments: [true, false])
  func `an excluded key: with consent the server learns of it, without the refusal is any other`(
    reveals: Bool
  ) async throws {
    let device = PasskeyDevice(consent: Agreement(reveals: reveals))
    let first = try await Step(Data71.registration())
    _ = try await first.registration(device).register(window: PresentationAnchor()).get()
    let key = try #require(try await device.keys.first)
    let step = try await Step(Data71.registration(["_excludeCredentials": Data71.descriptors([key.id])]))
    let result = try await step.registration(device).register(window: PresentationAnchor())
    #expect(throws: WebAuthnError.self) { try result.get() }
    #expect(
      step.hidden.value
        == (reveals
          ? "ERROR::InvalidStateError:This device is registered already."
          : "ERROR::NotAllowedError:The operation was canceled."))
  }

  @Test func `without anybody to ask, nothing is made`() async throws {
    let device = PasskeyDevice(consent: nil)
    let step = try await Step(Data71.registration())
    let result = try await step.registration(device).register(window: PresentationAnchor())
    guard case .failure(WebAuthnError.cancelled) = result else { throw Step.WrongCallback() }
    #expect(try await device.keys.isEmpty)
  }

  @Test(
    arguments: [
      ["challenge": ""], ["challenge": 7], ["userId": NSNull()], ["attestationPreference": "all"],
      ["_pubKeyCredParams": [Any]()], ["_pubKeyCredParams": "x"], ["_authenticatorSelection": "{"],
      ["_relyingPartyId": 1], ["_excludeCredentials": [["id": [300]]]],
      ["_excludeCredentials": [["id": "x y"]]],
      ["_excludeCredentials": [["id": [Any]()]]], ["_excludeCredentials": ["x"]],
    ].map { OptionsBox($0) })
  func `options that cannot be read fail, and nothing traps`(changes: OptionsBox) async throws {
    let step = try await Step(Data71.registration(changes.value))
    let callback = try step.registration(PasskeyDevice())
    let result = await callback.register(window: PresentationAnchor())
    guard case .failure(let error as FidoError) = result else { throw Step.WrongCallback() }
    switch error {
    case .invalidChallenge: #expect(changes.value["challenge"] != nil)
    case .missingParameters: #expect(changes.value["challenge"] == nil)
    default: Issue.record(error)
    }
    guard case .badData = callback.failure else { throw Step.WrongCallback() }
    #expect(step.hidden.value.hasPrefix("ERROR::DataError:"))
  }

  @Test func `the server's refusal removes the new key; its acceptance removes the account's older one`()
    async throws
  {
    let device = PasskeyDevice()
    func register(_ answer: (ContinueNode) -> any Node) async throws {
      let step = try await Step(Data71.registration())
      let callback = try step.registration(device)
      _ = try await callback.register(window: PresentationAnchor()).get()
      await callback.answered(with: answer(step.node))
    }
    try await register { _ in SuccessNode(session: EmptySession()) }
    let first = try #require(try await device.keys.first)
    try await register { ErrorNode(status: 401, context: $0.context) }
    #expect(try await device.keys == [first])
    // Nobody knows whether the server received it: both stay.
    try await register { _ in FailureNode(cause: CancellationError()) }
    #expect(try await device.keys.count == 2)
    // A step that asks again has not accepted it.
    try await register { $0 }
    #expect(try await device.keys.count == 3)
    try await register { _ in SuccessNode(session: EmptySession()) }
    let keys = try await device.keys
    #expect(keys.count == 1 && keys != [first])
    #expect(await device.keyStore.keys().count == 1)
  }

  @Test func `outside of a journey the older key was deleted before the relying party had seen the new one`()
    async throws
  {
    let device = PasskeyDevice()
    let fido = Fido(config: device.config)
    let creation: [String: Any] = [
      "challenge": "AAECAwQFBgcICQoLDA0ODw", "rp": ["id": "example.com", "name": "Example"],
      "user": ["id": "ZGVtbw", "name": "demo", "displayName": "Demo"],
      "pubKeyCredParams": [["type": "public-key", "alg": -7] as [String: Any]],
      "authenticatorSelection": ["requireResidentKey": true],
    ]
    func register() async throws -> Data {
      let made = try await fido.register(options: creation, window: PresentationAnchor()).get()
      return try #require(made["rawId"] as? Data)
    }
    let first = try await register()
    let refused = try await register()
    #expect(try await device.keys.count == 2)
    try await fido.withdraw(rawId: refused)
    #expect(try await device.keys.map { Data($0.id) } == [first])
    let accepted = try await register()
    try await fido.confirm(rawId: accepted)
    #expect(try await device.keys.map { Data($0.id) } == [accepted])
    #expect(await device.keyStore.keys().count == 1)
  }

  @Test func `options as dictionaries, outside of a journey`() async throws {
    let device = PasskeyDevice()
    let fido = Fido(config: device.config)
    let creation: [String: Any] = [
      "challenge": "AAECAwQFBgcICQoLDA0ODw", "rp": ["id": "example.com", "name": "Example"],
      "user": ["id": "ZGVtbw", "name": "demo", "displayName": "Demo"],
      "pubKeyCredParams": [["type": "public-key", "alg": "-7"]],
    ]
    let made = try await fido.register(options: creation, window: PresentationAnchor()).get()
    let id = try #require(made["rawId"] as? Data)
    let request: [String: Any] = [
      "challenge": "AAECAwQFBgcICQoLDA0ODw", "rpId": "example.com",
      "allowCredentials": [["type": "public-key", "id": Base64URL.encode(Array(id))]],
    ]
    let result = await withCheckedContinuation { continuation in
      fido.authenticate(options: request, window: PresentationAnchor()) {
        continuation.resume(returning: (try? $0.get())?["rawId"] as? Data)
      }
    }
    #expect(result == id)
  }
}

/// Changes to options that cross to a parameterised test.
// Never changed.
struct OptionsBox: @unchecked Sendable, CustomTestStringConvertible {
  let value: [String: Any]
  init(_ value: [String: Any]) { self.value = value }
  var testDescription: String { "\(value)" }
}
