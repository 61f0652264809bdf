package import ArgumentParser
package import Assembly
package import CommandSettings
import Foundation
import Logging
import NIOCore
import PrivateFiles
import PushTransports

/// `sealring serve`: the journey server.
package struct Serve: AsyncParsableCommand {
  package init() {}

  package static let configuration = CommandConfiguration(
    abstract: "Run the journey server.",
    discussion: """
      Prints one line on standard output when it accepts connections: listening on http://HOST:PORT/am, or https. A summary, and the log, \
      go to standard error. The first start creates the administrator amAdmin with the password in SEALRING_ADMIN_PASSWORD, \
      or with a random one that is printed once.
      """)

  @Option(help: "Address to listen on.")
  var host = ServerConfiguration.standard.host

  @Option(help: "Port to listen on; 0 picks a free one.")
  var port = ServerConfiguration.standard.port

  @Option(
    help: """
      Address under which clients reach the server, such as https://id.example.com/am: it goes into enrolment codes. \
      With https, cookies are Secure and browsers are told to use https only. Default: the host that each request \
      names.
      """)
  var publicURL: String?

  @Option(
    help: "Folder of the database and the server's keys. Default: 'server' in the client's state folder.")
  var data: String?

  @Option(help: "Folder with exported journeys: DIR/<realm>/*.journey.json.")
  var journeys: String?

  @Flag(
    help: """
      Load the journey files again when they change. A file that does not load leaves its journeys as they were. Needs --journeys.
      """)
  var watch = false

  @Option(
    help: """
      How many administrators must have seen a journey before an upload on the pages puts it live: one; or two, and then another one has to \
      agree. Files that change in the folder are the operator's affair. Needs --journeys.
      """)
  var journeyReview = Reviewers.one

  enum Reviewers: String, ExpressibleByArgument, CaseIterable { case one, two }

  @Flag(
    help: """
      Do not start when a journey does not load as it was written. Without this the server starts: it offers nothing under the name of a \
      journey that does not load, and warns of nodes that fail and of values that it replaces.
      """)
  var strictJourneys = false

  @Option(
    help: ArgumentHelp(
      """
      Bundled journeys to offer: all, login, none, or names, separated by commas; after REALM= for that realm, before \
      any for all but the root realm, which has Login. Default: all; on a public address without those for which possession of a device is \
      enough, such as BindDeviceNoPin, unless they are named. Repeatable.
      """, valueName: "list"))
  var bundledJourneys: [String] = []

  @Option(
    help: """
      File of OpenID Connect clients, as `sealring oidc` writes it; read again when it changes. Default: no clients.
      """)
  var oidcClients: String?

  @Option(help: "Database address: sqlite:/path/to/folder or postgres://user@host/database.")
  var database: String?

  @Option(
    help: ArgumentHelp(
      """
      Where the server key is, if not in the data folder: file:PATH, env:NAME, credential:NAME, pkcs11:… (docs/keys.md). Repeatable, while the key is \
      rotated.
      """, valueName: "source"))
  var serverKey: [String] = []

  @Option(
    help: """
      Seconds that the tables of a PostgreSQL database may take to be brought up to date at the start, by this server or by \
      another one that it waits for (docs/operations.md).
      """)
  var migrationTimeout = Int(ServerConfiguration.standard.migrationTimeout)

  @Option(help: "Seconds that a user has to finish a journey.")
  var journeyTimeout = Int(ServerConfiguration.standard.journeyTimeout)

  @Option(help: "Seconds that the link to a suspended journey, such as one in a mail, is accepted.")
  var suspendedJourneyTimeout = Int(ServerConfiguration.standard.suspendedJourneyTimeout)

  @Option(
    help:
      "Requests a minute that one address may send (docs/limits.md). Default: \(ServerLimits().requestsPerAddress ?? 0)."
  )
  var rateLimit: Int?

  @Option(
    help: """
      Minimum length of a new password, from 8 to 64. Use 15 where the password is the only factor \
      (NIST SP 800-63B-4).
      """)
  var passwordMinimum = ServerConfiguration.standard.passwordMinimum

  @Option(help: "Maximum number of open connections (docs/limits.md).")
  var maxConnections = ServerLimits().connections

  @Option(help: "Maximum number of open connections of one address, trusted proxies excepted.")
  var maxConnectionsPerAddress = ServerLimits().connectionsPerAddress

  @OptionGroup(title: "Stopping") var stop: StopOptions

  @OptionGroup(title: "Metrics and traces") var metrics: MetricsOptions

  @OptionGroup(title: "Security events") var events: EventOptions

  @OptionGroup(title: "Ledger") var ledger: LedgerOptions

  @OptionGroup(title: "Network") var network: NetworkOptions

  @OptionGroup(title: "Pages of other origins") var crossOrigin: CrossOriginOptions

  @OptionGroup(title: "Identity providers") var identityProviders: IdentityProviderOptions

  @OptionGroup(title: "Key attestation") var attestation: AttestationTrustOptions

  @OptionGroup(title: "WebAuthn") var webAuthn: WebAuthnTrustOptions

  @OptionGroup(title: "Changes of factors") var factorChanges: FactorChangeOptions

  @OptionGroup(title: "Scripts of journeys") var scripts: ScriptOptions

  @OptionGroup(title: "Services of others") var simulation: SimulationOptions

  @Flag(help: "Allow --simulate on a server that others can reach: nobody is then stopped by these services.")
  var insecureSimulation = false

  @OptionGroup(title: "Push services") var push: PushServiceOptions

  @OptionGroup(title: "Identities and mail") var identities: IdentityOptions

  @OptionGroup(title: "Pages") var pages: PageOptions

  @Option(help: "How much to log: trace, debug, info, notice, warning, error, critical.")
  var logLevel = "notice"

  @Option(help: "Format of the log: text, or json for one object per line (docs/operations.md).")
  var logFormat = LogFormat.text

  enum LogFormat: String, ExpressibleByArgument, CaseIterable { case text, json }

  package func validate() throws {
    try (0...65535).require(port, for: "--port")
    try (1...86400).require(migrationTimeout, for: "--migration-timeout", unit: " of seconds")
    try (1...86400).require(journeyTimeout, for: "--journey-timeout", unit: " of seconds")
    try (1...86400).require(suspendedJourneyTimeout, for: "--suspended-journey-timeout", unit: " of seconds")
    if journeyReview == .two, journeys == nil {
      throw ValidationError("--journey-review two needs --journeys.")
    }
    if watch, journeys == nil { throw ValidationError("--watch needs --journeys.") }
    if let rateLimit, rateLimit < 1 { throw ValidationError("--rate-limit is a number above 0.") }
    guard maxConnections > 0 else { throw ValidationError("--max-connections is a number above 0.") }
    guard maxConnectionsPerAddress > 0 else {
      throw ValidationError("--max-connections-per-address is a number above 0.")
    }
    try ServerConfiguration.passwordMinimums.require(passwordMinimum, for: "--password-minimum")
    guard Logger.Level(rawValue: logLevel) != nil else {
      throw ValidationError("--log-level is one of trace, debug, info, notice, warning, error, critical.")
    }
  }

  /// What settings say of who reaches the server, and of changes of factors; the rest is as it comes.
  package static func reach(_ settings: Settings) throws -> ServerConfiguration {
    let serve = try parse(ServeSettings.arguments(for: ["serve"], settings))
    var configuration = ServerConfiguration()
    configuration.host = serve.host
    configuration.publicURL = serve.publicURL
    for group in [serve.network, serve.crossOrigin, serve.factorChanges] as [any ServerOptionGroup] {
      try group.apply(to: &configuration)
    }
    return configuration
  }

  package func run() async throws {
    let level = Logger.Level(rawValue: logLevel) ?? .notice
    LoggingSystem.bootstrap(logFormat.handler)
    var logger = Logger(label: "sealring")
    logger.logLevel = level

    var configuration = ServerConfiguration()
    try apply(to: &configuration)
    configuration.webAuthn = try await webAuthn.trust(revokedCertificates: attestation.revokedCertificates)
    configuration.logger = logger
    OpenFiles.makeRoom(forConnections: maxConnections)
    try await serve(configuration)
  }

  private func apply(to configuration: inout ServerConfiguration) throws {
    configuration.host = host
    configuration.port = port
    configuration.publicURL = publicURL
    configuration.dataDirectory =
      data.map { URL(filePath: $0) } ?? ClientHome.standard.directory.appending(path: "server")
    configuration.journeysDirectory = journeys.map { URL(filePath: $0) }
    configuration.requiresAllJourneys = strictJourneys
    configuration.refusesJourneyDeviations = strictJourneys
    configuration.openIDClients = oidcClients.map { URL(filePath: $0) }
    configuration.bundledJourneys = try BundledJourneys(options: bundledJourneys)
    configuration.database = database
    configuration.serverKeys = serverKey
    configuration.migrationTimeout = TimeInterval(migrationTimeout)
    configuration.journeyTimeout = TimeInterval(journeyTimeout)
    configuration.suspendedJourneyTimeout = TimeInterval(suspendedJourneyTimeout)
    configuration.watchesJourneys = watch
    configuration.journeyReview = journeyReview == .two ? .two : .one
    if let rateLimit { configuration.limits.requestsPerAddress = rateLimit }
    configuration.limits.connections = maxConnections
    configuration.limits.connectionsPerAddress = maxConnectionsPerAddress
    configuration.passwordMinimum = passwordMinimum
    configuration.administratorPassword = try Environment.configuredAdministratorPassword().map { Secret($0) }
    configuration.webAuthnOrigins = webAuthn.webauthnOrigin
    configuration.allowsInsecureSimulation = insecureSimulation
    let groups: [any ServerOptionGroup] = [
      network, crossOrigin, identityProviders, stop, metrics, events, ledger, attestation, push,
      factorChanges,
      identities, pages, scripts, simulation,
    ]
    for group in groups { try group.apply(to: &configuration) }
  }

  private func serve(_ configuration: ServerConfiguration) async throws {
    let server = try await SealringServer.make(configuration)
    if let webPush = configuration.push.webPush {
      Output.remark("Web Push subscribers need the key \(webPush.applicationServerKey)")
    }
    let name = host.contains(":") ? "[\(host)]" : host
    // A service is told by SIGHUP to load again. Without TLS nothing is loaded, and by default the signal would end the server,
    // which systemd takes for a clean end. Closing a terminal is meant to end what runs in it.
    if isatty(STDIN_FILENO) == 0 { signal(SIGHUP, SIG_IGN) }
    do {
      try await server.runUntilSignal { port in
        // Before the line that programs wait for.
        Output.raw(server.report(port: port).text)
        for line in server.advice { Output.remark("Advice: \(line)") }
        Output.line("listening on \(network.scheme)://\(name):\(port)\(network.basePath)")
      }
    } catch let error as IOError {
      throw CommandFailure(
        "The server cannot listen on \(name):\(port): \(PlainReason.of(error)) Choose another --host or --port.",
        code: error.errnoCode == EADDRINUSE ? .conflict : .failed)
    }
  }
}

/// Options of `serve` that belong together.
protocol ServerOptionGroup {
  /// Puts them where the server looks.
  func apply(to configuration: inout ServerConfiguration) throws
}

extension ServerConfiguration {
  /// The defaults, which options, help and settings show.
  static let standard = ServerConfiguration()
}
