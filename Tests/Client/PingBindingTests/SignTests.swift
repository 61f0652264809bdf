import DeviceKeys
import Foundation
import PingBinding
import PingJourneyPlugin
import PingStorage
import ProofFixtures
import StrictJSON
import Testing

@Suite struct SignTests {
  let device = BindingDevice()

  func bindWithPIN(_ pin: String = "471108") async {
    await device.bind(bindingCallback(type: "APPLICATION_PIN")) { $0.pinCollector = ScriptedPIN(pin) }
  }

  @Test func `the token has exactly the expected members and verifies`() async throws {
    await device.bind()
    let key = try #require(try await device.keys.first)
    let outcome = await device.sign(signingCallback(user: mira)) {
      $0.claims = ["amount": "100.00", "recipient": "babs@example.com", "currency": "USD"]
    }
    let token = try outcome.token()
    #expect(token.header.names == ["typ", "alg", "kid", "jwk"])
    #expect(token.keyID == key.kid)
    #expect(
      token.claims == [
        "sub": .string(mira), "iss": "com.acme.wallet",
        "challenge": .string(challenge),
        "iat": 1_767_225_600, "nbf": 1_767_225_600, "exp": 1_767_225_660, "platform": "linux",
        "amount": "100.00", "recipient": "babs@example.com", "currency": "USD",
      ])
    #expect(outcome.inputs["clientError"] == "")
  }

  @Test func `custom claims keep their types`() async throws {
    await device.bind()
    let outcome = await device.sign(signingCallback()) {
      $0.claims = [
        "text": "1", "flag": true, "off": false, "count": 1, "zero": 0, "small": Int8(1), "rate": 0.5,
        "wide": UInt64(7), "nothing": NSNull(), "list": [1, "a", true], "map": ["deep": ["er": 1.5]],
        "boxedFlag": NSNumber(value: true), "boxedCount": NSNumber(value: 1),
        "boxedRate": NSNumber(value: 2.5),
        "perhaps": Optional("there") as Any, "maybe": Optional(3) as Any,
      ]
    }
    let claims = try outcome.token().claims
    let expected: JSONObject = [
      "text": "1", "flag": true, "off": false, "count": 1, "zero": 0, "small": 1, "rate": 0.5, "wide": 7,
      "nothing": .null, "list": [1, "a", true], "map": ["deep": ["er": 1.5]], "boxedFlag": true,
      "boxedCount": 1,
      "boxedRate": 2.5, "perhaps": "there", "maybe": 3,
    ]
    for (name, value) in expected { #expect(claims[name] == value, "\(name)") }
  }

  @Test(arguments: ["sub", "exp", "iat", "nbf", "iss", "challenge", "txn"])
  func `reserved claims are refused before anybody is asked`(name: String) async throws {
    await bindWithPIN()
    let collector = ScriptedPIN("471108")
    let outcome = await device.sign(signingCallback()) {
      $0.claims = [name: "x"]
      $0.pinCollector = collector
    }
    #expect(outcome.status == .invalidCustomClaims)
    #expect(collector.prompts.isEmpty)
  }

  @Test func `the custom claim platform was reserved`() async throws {
    await device.bind()
    let outcome = await device.sign(signingCallback()) { $0.claims = ["platform": "till"] }
    #expect(try outcome.token().claims["platform"] == "till")
  }

  static let unexpressible: [@Sendable () -> Any] = [
    { Date() }, { Double.nan }, { Float.infinity }, { UInt64.max }, { Data([1]) }, { [Date()] },
    { ["a": Double.infinity] }, { [1: "not a name"] }, { NSNumber(value: Double.nan) },
    { String?.none as Any },
    { (0..<50).reduce(1 as Any) { inner, _ in [inner] } }, { NSObject() },
  ]

  @Test(arguments: unexpressible.indices)
  func `claims that JSON cannot express are refused without a crash`(index: Int) async {
    await device.bind()
    let outcome = await device.sign(signingCallback()) { $0.claims = ["value": Self.unexpressible[index]()] }
    #expect(outcome.status == .invalidCustomClaims)
  }

  @Test(arguments: [nil, mira])
  func `without a key the client is not registered`(user: String?) async throws {
    await device.bind(bindingCallback(user: "id=babs"))
    try await BindingModule.deleteAllKeys(
      userKeyStorage: UserKeyStorageConfig(storage: device.storage), keyStore: device.keyStore)
    #expect(await device.sign(signingCallback(user: user)).status == .clientNotRegistered)
  }

  @Test func `another user's key is not used`() async {
    await device.bind(bindingCallback(user: "id=babs"))
    #expect(await device.sign(signingCallback(user: mira)).status == .clientNotRegistered)
  }

  @Test(arguments: ["NONE", "APPLICATION_PIN"])
  func `a lost private key is not registered and uses up no tries`(type: String) async throws {
    await device.bind(bindingCallback(type: type)) { $0.pinCollector = ScriptedPIN("471108") }
    try await device.keyStore.deleteKey(tag: try #require(try await device.keys.first).keyTag)
    let collector = ScriptedPIN("471108", "471108", "471108")
    let outcome = await device.sign(signingCallback()) { $0.pinCollector = collector }
    #expect(outcome.status == .clientNotRegistered)
    #expect(collector.prompts.count <= 1)
  }

  @Test(arguments: [1, 2, 3])
  func `a wrong PIN is asked for again and then unauthorised`(tries: Int) async throws {
    await bindWithPIN()
    let collector = ScriptedPIN("1", "2", "3", "4", "5", "6")
    let callback = signingCallback()
    let outcome = await device.sign(callback) {
      $0.authenticatorConfig = AppPinConfig(pinRetry: tries, pinCollector: collector)
    }
    #expect(outcome.status == .unAuthorize)
    #expect(outcome.status?.errorMessage == "Invalid Credentials")
    #expect(inputs(of: callback.payload()) == ["jws": "", "clientError": "Abort"])
    #expect(collector.prompts.count == tries)
    #expect(
      collector.prompts.map(\.triesLeft) == [nil] + (1..<tries).map { tries - $0 },
      "each prompt after a wrong PIN says how many tries are left")
  }

  @Test func `the right PIN on the last try signs`() async throws {
    await bindWithPIN()
    let outcome = await device.sign(signingCallback()) { $0.pinCollector = ScriptedPIN("1", "2", "471108") }
    _ = try outcome.token()
  }

  @Test(arguments: [nil, ""])
  func `no PIN is a cancellation`(pin: String?) async {
    await bindWithPIN()
    let outcome = await device.sign(signingCallback()) { $0.pinCollector = ScriptedPIN(pin) }
    #expect(outcome.status == .abort)
  }

  @Test func `the server's texts are shown unless the app has its own`() async {
    await bindWithPIN()
    let (plain, own) = (ScriptedPIN("471108"), ScriptedPIN("471108"))
    _ = await device.sign(signingCallback()) { $0.pinCollector = plain }
    func texts(_ prompts: [Prompt]) -> [[String]] { prompts.map { [$0.title, $0.subtitle, $0.description] } }
    #expect(texts(plain.prompts) == [["Confirm", "Acme", "Unlock your key"]])
    let prompt = Prompt(title: "Enter PIN", subtitle: "Security", description: "Enter your 4-digit PIN")
    _ = await device.sign(signingCallback()) {
      $0.authenticatorConfig = AppPinConfig(prompt: prompt, pinCollector: own)
    }
    #expect(texts(own.prompts) == texts([prompt]))
    // What the device knows stands beside the texts, whoever they are by.
    #expect((plain.prompts + own.prompts).map(\.account) == ["mira", "mira"])
    #expect((plain.prompts + own.prompts).map(\.application) == ["com.acme.wallet", "com.acme.wallet"])
  }

  @Test func `the collector of the configuration serves an AppPinConfig without one`() async throws {
    await bindWithPIN()
    let collector = ScriptedPIN("471108")
    let outcome = await device.sign(signingCallback()) {
      $0.deviceAuthenticator = AppPinAuthenticator(config: AppPinConfig(pinRetry: 1))
      $0.pinCollector = collector
    }
    _ = try outcome.token()
    #expect(collector.prompts.count == 1)
  }

  @Test func `the selector chooses among users`() async throws {
    await device.bind()
    await device.bind(bindingCallback(user: "id=babs", username: "babs"))
    let selector = ScriptedSelector { keys in keys.first { $0.username == "mira" } }
    let outcome = await device.sign(signingCallback()) { $0.userKeySelector = selector }
    #expect(try outcome.token().claims["sub"]?.stringValue == mira)
    #expect(selector.shown.count == 1)
    // The server knows the user, and the user has one key: there is nothing to choose.
    let known = await device.sign(signingCallback(user: "id=babs")) { $0.userKeySelector = selector }
    #expect(try known.token().claims["sub"]?.stringValue == "id=babs")
    #expect(selector.shown.count == 1)
  }

  @Test func `the selector chooses among keys of one user newest first`() async throws {
    let times = [10.0, 30, 20]
    var keys: [UserKey] = []
    for time in times {
      let tag = "key \(time)"
      _ = try await device.keyStore.createKey(tag: tag, protection: .none, unlock: .nothing)
      keys.append(
        UserKey(
          keyTag: tag, userId: mira, username: "mira", kid: tag, authType: .none,
          createdAt: Date(timeIntervalSince1970: time)))
    }
    try await device.storage.save(item: keys)
    let selector = ScriptedSelector { $0.last }
    let outcome = await device.sign(signingCallback(user: mira)) { $0.userKeySelector = selector }
    #expect(try outcome.token().keyID == "key 10.0")
    #expect(selector.shown.first?.map(\.kid) == ["key 30.0", "key 20.0", "key 10.0"])
  }

  @Test func `choosing nothing is a cancellation`() async {
    await device.bind()
    await device.bind(bindingCallback(user: "id=babs"))
    let outcome = await device.sign(signingCallback()) { $0.userKeySelector = ScriptedSelector { _ in nil } }
    #expect(outcome.status == .abort)
  }

  @Test func `a key that was not offered is not used`() async {
    await device.bind()
    await device.bind(bindingCallback(user: "id=babs"))
    let stranger = UserKey(keyTag: "t", userId: mira, username: "", kid: "k", authType: .none)
    let outcome = await device.sign(signingCallback()) {
      $0.userKeySelector = ScriptedSelector { _ in stranger }
    }
    #expect(outcome.status == .clientNotRegistered)
  }

  @Test func `the stored type decides how the key is unlocked`() async throws {
    await bindWithPIN()
    let key = try #require(try await device.keys.first)
    let memory = try #require(device.storage as? Memory<[UserKey]>)
    for (type, asks) in [(DeviceBindingAuthenticationType.none, false), (.applicationPin, true)] {
      let stored = UserKey(
        keyTag: key.keyTag, userId: key.userId, username: key.username, kid: key.kid, authType: type)
      try await memory.save(item: [stored])
      let collector = ScriptedPIN("471108")
      let outcome = await device.sign(signingCallback()) { $0.pinCollector = collector }
      #expect((outcome.status == nil) == asks, "the PIN's key does not open as another type")
      #expect(collector.prompts.isEmpty != asks)
    }
  }

  @Test func `an authenticator can be given directly`() async throws {
    let callback = signingCallback()
    let result = await callback.sign(authenticator: DefaultDeviceAuthenticator())
    guard case .failure(let error) = result else { Issue.record("no failure"); return }
    #expect(error is DeviceBindingStatus)
  }
}
