import DeviceKeys
import Foundation
import PingBinding
import PingJourneyPlugin
import PingStorage
import ProofFixtures
import StrictJSON
import Testing

@Suite struct BindTests {
  let device = BindingDevice()

  @Test func `the token has exactly the expected members and verifies`() async throws {
    let outcome = await device.bind()
    let key = try #require(try await device.keys.first)
    let token = try outcome.token()
    let jwk = try #require(token.header["jwk"]?.objectValue)

    #expect(token.header.names == ["typ", "alg", "kid", "jwk"])
    #expect(token.header["typ"] == "JWS")
    #expect(token.header["alg"] == "ES256")
    #expect(token.keyID == key.kid)
    #expect(jwk.names == ["kty", "crv", "x", "y", "use", "alg", "kid"])
    #expect(jwk["kid"]?.stringValue == key.kid)
    #expect(jwk["use"]?.stringValue == "sig")
    #expect(
      token.claims == [
        "sub": .string(mira), "iss": "com.acme.wallet", "challenge": .string(challenge), "iat": 1_767_225_600,
        "nbf": 1_767_225_600, "exp": 1_767_225_660, "platform": "linux",
      ])
  }

  @Test func `success fills all inputs and clears the client error`() async throws {
    let callback = bindingCallback(place: 3)
    callback.setClientError("Abort")
    let outcome = await device.bind(callback) { $0.deviceName = "Till 4" }
    #expect(Set(outcome.inputs.keys) == ["jws", "deviceName", "deviceId", "clientError"])
    #expect(outcome.inputs["deviceName"] == "Till 4")
    #expect(outcome.inputs["deviceId"] == "device-1")
    #expect(outcome.inputs["clientError"] == "")
    #expect(inputs(of: callback.payload()) == outcome.inputs)
  }

  @Test func `failure fills the client error alone`() async throws {
    let callback = bindingCallback(type: "APPLICATION_PIN")
    let outcome = await device.bind(callback) { $0.pinCollector = ScriptedPIN(nil) }
    #expect(outcome.status == .abort)
    #expect(
      inputs(of: callback.payload()) == ["jws": "", "deviceName": "", "deviceId": "", "clientError": "Abort"])
    callback.setClientError("CustomUnReg")
    #expect(inputs(of: callback.payload())["clientError"] == "CustomUnReg")
  }

  @Test func `rebinding removes the old private key and its description`() async throws {
    await device.bind()
    let old = try #require(try await device.keys.first)
    await device.bind()
    let new = try #require(try await device.keys.first)
    #expect(old.kid != new.kid && old.keyTag != new.keyTag)
    try await device.expectNothingLeftOver(count: 1)
  }

  @Test func `a device holds keys of several users`() async throws {
    await device.bind()
    await device.bind(bindingCallback(user: "id=babs", username: "babs"))
    #expect(Set(try await device.keys.map(\.username)) == ["mira", "babs"])
    try await device.expectNothingLeftOver(count: 2)
  }

  @Test func `a cancelled rebind leaves the old key usable`() async throws {
    await device.bind()
    let old = try #require(try await device.keys.first)
    let outcome = await device.bind(bindingCallback(type: "APPLICATION_PIN")) {
      $0.pinCollector = ScriptedPIN(nil)
    }
    #expect(outcome.status == .abort)
    #expect(try await device.keys == [old])
    try await device.expectNothingLeftOver(count: 1)
    #expect(try await device.sign().token().keyID == old.kid)
  }

  @Test func `a failure while signing leaves neither key nor description`() async throws {
    let outcome = await device.bind(bindingCallback()) {
      $0.issueTime = { Date(timeIntervalSince1970: .infinity) }
    }
    #expect(outcome.status?.clientError == "Unsupported")
    try await device.expectNothingLeftOver(count: 0)
    #expect(try await device.storage.get() == nil)
  }

  @Test func `the PIN is asked for once and used for the first signature`() async throws {
    let collector = ScriptedPIN("471108", "other")
    let outcome = await device.bind(bindingCallback(type: "APPLICATION_PIN")) { $0.pinCollector = collector }
    _ = try outcome.token()
    let prompt = try #require(collector.prompts.first)
    #expect(collector.prompts.count == 1)
    #expect([prompt.title, prompt.subtitle, prompt.description] == ["Protect", "", "Choose a PIN"])
    #expect(prompt.isNewPIN)
    let key = try #require(try await device.keys.first)
    #expect(key.authType == .applicationPin)
    _ = try await device.keyStore.openKey(tag: key.keyTag, unlock: .pin(PIN("471108")))
  }

  @Test func `an app chosen tag is kept apart from the key id and replaced only after success`() async throws
  {
    for pin in ["471108", "930274"] {
      await device.bind(bindingCallback(type: "APPLICATION_PIN")) {
        $0.authenticatorConfig = AppPinConfig(keyTag: "my-custom-key-tag", pinCollector: ScriptedPIN(pin))
      }
      let key = try #require(try await device.keys.first)
      #expect(UUID(uuidString: key.kid) != nil)
      #expect(key.keyTag.hasPrefix("my-custom-key-tag."))
      try await device.expectNothingLeftOver(count: 1)
    }
    let failed = await device.bind(bindingCallback(type: "APPLICATION_PIN")) {
      $0.authenticatorConfig = AppPinConfig(keyTag: "my-custom-key-tag", pinCollector: ScriptedPIN(nil))
    }
    #expect(failed.status == .abort)
    try await device.expectNothingLeftOver(count: 1)
  }

  @Test(arguments: [nil, NSNull()] as [NSNull?])
  func `without an authentication type a key needs nothing but the device`(type: NSNull?) async throws {
    let callback = bindingCallback(type: nil)
    if let type { callback.initValue(name: "authenticationType", value: type) }
    #expect(callback.deviceBindingAuthenticationType == .none)
    #expect(await device.bind(callback).status == nil)
    #expect(try await device.keys.map(\.authType) == [.none])
  }

  @Test func `an authentication type that is not text is not taken for none`() async throws {
    let callback = bindingCallback(type: nil)
    callback.initValue(name: "authenticationType", value: 1)
    #expect(await device.bind(callback).status?.clientError == "Unsupported")
  }

  @Test(arguments: ["", "SOMETHING_NEW", "none"])
  func `an unknown authentication type is not downgraded`(type: String) async throws {
    let outcome = await device.bind(bindingCallback(type: type))
    #expect(outcome.status?.clientError == "Unsupported")
    try await device.expectNothingLeftOver(count: 0)
  }

  @Test(arguments: ["BIOMETRIC_ONLY", "BIOMETRIC_ALLOW_FALLBACK"])
  func `without anybody to verify the person biometric types are unsupported and say why`(type: String)
    async throws
  {
    let outcome = await device.bind(bindingCallback(type: type))
    #expect(outcome.status?.clientError == "Unsupported")
    #expect(try #require(outcome.status?.errorMessage).contains("config.biometricVerifier"))
    try await device.expectNothingLeftOver(count: 0)
  }

  @Test func `other key sizes are refused before anybody is asked`() async throws {
    let collector = ScriptedPIN("471108")
    let outcome = await device.bind(bindingCallback(type: "APPLICATION_PIN")) {
      $0.authenticatorConfig = AppPinConfig(keySizeInBits: 384, pinCollector: collector)
    }
    #expect(try #require(outcome.status?.errorMessage).contains("384"))
    #expect(collector.prompts.isEmpty)
  }

  @Test(arguments: [("", challenge), (mira, "")])
  func `a callback without user or challenge is unsupported`(user: String, challenge: String) async {
    let outcome = await device.bind(bindingCallback(user: user, challenge: challenge))
    #expect(outcome.status?.clientError == "Unsupported")
  }

  @Test func `an earlier device name wins unless the configuration has one`() async {
    let named = bindingCallback()
    named.setDeviceName("Mira's till")
    #expect(await device.bind(named).inputs["deviceName"] == "Mira's till")
    #expect(await device.bind(named) { $0.deviceName = "Till 5" }.inputs["deviceName"] == "Till 5")
    #expect(await device.bind().inputs["deviceName"]?.isEmpty == false)
  }

  @Test func `a callback without inputs does not crash`() async {
    let callback = DeviceBindingCallback()
    callback.userId = mira
    callback.challenge = challenge
    callback.deviceBindingAuthenticationType = .none
    #expect(await device.bind(callback).status == nil)
  }

  @Test func `wrong types of outputs leave the defaults`() {
    let callback = DeviceBindingCallback()
    callback.initValue(name: "timeout", value: ["a"])
    callback.initValue(name: "userId", value: [1])
    callback.initValue(name: "attestation", value: "perhaps")
    #expect(callback.timeout == 60)
    #expect(callback.userId == "")
    #expect(callback.attestation == .none)
  }

  @Test func `the app's own authenticator is used and its key is found again`() async throws {
    let outcome = await device.bind(bindingCallback(type: "APPLICATION_PIN")) {
      $0.deviceAuthenticator = FixedPINAuthenticator()
    }
    _ = try outcome.token()
    #expect(try await device.keys.first?.keyTag == "own-tag")
    let signed = await device.sign(signingCallback()) { $0.deviceAuthenticator = FixedPINAuthenticator() }
    _ = try signed.token()
  }
}

/// An authenticator as an app writes it: keys in the operation's store, under a tag of its own.
class FixedPINAuthenticator: DefaultDeviceAuthenticator {
  override func type() -> DeviceBindingAuthenticationType { .applicationPin }
  override func isSupported(attestation: Attestation) -> Bool { true }
  override func register() async throws -> KeyPair {
    KeyPair(
      try await keyStore().createKey(
        tag: "own-tag", protection: .applicationPIN, unlock: .pin(PIN("930274"))))
  }
  override func authenticate(keyTag: String) async -> Result<any DeviceKey, any Error> {
    do {
      return .success(try await keyStore().openKey(tag: keyTag, unlock: .pin(PIN("930274"))))
    } catch {
      return .failure(error)
    }
  }
}
