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
    usage:
      "\(programName) serve [--host <host>] [--port <port>] [--data <data>] [--journeys <journeys>] [<options>]",
    discussion: """
      Prints one line on standard output when it accepts connections: listening on http://HOST:PORT/am, or https. A summary, and the log, \
      go to standard error. The first start creates the administrator amAdmin with the password in SEALRING_ADMIN_PASSWORD, \
      or with a random one that is printed once.
      """)

  /// The program's name, because both programs have this command.
  private static let programName =
    ProcessInfo.processInfo.processName == "sealring-server" ? "sealring-server" : "sealring"

  // The first groups are the most common; the help prints them in this order.
  @OptionGroup(title: "Address and data") var address: AddressOptions

  @OptionGroup(title: "Journeys") var journeys: JourneyOptions

  @OptionGroup(title: "Network") var network: NetworkOptions

  @OptionGroup(title: "Log") var log: LogOptions

  @OptionGroup(title: "Limits") var limits: LimitOptions

  @OptionGroup(title: "Identities and mail") var identities: IdentityOptions

  @OptionGroup(title: "Stopping") var stop: StopOptions

  @OptionGroup(title: "Metrics and traces") var metrics: MetricsOptions

  @OptionGroup(title: "Security events") var events: EventOptions

  @OptionGroup(title: "Ledger") var ledger: LedgerOptions

  @OptionGroup(title: "Pages of other origins") var crossOrigin: CrossOriginOptions

  @OptionGroup(title: "OpenID Connect and identity providers") var identityProviders: IdentityProviderOptions

  @OptionGroup(title: "Key attestation") var attestation: AttestationTrustOptions

  @OptionGroup(title: "WebAuthn") var webAuthn: WebAuthnTrustOptions

  @OptionGroup(title: "Changes of factors") var factorChanges: FactorChangeOptions

  @OptionGroup(title: "Scripts of journeys") var scripts: ScriptOptions

  @OptionGroup(title: "Services of others") var simulation: SimulationOptions

  @OptionGroup(title: "Services of others") var simulationPermission: SimulationPermission

  @OptionGroup(title: "Push services") var push: PushServiceOptions

  @OptionGroup(title: "Pages") var pages: PageOptions

  /// The configuration of the network and of changes of factors, from the settings; everything else has defaults.
  package static func reach(_ settings: Settings) throws -> ServerConfiguration {
    let serve = try parse(ServeSettings.arguments(for: ["serve"], settings))
    var configuration = ServerConfiguration()
    configuration.host = serve.address.host
    configuration.publicURL = serve.address.publicURL
    for group in [serve.network, serve.crossOrigin, serve.factorChanges] as [any ServerOptionGroup] {
      try group.apply(to: &configuration)
    }
    return configuration
  }

  package func run() async throws {
    let level = Logger.Level(rawValue: log.logLevel) ?? .notice
    LoggingSystem.bootstrap(log.logFormat.handler)
    var logger = Logger(label: "sealring")
    logger.logLevel = level

    var configuration = ServerConfiguration()
    try apply(to: &configuration)
    configuration.webAuthn = try await webAuthn.trust(revokedCertificates: attestation.revokedCertificates)
    configuration.logger = logger
    OpenFiles.makeRoom(forConnections: limits.maxConnections)
    try await serve(configuration)
  }

  private func apply(to configuration: inout ServerConfiguration) throws {
    configuration.administratorPassword = try Environment.configuredAdministratorPassword().map { Secret($0) }
    configuration.webAuthnOrigins = webAuthn.webauthnOrigin
    let groups: [any ServerOptionGroup] = [
      address, journeys, limits, simulationPermission, network, crossOrigin, identityProviders, stop, metrics,
      events, ledger, attestation, push,
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
    let (host, port) = (address.host, address.port)
    let name = host.contains(":") ? "[\(host)]" : host
    // Service managers send SIGHUP to reload. Without TLS nothing is reloaded, and by default the signal would end the server,
    // which systemd regards as a clean exit. Closing a terminal, however, should end the program in it.
    if isatty(STDIN_FILENO) == 0 { signal(SIGHUP, SIG_IGN) }
    do {
      try await server.runUntilSignal { port in
        // The report comes before the line that programs wait for.
        Output.raw(server.report(port: port).text)
        for line in server.advice { Output.remark("Advice: \(line)") }
        Output.line("listening on \(network.scheme)://\(name):\(port)\(network.basePath)")
      }
    } catch let error as IOError {
      // The account already exists, and its password can be shown only now.
      if let password = server.generatedAdministratorPassword {
        Output.remark(AdministratorState.created(madeUp: password).text)
      }
      let privilege = error.errnoCode == EACCES ? " Ports below 1024 are root's: docs/packaging.md." : ""
      throw CommandFailure(
        "The server cannot listen on \(name):\(port): \(PlainReason.of(error)) Choose another --host or --port.\(privilege)",
        code: error.errnoCode == EADDRINUSE ? .conflict : .failed)
    }
  }
}

/// A group of options of `serve`.
protocol ServerOptionGroup {
  /// Puts the options into the configuration.
  func apply(to configuration: inout ServerConfiguration) throws
}

extension ServerConfiguration {
  /// The defaults, which options, help and settings show.
  static let standard = ServerConfiguration()
}
