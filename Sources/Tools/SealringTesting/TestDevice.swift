public import DeviceKeys
public import Foundation
internal import JourneyDriving
public import PingBinding
internal import PingDeviceId
public import PingJourney
public import PingJourneyPlugin
internal import PingLogger
public import PingOrchestrate
public import PingStorage
public import UserVerification

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// A device in a test: its keys, what it remembers of them, and the application on it.
///
/// Two values are two devices. Keys live in memory unless a store is given.
public final class TestDevice: Sendable {
  /// The application id that signed tokens carry as `iss`; the bundled journeys accept the default.
  public let applicationID: String

  /// The device's private keys.
  public let keyStore: any DeviceKeyStore

  /// What the device knows of its keys.
  public let userKeys: any Storage<[UserKey]>

  /// The device's fingerprint reader; `nil` when it has none.
  public let biometricVerifier: (any BiometricVerifier)?

  /// What checks the device's own credential; `nil` when it has none.
  public let deviceCredentialVerifier: (any DeviceCredentialVerifier)?

  /// Keeps what a verification of the person releases.
  private let vaultFolder = FileManager.default.temporaryDirectory
    .appending(path: "sealring-test-device-\(UUID().uuidString)")

  /// May change the server's answers on their way to the device, as somebody in between would.
  public let wire: @Sendable (Data) -> Data

  /// A device without keys, unless the stores hold some.
  public init(
    applicationID: String = "com.sealring.cli", keyStore: any DeviceKeyStore = MemoryKeyStore(),
    userKeys: any Storage<[UserKey]> = MemoryStorage<[UserKey]>(),
    biometricVerifier: (any BiometricVerifier)? = nil,
    deviceCredentialVerifier: (any DeviceCredentialVerifier)? = nil,
    wire: @escaping @Sendable (Data) -> Data = { $0 }
  ) {
    self.applicationID = applicationID
    self.keyStore = keyStore
    self.userKeys = userKeys
    self.biometricVerifier = biometricVerifier
    self.deviceCredentialVerifier = deviceCredentialVerifier
    self.wire = wire
  }

  deinit { try? FileManager.default.removeItem(at: vaultFolder) }

  /// A journey client of this device's application, with a session of its own.
  public func journey(on server: TestServer, realm: String = "alpha") -> Journey {
    let (address, cookieName, wire) = (server.address, server.cookieName, wire)
    return Journey.createJourney { config in
      config.logger = LogManager.none
      config.serverUrl = address
      config.realm = realm
      config.cookie = cookieName
      config.httpClient = WireClient(wire)
      config.module(SessionModule.config) { $0.storage = MemoryStorage<SSOTokenImpl>() }
    }
  }

  /// Sets what makes a `bind` or `sign` call this device's.
  public func configure(_ config: DeviceBindingConfig, person: ScriptedPerson, clock: TestClock) {
    config.applicationId = applicationID
    config.keyStore = keyStore
    config.userKeyStorage = UserKeyStorageConfig(storage: userKeys)
    config.deviceIdentifier = FixedDeviceIdentifier()
    config.biometricVerifier = biometricVerifier
    config.deviceCredentialVerifier = deviceCredentialVerifier
    config.credentialSource = person
    config.authorizationVault = AuthorizationVault(directory: vaultFolder)
    config.pinCollector = person
    config.userKeySelector = person
    config.transactionConfirmation = { await person.approves($0) }
    config.textConfirmation = { await person.signs($0) }
    config.issueTime = { clock.now }
    config.notBeforeTime = { clock.now }
    config.expirationTime = { clock.now.addingTimeInterval(TimeInterval($0)) }
  }

  /// Plays a journey to its end, answering name, password, text, binding and signing.
  ///
  /// - Parameters:
  ///   - name: The journey.
  ///   - server: Where it is played.
  ///   - realm: The journey's realm.
  ///   - username: The answer to name inputs.
  ///   - password: The answer to password inputs.
  ///   - person: Who enters PINs and picks keys; by default, cancels.
  ///   - text: The answer to text inputs, such as the transaction to sign.
  ///   - claims: Custom claims of a signature.
  ///   - timeout: Seconds of real time that the person has for each callback, when that is less than the server gives.
  ///   - tamper: May change each step's callbacks after they were answered and before they are sent.
  /// - Returns: How the journey ended; a failure is an outcome, too.
  public func play(
    _ name: String, on server: TestServer, realm: String = "alpha", as username: String = "",
    password: String = "",
    person: ScriptedPerson = ScriptedPerson(pins: []), text: String = "", claims: [String: String] = [:],
    timeout: Int? = nil, tamper: @Sendable (any Callback) async -> Void = { _ in }
  ) async -> TestOutcome {
    let journey = journey(on: server, realm: realm)
    return await outcome(from: await journey.start(name), tamper: tamper) { callback in
      switch callback {
      case let callback as NameCallback: callback.name = username
      case let callback as PasswordCallback: callback.password = password
      case let callback as TextInputCallback: callback.text = text
      default: break
      }
      return await answer(callback) { config in
        self.configure(config, person: person, clock: server.clock)
        config.claims = claims
        if let timeout { config.timeout = timeout }
      }
    }
  }

