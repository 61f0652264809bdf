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

/// A device in a test: its keys, its records of them, and its application.
///
/// Each value is a separate device. Keys live in memory unless a store is given.
public final class TestDevice: Sendable {
  /// The application id that signed tokens carry as `iss`; the bundled journeys accept the default.
  public let applicationID: String

  /// The device's private keys.
  public let keyStore: any DeviceKeyStore

  /// The device's records of its keys.
  public let userKeys: any Storage<[UserKey]>

  /// The device's fingerprint reader; `nil` when it has none.
  public let biometricVerifier: (any BiometricVerifier)?

  /// Checks the device's own credential; `nil` when it has none.
  public let deviceCredentialVerifier: (any DeviceCredentialVerifier)?

  /// The folder for secrets that a verification of the user releases.
  private let vaultFolder = FileManager.default.temporaryDirectory
    .appending(path: "sealring-test-device-\(UUID().uuidString)")

  /// Changes the server's answers on their way to the device, to simulate an attacker.
  public let wire: @Sendable (Data) -> Data

  /// Creates a device; it has no keys, unless the stores contain some.
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

  /// A journey client of this device's application, with its own session.
  public func journey(on server: TestServer, realm: String = "alpha") -> Journey {
    server.journey(realm: realm, session: MemoryStorage(), by: WireClient(wire))
  }

  /// Configures a `bind` or `sign` call for this device.
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
  ///   - server: The server to play it on.
  ///   - realm: The journey's realm.
  ///   - username: The answer to name inputs.
  ///   - password: The answer to password inputs.
  ///   - person: Enters PINs and picks keys; cancels by default.
  ///   - text: The answer to text inputs, such as the transaction to sign.
  ///   - claims: Custom claims of a signature.
  ///   - timeout: Seconds of real time for each callback, if shorter than the server's timeout.
  ///   - tamper: Changes each step's callbacks after they were answered and before they are sent.
  /// - Returns: The outcome; a failure is an outcome, too.
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
  ///   - id: The transaction's id from ``TestApplication/create(_:for:journey:expiresIn:)``.
  ///   - server: The transaction's server.
  ///   - realm: The transaction's realm.
  ///   - person: Sees the transaction, and enters the PIN.
  ///   - timeout: Seconds of real time for the answer, if shorter than the server's timeout.
  ///   - tamper: Changes the callback after it was answered and before it is sent.
  /// - Returns: The outcome; a failure is an outcome, too.
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
  /// - Parameter answer: Answers one callback; returns the status of a failure.
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

  /// Binds or signs with the settings of `configure`, if the callback asks for that; returns the status of a failure.
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

extension TestServer {
  /// A client for the server's journeys.
  package func journey(
    realm: String, session: MemoryStorage<SSOTokenImpl>, by client: PingOrchestrate.HttpClient
  ) -> Journey {
    let (address, cookieName) = (address, cookieName)
    return Journey.createJourney { config in
      config.logger = LogManager.none
      config.serverUrl = address
      config.realm = realm
      config.cookie = cookieName
      config.httpClient = client
      config.module(SessionModule.config) { $0.storage = session }
    }
  }
}

/// The outcome of a journey that a ``TestDevice`` played.
public struct TestOutcome: Sendable {
  /// The last node: success, error or failure.
  public let node: any Node

  /// The failures of `bind` and `sign`, in order; empty when they all succeeded.
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

/// An HTTP client that passes answers through `wire`.
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
