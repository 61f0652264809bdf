import Assembly
import CommonFixtures
import DeviceKeys
import Foundation
import JourneyStore
import KeyAttestation
import PingBinding
import PingJourney
import PingJourneyPlugin
import PingOrchestrate
import PingStorage
import ProofFixtures
import SealringTesting
import StrictJSON
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The flows of the binding guides against a real server over HTTP, each with the outcome that the text promises.
@Suite struct GuideFlowTests {
  private static let password = "Correct horse battery 1"
  private let device = BindingDevice()

  // MARK: As printed

  /// "Binding keys to a device", "Verifying bound keys on a device": nothing is configured. In a process with a home of its own.
  @Test func `the printed bind and sign`() async throws {
    let folder = TemporaryFolder()
    let path = folder.url.path
    await #expect(processExitsWith: .success) { [path = path as String] in
      setenv("SEALRING_HOME", path, 1)
      try await Self.run { (server) async throws in
        // The server's list of applications decides.
        let refused = await Self.play("BindDeviceNoPin", on: server) { await $0.bind() }
        #expect(refused.node is ErrorNode && refused.results.allSatisfy(\.isSuccess))
        #expect(try await BindingModule.getAllKeys().isEmpty)

        BindingModule.applicationId = "com.sealring.cli"
        let bound = await Self.play("BindDeviceNoPin", on: server) { await $0.bind() }
        #expect(bound.node is SuccessNode)
        let record = try #require(try await server.devices(of: "mira").first)
        let key = try #require(try await BindingModule.getAllKeys().first)
        #expect(record.uuid == key.kid)
        #expect(!record.deviceName.isEmpty)
        let signed = await Self.play("SignIn", on: server, sign: { await $0.sign() })
        #expect(signed.node is SuccessNode)
      }
    }
  }

  /// "Migration during bind and sign operations": a key of the earlier SDK signs in where it was bound.
  @Test func `a legacy key is migrated and used for signing`() async throws {
    let folder = TemporaryFolder()
    let path = folder.url.path
    await #expect(processExitsWith: .success) { [path = path as String] in
      setenv("SEALRING_HOME", path, 1)
      BindingModule.applicationId = "com.sealring.cli"
      try await Self.run { (server) async throws in
        let bound = await Self.play("BindDeviceNoPin", on: server, bind: { await $0.bind() })
        #expect(bound.node is SuccessNode)
        // The device as the earlier SDK leaves it: the private key, and a legacy entry that describes it.
        let key = try #require(try await BindingModule.getAllKeys().first)
        try FileLegacyStore().add(
          Data(
            """
            {"id": "\(key.keyTag)", "userId": "\(key.userId)", "userName": "mira", "kid": "\(key.kid)",
             "authType": "NONE", "createdAt": 1763384307.7923698}
            """.utf8), id: key.keyTag)
        try await UserKeyStorageConfig().storage.delete()
        #expect(try await BindingModule.getAllKeys().isEmpty)
        await BindingMigration.resetMigrationState()

        // An app's window or terminal asks; this process has neither.
        let signed = await Self.play(
          "SignIn", on: server,
          sign: { await $0.sign { $0.serverConfirmation = { _, asking, _ in asking == server.address } } })
        #expect(signed.node is SuccessNode)
        #expect(try await BindingModule.getAllKeys().map(\.kid) == [key.kid])
        #expect(try FileLegacyStore().entries().isEmpty)
      }
    }
  }

  // MARK: PINs

  /// "Creating a custom UI for PIN entry": the screen submits four digits.
  @Test(arguments: ["7359", "0264"])
  func `the guide's PIN screen binds and signs`(pin: String) async throws {
    try await Self.run { (server) async throws in
      let bound = await play("BindDevice", on: server) { $0.pinCollector = ScriptedPIN(pin) }
      #expect(bound.node is SuccessNode)
      let signed = await play("SignIn", on: server) { $0.pinCollector = ScriptedPIN(pin) }
      #expect(signed.node is SuccessNode)
    }
  }

  /// A PIN that is guessed first is refused whatever its length, and the person is told why.
  @Test func `a common PIN is refused with the reason`() async throws {
    try await Self.run { (server) async throws in
      let collector = ScriptedPIN("1234", "2580", "1111")
      let bound = await play("BindDevice", on: server) { $0.pinCollector = collector }
      #expect(bound.node is ErrorNode)
      #expect(bound.status?.clientError == "Unsupported")
      #expect(collector.prompts.dropFirst().allSatisfy { $0.problem != nil })
      #expect(try await server.devices(of: "mira").isEmpty)
      try await device.expectNothingLeftOver(count: 0)
    }
  }

  /// "Configuring authenticator parameters"
  @Test func `the parameters of the PIN authenticator`() async throws {
    try await Self.run { (server) async throws in
      let collector = ScriptedPIN("7359")
      let bound = await play("BindDevice", on: server) { config in
        let appPinConfig = AppPinConfig(
          prompt: Prompt(title: "Enter PIN", subtitle: "Security", description: "Enter your 4-digit PIN"),
          pinRetry: 5, keyTag: "my-custom-key-tag", pinCollector: collector)
        config.deviceAuthenticator = AppPinAuthenticator(config: appPinConfig)
      }
      #expect(bound.node is SuccessNode)
      #expect(collector.prompts.map(\.description) == ["Enter your 4-digit PIN"])
      #expect(try await device.keys.first?.keyTag.hasPrefix("my-custom-key-tag") == true)
    }
  }

  // MARK: Signing

  /// "Adding custom claims when signing using bound keys"
  @Test func `custom claims reach the server`() async throws {
    try await Self.run { (server) async throws in
      _ = await play("BindDeviceNoPin", on: server)
      let signed = await play("SignIn", on: server) { config in
        config.claims = [
          "amount": "100.00",
          "recipient": "babs@example.com",
          "currency": "USD",
          "platform": "till",
        ]
      }
      #expect(signed.node is SuccessNode)
      let claims = try #require(signed.results.last).token().claims
      #expect(claims["amount"] == "100.00" && claims["platform"] == "till")
    }
  }

  /// "Creating a custom UI for key selection": several users of one device.
  @Test func `the person chooses among several users' keys`() async throws {
    try await Self.run { (server) async throws in
      try await server.addUser("babs", password: Self.password)
      for user in ["mira", "babs"] {
        #expect(await play("BindDeviceNoPin", on: server, as: user).node is SuccessNode)
      }
      let selector = ScriptedSelector { keys in keys.first { $0.username == "mira" } }
      let signed = await play("SignIn", on: server) { $0.userKeySelector = selector }
      #expect(signed.node is SuccessNode)
      #expect(selector.shown.map { $0.map(\.username) } == [["babs", "mira"]])
      let mira = try #require(try await server.devices(of: "mira").first)
      #expect(try #require(signed.results.last).token().keyID == mira.uuid)
    }
  }

  // MARK: Errors, by the guide's table

  @Test func `client not registered leads to binding`() async throws {
    try await Self.run { (server) async throws in
      let signed = await play("SignIn", on: server)
      #expect(signed.status == .clientNotRegistered && signed.node is ErrorNode)
      #expect(await play("BindDeviceNoPin", on: server).node is SuccessNode)
      #expect(await play("SignIn", on: server).node is SuccessNode)
    }
  }

  @Test func `unsupported leads to a type without biometrics`() async throws {
    try await Self.run { (server) async throws in
      let bound = await play("BindDeviceBiometric", on: server)
      #expect(bound.status?.clientError == "Unsupported" && bound.node is ErrorNode)
      #expect(await play("BindDeviceNoPin", on: server).node is SuccessNode)
    }
  }

  @Test func `unauthorize is asked again`() async throws {
    try await Self.run { (server) async throws in
      _ = await play("BindDevice", on: server) { $0.pinCollector = ScriptedPIN("7359") }
      let wrong = await play("SignIn", on: server) {
        $0.pinCollector = ScriptedPIN("1111", "2222", "3333")
      }
      #expect(wrong.status == .unAuthorize && wrong.node is ErrorNode)
      let right = await play("SignIn", on: server) { $0.pinCollector = ScriptedPIN("7359") }
      #expect(right.node is SuccessNode)
    }
  }

  @Test func `abort shows no error and leaves nothing`() async throws {
    try await Self.run { (server) async throws in
      let bound = await play("BindDevice", on: server) { $0.pinCollector = ScriptedPIN(nil) }
      #expect(bound.status == .abort && bound.node is ErrorNode)
      try await device.expectNothingLeftOver(count: 0)
    }
  }

  @Test func `invalid custom claims are renamed`() async throws {
    try await Self.run { (server) async throws in
      _ = await play("BindDeviceNoPin", on: server)
      let signed = await play("SignIn", on: server) { $0.claims = ["iss": "me"] }
      #expect(signed.status == .invalidCustomClaims && signed.node is ErrorNode)
      #expect(await play("SignIn", on: server) { $0.claims = ["issuer": "me"] }.node is SuccessNode)
    }
  }

  /// "Allow retry with a longer timeout."
  @Test func `timeout is retried with a longer one`() async throws {
    try await Self.run { (server) async throws in
      for (factor, succeeds) in [(1, false), (2, true)] {
        let clock = ManualClock()
        let collector = StallingPIN()
        async let played = play("BindDevice", on: server) {
          $0.clock = clock
          $0.timeout *= factor
          $0.pinCollector = collector
        }
        await collector.asked.wait()
        clock.advance(by: .seconds(60))
        if succeeds { collector.answer("7359") }
        let bound = await played
        #expect((bound.node is SuccessNode) == succeeds)
        #expect((bound.status == .timeout) != succeeds)
      }
    }
  }

  // MARK: Attestation

  /// PingAM's switch asks Android devices; the journey of ours asks all.
  @Test(arguments: [false, true])
  func `a device that leaves attestation out is refused only where it is required`(isRequired: Bool)
    async throws
  {
    let folder = TemporaryFolder()
    let realm = folder.url.appending(path: "alpha")
    try FileManager.default.createDirectory(at: realm, withIntermediateDirectories: true)
    if !isRequired {
      let file = "BindDeviceAttested.journey.json"
      let bundled = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../journeys/\(file)").standardizedFileURL
      let text = try String(contentsOf: bundled, encoding: .utf8)
      try #require(text.contains(#""attestationRequired": true"#))
      try text.replacingOccurrences(
        of: #""attestationRequired": true"#, with: #""attestationRequired": false"#
      ).write(to: realm.appending(path: file), atomically: true, encoding: .utf8)
    }
    let roots = try TrustAnchors([Array(Self.root.utf8)])
    try await Self.run(
      journeys: folder.url, configure: { $0.attestation.tpmRoots = roots }
    ) { (server) async throws in
      let bound = await play("BindDeviceAttested", on: server) { $0.pinCollector = ScriptedPIN("7359") }
      // The device has done its part, and the server has decided.
      #expect(bound.status == nil)
      #expect((bound.node is SuccessNode) != isRequired)
      #expect(try await server.devices(of: "mira").isEmpty == isRequired)
      try await device.expectNothingLeftOver(count: isRequired ? 0 : 1)

      let collector = ScriptedPIN("7359")
      let insisting = await play("BindDeviceAttested", on: server) {
        $0.pinCollector = collector
        $0.requiresAttestation = true
      }
      #expect(insisting.status?.clientError == "Unsupported")
      // Who has a key is asked for it first; nobody is asked for a new one.
      #expect(collector.prompts.count == (isRequired ? 0 : 1))
    }
  }

  /// A root that certifies nothing: with it the server can verify, and has nothing to believe.
  private static let root = """
    -----BEGIN CERTIFICATE-----
    MIIBkTCCATegAwIBAgIUZvv4fP+5r2PRfQ63o1yldejUYkYwCgYIKoZIzj0EAwIw
    HTEbMBkGA1UEAwwSQSBtYWtlciBvZiBub3RoaW5nMCAXDTI2MTEyMjA5MDMyOVoY
    DzIxMjYxMDI5MDkwMzI5WjAdMRswGQYDVQQDDBJBIG1ha2VyIG9mIG5vdGhpbmcw
    WTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAARyTA9R0ir5opViCSBDQpf8gttD7GyN
    f/yY/QgwZISjtdyBIwkldOJ5iJ7ES2jUi1EhTa9143NWNQWcUfCmO7+vo1MwUTAd
    BgNVHQ4EFgQUvyHcnoo4GQ4W5XMaFaAOVVs+B14wHwYDVR0jBBgwFoAUvyHcnoo4
    GQ4W5XMaFaAOVVs+B14wDwYDVR0TAQH/BAUwAwEB/zAKBggqhkjOPQQDAgNIADBF
    AiEA2FZOM1BZ8ifLcjPqaOEuz+y/YSmu7igzuzZ9NBBBV70CICU9a9bLNgArd62q
    loBs4AvRWmKwQryKWdF9JxR93wHu
    -----END CERTIFICATE-----
    """

  // MARK: The app around the snippets

  private struct Played: Sendable {
    let node: any Node
    let results: [Outcome]

    var status: DeviceBindingStatus? { results.compactMap(\.status).last }
  }

  private static func run(
    journeys: URL? = nil, configure: (inout ServerConfiguration) -> Void = { _ in },
    _ body: @escaping @Sendable (TestServer) async throws -> Void
  ) async throws {
    try await TestServer.run(clock: TestClock(start: Date()), journeys: journeys, configure: configure) {
      try await $0.addUser("mira", password: password)
      try await body($0)
    }
  }

  /// Plays a journey on this test's device.
  private func play(
    _ name: String, on server: TestServer, as user: String = "mira",
    _ config: (DeviceBindingConfig) -> Void = { _ in }
  ) async -> Played {
    func configure(_ settings: DeviceBindingConfig) {
      device.configure(settings)
      settings.applicationId = "com.sealring.cli"
      settings.issueTime = { Date() }
      settings.notBeforeTime = { Date() }
      settings.expirationTime = { Date(timeIntervalSinceNow: TimeInterval($0)) }
      config(settings)
    }
    return await Self.play(
      name, on: server, as: user, bind: { await $0.bind(config: configure) },
      sign: { await $0.sign(config: configure) })
  }

  /// Plays a journey to its end, and goes on to the next node whatever binding and signing returned.
  private static func play(
    _ name: String, on server: TestServer, as user: String = "mira",
    bind: (DeviceBindingCallback) async -> Result<[String: Any], any Error> = { await $0.bind() },
    sign: (DeviceSigningVerifierCallback) async -> Result<[String: Any], any Error> = { await $0.sign() }
  ) async -> Played {
    var results: [Outcome] = []
    var node = await TestDevice().journey(on: server).start(name)
    while let step = node as? ContinueNode {
      for callback in step.callbacks {
        switch callback {
        case let callback as NameCallback: callback.name = user
        case let callback as PasswordCallback: callback.password = password
        case let callback as DeviceBindingCallback: results.append(Outcome(await bind(callback)))
        case let callback as DeviceSigningVerifierCallback: results.append(Outcome(await sign(callback)))
        default: break
        }
      }
      node = await step.next()
    }
    return Played(node: node, results: results)
  }
}

extension Outcome {
  fileprivate var isSuccess: Bool { status == nil }
}
