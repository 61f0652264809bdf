import Concurrency
import DeviceKeys
import Foundation
import PingDeviceClient
import PingJourneyPlugin
import PingOrchestrate
import PingStorage
import ProofFixtures
import Testing

@testable import PingBinding

/// Keys belong to a server and a realm.
@Suite struct ScopeTests {
  let device = BindingDevice()
  let bank = Place("https://bank.example/am")
  let other = Place("https://other.example/am")

  /// A server and realm, as a journey names them.
  struct Place: Sendable {
    let workflow: Workflow

    init(_ server: String, realm: String = "alpha") {
      workflow = Workflow(config: PlaceConfig(serverUrl: server, realm: realm))
    }
  }

  @Test(arguments: [
    "https://bank.example%2Fam", "https://bank.example%3F@evil.example/am", "https://bank.example%40evil/am",
    "https://bank.example%3A443/am",
  ])
  func `a host that only looks like another server once it is decoded is not that server`(server: String) {
    let scope = KeyScope(server: server, realm: "alpha")
    #expect(scope != KeyScope(server: "https://bank.example/am", realm: "alpha"))
    #expect(scope?.server.hasPrefix("https://bank.example/") != true)
  }

  private func bind(at place: Place, user: String = mira) async throws -> UserKey {
    let before = Set(try await device.keys.map(\.kid))
    let callback = bindingCallback(user: user)
    callback.journey = place.workflow
    #expect(await device.bind(callback).status == nil)
    return try #require(try await device.keys.first { !before.contains($0.kid) })
  }

  private func sign(
    at place: Place, user: String? = mira, _ config: (DeviceBindingConfig) -> Void = { _ in }
  ) async -> Outcome {
    let callback = signingCallback(user: user)
    callback.journey = place.workflow
    return await device.sign(callback, config)
  }

  @Test func `binding at another server leaves the key of the first alone`() async throws {
    let first = try await bind(at: bank)
    let second = try await bind(at: other)
    #expect(first.server == "https://bank.example/am" && first.realm == "alpha")
    #expect(second.server == "https://other.example/am")
    try await device.expectNothingLeftOver(count: 2)
    #expect(try await sign(at: bank).token().keyID == first.kid)
    #expect(try await sign(at: other).token().keyID == second.kid)

    let third = try await bind(at: bank)
    #expect(Set(try await device.keys.map(\.kid)) == [second.kid, third.kid])
    try await device.expectNothingLeftOver(count: 2)
  }