  /// Approves or refuses a transaction in its journey.
  ///
  /// - Parameters:
  ///   - id: The transaction, as ``TestApplication/create(_:for:journey:expiresIn:)`` returned it.
  ///   - server: Where it is.
  ///   - realm: Its realm.
  ///   - person: Who is shown the transaction, and enters the PIN.
  ///   - timeout: Seconds of real time that the person has, when that is less than the server gives.
  ///   - tamper: May change the callback after it was answered and before it is sent.
  /// - Returns: How the journey ended; a failure is an outcome, too.
  public func approve(
    _ id: String, on server: TestServer, realm: String = "alpha", person: ScriptedPerson,
    timeout: Int? = nil, tamper: @Sendable (any Callback) async -> Void = { _ in }
  ) async -> TestOutcome {
    let journey = journey(on: server, realm: realm)
    return await outcome(from: await journey.start(transaction: id), tamper: tamper) { callback in
      await answer(callback) { config in
        self.configure(config, person: person, clock: server.clock)
        if let timeout { config.timeout = timeout }
      }
    }
  }

  /// Plays a journey.
  ///
  /// - Parameter answer: Answers one callback; returns why that failed.
  private func outcome(
    from first: any Node, tamper: (any Callback) async -> Void,
    answer: (any Callback) async -> DeviceBindingStatus?
  ) async -> TestOutcome {
    var statuses: [DeviceBindingStatus] = []
    let node = await JourneyDriver().play(from: first) { callback, _ in
      if let status = await answer(callback) { statuses.append(status) }
      await tamper(callback)
    }
    return TestOutcome(node: node, statuses: statuses)
  }

  /// Binds or signs with what `configure` sets, where the callback asks for that; returns why that failed.
  package func answer(
    _ callback: any Callback, _ configure: @escaping @Sendable (DeviceBindingConfig) -> Void
  ) async -> DeviceBindingStatus? {
    let result: Result<[String: Any], any Error>
    switch callback {
    case let callback as DeviceBindingCallback: result = await callback.bind(config: configure)
    case let callback as DeviceSigningVerifierCallback: result = await callback.sign(config: configure)
    default: return nil
    }
    if case .failure(let status as DeviceBindingStatus) = result { return status }
    return nil
  }
}

/// How a journey ended that a ``TestDevice`` played.
public struct TestOutcome: Sendable {
  /// The last node: success, error or failure.
  public let node: any Node

  /// What `bind` and `sign` failed with, in order; empty when they all succeeded.
  public let statuses: [DeviceBindingStatus]

  /// Whether the server accepted everything.
  public var isSuccess: Bool { node is SuccessNode }

  /// The session token, when the server issued one.
  public var token: String? { (node as? SuccessNode)?.session.value }

  /// The HTTP status of a refusal.
  public var refusalStatus: Int? { (node as? ErrorNode)?.status }

  /// The message of a refusal.
  public var refusalMessage: String? { (node as? ErrorNode)?.message }
}

/// The device id that all test devices send; the server does not interpret it.
private struct FixedDeviceIdentifier: DeviceIdentifier {
  let id = "device of a test"
}

/// Lets the answers pass through `wire`.
// Its one stored property is immutable and Sendable.
private final class WireClient: PingOrchestrate.HttpClient, @unchecked Sendable {
  private let wire: @Sendable (Data) -> Data

  init(_ wire: @escaping @Sendable (Data) -> Data) {
    self.wire = wire
    super.init()
  }

  override func sendRequest(request: Request) async throws -> (Data, URLResponse) {
    let (data, head) = try await super.sendRequest(request: request)
    return (wire(data), head)
  }
}
