public import Accounts
internal import Concurrency
internal import Foundation
public import JourneyEngine
internal import JourneyFiles
internal import JourneyNodes
public import JourneyStore
internal import Logging
internal import MailService
internal import OpenIDProvider
internal import Operations
public import PasswordHashing
internal import PushService
internal import PushTransports
internal import SecurityEvents
public import ServerHTTP

/// A journey server: its store, its journeys, and the HTTP in front of them.
///
/// It is made of parts, each from those before it: ``ServerFoundation``, ``NodeRuntime``, ``JourneyRuntime``, ``ServerInterfaces``,
/// ``LedgerPublishing``, ``ServerConnections``.
public struct SealringServer: Sendable {
  let foundation: ServerFoundation
  let nodes: NodeRuntime
  private let journeys: JourneyRuntime
  private let interfaces: ServerInterfaces
  private let ledger: LedgerPublishing
  private let connections: ServerConnections

  let responder: ServerResponder
  let collection: MetricsCollection

  /// Weaknesses of the configuration, a line each, with what to do. Show them once.
  public let advice: [String]

  /// What this start did with the account `amAdmin`.
  private let administrator: AdministratorState

  /// The port on which metrics are read, once it is listened on.
  let metricsPort = Locked<Int?>(nil)

  /// Opens the store, loads the journeys, and creates the administrator if there is none.
  ///
  /// - Throws: ``ServerSetupError``, or `StoreError` when the store cannot be opened. Both say what to do.
  public static func make(_ configuration: ServerConfiguration) async throws -> SealringServer {
    try configuration.requireSafeTransport()
    try configuration.requireSafeSimulation()
    try configuration.requireChosenFactorChanges()
    try configuration.requireRealms()
    var configuration = configuration
    configuration.logger = configuration.logger.escaping
    let store = try await StoreOpening.open(configuration)
    do { return try await SealringServer(configuration, store: store) } catch {
      try? await store.close()
      throw error
    }
  }

  private init(_ configuration: ServerConfiguration, store: any ServerStore) async throws {
    foundation = try await ServerFoundation(configuration, store: store)
    nodes = try await NodeRuntime(foundation)
    journeys = try JourneyRuntime(foundation, nodes: nodes)
    interfaces = try await ServerInterfaces(foundation, nodes: nodes, journeys: journeys)
    ledger = try await LedgerPublishing(foundation)
    connections = try ServerConnections(foundation, direct: nodes.direct)
    let weaknesses = StartupAdvice(configuration: configuration, journeyNames: journeys.names).phrases
    advice = weaknesses.map(\.english)
    responder = try interfaces.responder(weaknesses: weaknesses, ledger: ledger, connections: connections)
    collection = MetricsCollection(
      metrics: foundation.metrics, store: store, gate: connections.gate, drain: connections.drain,
      direct: nodes.direct, passwords: foundation.passwords, pushQueues: nodes.pushQueues)
    administrator = try await Administrator.create(
      in: store, passwords: foundation.passwords, configuration: configuration)
  }

  /// What an operator wants to know once the server listens.
  ///
  /// - Parameter port: the port that it listens on.
  public func report(port: Int) -> ServerReport {
    ServerReport(
      configuration, port: port, realms: realms.snapshot, unavailable: journeys.unavailable,
      administrator: administrator)
  }

  /// Adds an active account.
  ///
  /// The password policy does not apply: this is for programs that embed the server, such as an app's tests. REST, the command
  /// line and journeys apply it.
  ///
  /// - Throws: `StoreError.conflict` when the name is taken.
  public func createUser(_ username: String, password: Secret, realm: String) async throws {
    try await store.createUser(
      UserRecord(
        realm: realm, username: username,
        passwordHash: try await foundation.passwords.hash(password.reveal()),
        createdAt: configuration.clock()))
  }

  /// The password of `amAdmin`, when this start created the account with a random one. Show it once.
  public var generatedAdministratorPassword: Secret? {
    if case .created(let password) = administrator { password } else { nil }
  }
}

/// The contents of the parts, for programs that run the server and for its tests.
extension SealringServer {
  /// Everything that the server stores; tests and tools may read and write it while the server runs.
  public var store: any ServerStore { foundation.store }

  /// The journeys that can be run now.
  public var catalog: JourneyCatalog { realms.catalog }

  var configuration: ServerConfiguration { foundation.configuration }
  var realms: RealmDirectory { journeys.realms }
  var openID: OpenIDProvider { interfaces.openID }
  var events: SecurityEvents { foundation.events }
  var metrics: ServerMetrics { foundation.metrics }
  var secrets: RotatingSecrets { foundation.secrets }
  var activity: ActivityRecorder { foundation.activity }
  var mail: MailQueue? { nodes.mail }
  var direct: PollWaiters { nodes.direct }
  var certificate: ServerCertificate? { connections.certificate }
  var gate: ConnectionGate { connections.gate }
  var drain: Drain { connections.drain }

  /// The parts that do something beside the requests.
  var parts: [any ServerPart] { [foundation, journeys, interfaces, ledger, nodes] }
}

extension PasswordHasher: PasswordVerifying {
  public func verify(_ password: String, against hash: String?) async throws -> Bool {
    try await verify(password, against: hash, of: "")
  }
}
