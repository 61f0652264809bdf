import Accounts
public import Assembly
internal import BindingFormats
public import Foundation
public import JourneyEngine
internal import JourneyNodes
public import JourneyStore
internal import Logging
internal import PasswordHashing

/// A complete Sealring server in the test's own process: the same code as `sealring serve`, over real HTTP on a free
/// port of the loopback address.
///
/// ```swift
/// try await TestServer.run { server in
///   try await server.addUser("mira", password: "correct horse")
///   let device = TestDevice()
///   let bound = await device.play("BindDevice", on: server, as: "mira", password: "correct horse", person: ScriptedPerson(pin: "471108"))
///   #expect(bound.isSuccess)
/// }
/// ```
public final class TestServer: Sendable {
  /// The place of the server's data.
  public enum Storage: Sendable {
    /// In memory; deleted when the run ends.
    case memory
    /// SQLite in this folder, as in production; a later run on the folder continues with its data.
    case sqlite(URL)
  }

  /// The server's base address, for example `http://127.0.0.1:49152/am`.
  public let address: String

  /// The name of the session's cookie, and of the header with the same token.
  public let cookieName: String

  /// The server's clock.
  public let clock: TestClock

  /// The server's log.
  public let log: CapturedLog

  /// The server's store, to prepare and inspect data.
  public let store: any ServerStore

  /// The password of `amAdmin` in the root realm.
  public static let administratorPassword = "administrator of a test"

  private let server: SealringServer

  /// The journeys that can currently run.
  public var catalog: JourneyCatalog { server.catalog }

  private init(
    address: String, cookieName: String, clock: TestClock, log: CapturedLog, server: SealringServer
  ) {
    self.address = address
    self.cookieName = cookieName
    self.clock = clock
    self.log = log
    self.server = server
    store = server.store
  }

  /// Runs a server while `body` runs.
  ///
  /// - Parameters:
  ///   - storage: The place of the data; in memory by default.
  ///   - clock: The server's clock.
  ///   - journeys: A folder of journey files in the layout `<realm>/*.journey.json`. The bundled journeys are also in every
  ///     realm.
  ///   - simulating: The outcomes of nodes that use external services, such as `["protect=low"]`; other such nodes fail.
  ///   - configure: Changes any other setting.
  ///   - body: The test. The server stops when it returns or throws.
  /// - Returns: The result of `body`.
  /// - Throws: Errors of `body`, errors at the start of the server, or ``TestServerError``.
  public static func run<Result: Sendable>(
    storage: Storage = .memory, clock: TestClock = TestClock(), journeys: URL? = nil,
    simulating services: [String] = [],
    configure: (inout ServerConfiguration) -> Void = { _ in },
    _ body: @escaping @Sendable (TestServer) async throws -> Result
  ) async throws -> Result {
    let log = CapturedLog()
    var configuration = ServerConfiguration()
    configuration.host = "127.0.0.1"
    configuration.port = 0
    if case .sqlite(let directory) = storage { configuration.dataDirectory = directory }
    configuration.journeysDirectory = journeys
    configuration.bundledJourneys = .everywhere
    configuration.administratorPassword = Secret(administratorPassword)
    // Tests sign in often, and need no protection.
    configuration.passwordCost = Argon2Cost(memoryKiB: 8, iterations: 1)
    configuration.clock = { clock.now }
    configuration.logger = log.makeLogger()
    configuration.simulation = try ServiceSimulation(services)
    // A public address requires a choice here, which tests need not make.
    configuration.factorChanges.standard = .any
    configure(&configuration)
    let (basePath, cookieName) = (configuration.basePath, configuration.cookieName)
    return try await LocalServer.run(configuration) { server, port in
      try await body(
        TestServer(
          address: "http://127.0.0.1:\(port)\(basePath)", cookieName: cookieName, clock: clock, log: log,
          server: server))
    }
  }

  /// Adds an account.
  public func addUser(_ username: String, password: String, realm: String = "alpha") async throws {
    try await server.createUser(username, password: Secret(password), realm: realm)
  }

  /// The devices bound to the user, newest first.
  public func devices(of username: String, realm: String = "alpha") async throws -> [BoundDeviceRecord] {
    try await store.boundDevices.all(of: UniversalID(username: username, realm: realm))
  }
}

/// Why a ``TestServer`` could not run the test.
public enum TestServerError: Error, Hashable, CustomStringConvertible {
  /// The server stopped before it listened.
  case ended

  /// The server refused a request of a ``TestApplication``, or of the administrator.
  case refused(status: Int, message: String)

  public var description: String {
    switch self {
    case .ended: "The server ended before it accepted connections; its log has the reason."
    case .refused(let status, let message): "The server answered \(status): \(message)"
    }
  }
}