  @Test(arguments: [mira, nil] as [String?])
  func `another server gets no signature whatever user it names`(user: String?) async throws {
    _ = try await bind(at: bank)
    #expect(await sign(at: other, user: user).status == .clientNotRegistered)
    #expect(
      await sign(at: Place("https://bank.example/am", realm: "beta"), user: user).status
        == .clientNotRegistered)
    #expect(await sign(at: Place("http://bank.example/am"), user: user).status == .clientNotRegistered)
    #expect(await sign(at: Place("https://bank.example:8443/am"), user: user).status == .clientNotRegistered)
  }

  @Test(arguments: [
    ("https://BANK.example:443/am/", "alpha"), ("https://bank.example/am", "/alpha"),
    ("https://bank.example/am", "root/realms/alpha"),
  ])
  func `the same server is known however it is spelled`(server: String, realm: String) async throws {
    let key = try await bind(at: bank)
    #expect(try await sign(at: Place(server, realm: realm)).token().keyID == key.kid)
    _ = try await bind(at: Place(server, realm: realm))
    try await device.expectNothingLeftOver(count: 1)
  }

  @Test func `the selector is shown the keys of this server alone`() async throws {
    let keys = [try await bind(at: bank), try await bind(at: bank, user: "id=babs")]
    _ = try await bind(at: other)
    let selector = ScriptedSelector { $0.first }
    let callback = signingCallback()
    callback.journey = bank.workflow
    _ = try await device.sign(callback) { $0.userKeySelector = selector }.token()
    #expect(Set(selector.shown.joined().map(\.kid)) == Set(keys.map(\.kid)))
  }

  @Test func `a binding that waits at another server is no leftover`() async throws {
    _ = try await bind(at: other)
    var waiting = UserKey(keyTag: "t", userId: mira, username: "", kid: "waiting", authType: .none)
    waiting.state = .unconfirmed(processID: .max, until: .distantPast)
    waiting.scope = KeyScope(server: "https://bank.example/am", realm: "alpha")
    try await device.storage.save(item: (try await device.storage.get() ?? []) + [waiting])
    let storage = UserKeysStorage(config: UserKeyStorageConfig(storage: device.storage))
    #expect(try await storage.leftovers(now: Date()).isEmpty)
    #expect(try await storage.find(in: waiting.scope).map(\.kid) == ["waiting"])
  }

  // MARK: Keys of which nobody knows where they belong

  /// Answers a signing step at `place`, and has the journey go on with `node`.
  private func sign(at place: Place, then node: any Node) async throws {
    let callback = signingCallback(user: mira)
    callback.journey = place.workflow
    _ = try await device.sign(callback) { $0.serverConfirmation = { _, _, _ in true } }.token()
    await callback.answered(with: node)
  }

  private var refused: ErrorNode {
    ErrorNode(status: 401, message: "Login failure", context: FlowContext(flowContext: SharedContext()))
  }

  @Test func `an earlier key is taken over where it verifies and not where it is asked for`() async throws {
    await device.bind()
    let key = try #require(try await device.keys.first)
    #expect(key.server == nil && key.realm == nil)
    try await sign(at: other, then: refused)
    try await sign(at: other, then: FailureNode(cause: URLError(.timedOut)))
    #expect(try await device.keys.first?.server == nil)

    try await sign(at: bank, then: SuccessNode(session: EmptySession()))
    #expect(try await device.keys.first?.server == "https://bank.example/am")
    #expect(await sign(at: other).status == .clientNotRegistered)
    try await sign(at: bank, then: SuccessNode(session: EmptySession()))
    try await device.expectNothingLeftOver(count: 1)
  }

  @Test func `binding does not replace a key of which nobody knows where it belongs`() async throws {
    await device.bind()
    let earlier = try #require(try await device.keys.first)
    let key = try await bind(at: other)
    try await device.expectNothingLeftOver(count: 2)
    #expect(try await sign(at: other).token().keyID == key.kid)
    let signed = await sign(at: bank) { $0.serverConfirmation = { _, _, _ in true } }
    #expect(try signed.token().keyID == earlier.kid)
  }

  @Test func `a key of which nobody knows where it belongs signs only where the app or the person says so`()
    async throws
  {
    await device.bind()
    let key = try #require(try await device.keys.first)
    let asked = Locked<[String]>([])
    func answer(_ isRight: Bool) -> (DeviceBindingConfig) -> Void {
      { config in
        config.serverConfirmation = { key, server, realm in
          asked.withLock { $0.append("\(key.kid) \(server) \(realm)") }
          return isRight
        }
      }
    }
    #expect(await sign(at: other, answer(false)).status == .abort)
    #expect(try await sign(at: bank, answer(true)).token().keyID == key.kid)
    #expect(
      asked.withLock { $0 } == [
        "\(key.kid) https://other.example/am alpha", "\(key.kid) https://bank.example/am alpha",
      ])
    // This process has no terminal.
    let unasked = await sign(at: other)
    #expect(unasked.status?.clientError == "Unsupported")
    #expect(unasked.status?.errorMessage.contains("config.serverConfirmation") == true)
    // Outside a journey there is no server that it could be used at.
    #expect(await device.sign(signingCallback()).status == nil)
  }

  @Test func `a key of which nobody knows where it belongs binds no tokens`() async throws {
    await device.bind()
    let elsewhere = BoundProofKey(journey: bank.workflow) { [device] in device.configure($0) }
    await #expect(throws: DeviceBindingError.deviceNotRegistered) { try await elsewhere.proofKey() }
    #expect(try await elsewhere.thumbprint() == nil)
    try await sign(at: bank, then: SuccessNode(session: EmptySession()))
    #expect(try await elsewhere.thumbprint() != nil)
  }

  @Test func `a key whose server is known is not asked about`() async throws {
    let key = try await bind(at: bank)
    let signed = await sign(at: bank) { $0.serverConfirmation = { _, _, _ in false } }
    #expect(try signed.token().keyID == key.kid)
  }

  @Test func `a key of somebody else is not used whoever the server names`() async throws {
    let babs = try await bind(at: bank, user: "id=babs")
    let mistaken = await sign(at: bank, user: "id=babs") { $0.username = "noor" }
    #expect(mistaken.status == .clientNotRegistered)
    #expect(await sign(at: bank, user: nil) { $0.username = "noor" }.status == .clientNotRegistered)
    #expect(try await sign(at: bank, user: "id=babs") { $0.username = "MIRA" }.token().keyID == babs.kid)
  }

  @Test func `descriptions of earlier versions are read`() throws {
    let text = """
      {"keyTag":"t","userId":"u","username":"n","kid":"k","authType":"NONE","createdAt":788918400,
       "state":{"pending":{"processID":7,"until":788918400}}}
      """
    let key = try JSONDecoder().decode(UserKey.self, from: Data(text.utf8))
    #expect(key.scope == nil && key.worker == nil && key.state != nil)
  }

  // MARK: Unbinding

  @Test(arguments: [false, true])
  func `another server is not asked to unbind and only force deletes the key`(forced: Bool) async throws {
    let key = try await bind(at: bank)
    let client = DeviceClient(
      config: DeviceClientConfig(serverUrl: "https://other.example/am", realm: "alpha", ssoToken: "t"))
    let error = await #expect(throws: UnbindingError.self) {
      try await BindingModule.unbind(
        key, on: client, forceDelete: forced, userKeyStorage: UserKeyStorageConfig(storage: device.storage),
        keyStore: device.keyStore, authorizationVault: device.vault)
    }
    #expect(error?.localizedDescription.contains("https://bank.example/am") == true)
    #expect(error?.isKeyDeleted == forced)
    try await device.expectNothingLeftOver(count: forced ? 0 : 1)
  }

  // MARK: What the person is told

  @Test func `the prompt says who asks below what the server says next to the question`() async throws {
    let collector = ScriptedPIN("471108", "471108")
    let callback = bindingCallback(type: "APPLICATION_PIN")
    callback.journey = bank.workflow
    callback.title = "Server   https://bank.example/am"
    #expect(await device.bind(callback) { $0.pinCollector = collector }.status == nil)
    let prompt = try #require(collector.prompts.first)
    #expect(prompt.server == "https://bank.example/am" && prompt.realm == "alpha")
    #expect(prompt.account == "mira" && prompt.application == "com.acme.wallet")
    #expect(
      prompt.lines("Choose a PIN") == """
        Choose a PIN
          | Server https://bank.example/am
          | Choose a PIN
          Server       https://bank.example/am
          Realm        alpha
          Account      mira
          Application  com.acme.wallet
          Time         1 minute

        """)
  }
}

/// The configuration of a journey.
private final class PlaceConfig: WorkflowConfig, ServerAddressed, @unchecked Sendable {
  let serverUrl: String?
  let realm: String

  init(serverUrl: String, realm: String) {
    (self.serverUrl, self.realm) = (serverUrl, realm)
    super.init()
  }
}
