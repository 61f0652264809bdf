import ArgumentParser
import Assembly
import BindingFormats
import Foundation
import JourneyEngine
import JourneyNodes
import JourneyScripts
import JourneyTesting
import Logging
import SealringTesting
import StrictJSON

/// A server in this process with the journeys of a folder, for the duration of a command. Its data are deleted afterwards.
struct LocalJourneys {
  /// The folder or file of the journeys.
  let source: URL
  let realm: String

  /// Whether to print the nodes that a journey visits.
  let isTraced: Bool

  /// The external services to simulate.
  let simulation: ServiceSimulation

  /// Runs `body` with the options to reach the server.
  func run(_ body: (ServerOptions, SealringServer) async throws -> Void) async throws {
    try await TestFolder.with { folder in
      var configuration = ServerConfiguration.inThisProcess
      for realm in RealmPath(realm).lineage where !configuration.realms.contains(realm) {
        configuration.realms.append(realm)
      }
      configuration.journeysDirectory = try JourneyLayout.layOut(source, realm: realm, in: folder)
      configuration.scripts.program = ScriptWorkerProgram.ownPath
      configuration.simulation = simulation
      configuration.bundledJourneys = .everywhere
      if isTraced { configuration.journeyObserver = JourneyTrace() }
      try await LocalServer.run(configuration) { server, port in
        try await body(
          try ServerOptions.parse(["--server", "http://127.0.0.1:\(port)/am", "--realm", realm]), server)
      }
    }
  }
}

/// Prints each node that a journey visits, and its outcome.
extension ServerConfiguration {
  /// The configuration of a server that a command runs in its own process: a free port, no log, and an unknown administrator's password.
  static var inThisProcess: ServerConfiguration {
    var configuration = ServerConfiguration()
    configuration.port = 0
    configuration.administratorPassword = Secret(UUID().uuidString)
    configuration.logger = Logger(label: "sealring") { _ in SwiftLogNoOpLogHandler() }
    return configuration
  }

  /// Enables scripts for journeys that a command plays, with more time than on a server.
  mutating func playScripts() {
    scripts.program = ScriptWorkerProgram.ownPath
    scripts.limits.time = .seconds(5)
    scripts.limits.wallTime = .seconds(60)
  }
}

private struct JourneyTrace: JourneyObserver {
  func visited(_ visit: NodeVisit) {
    let name = printable(visit.displayName.isEmpty ? visit.type : "\(visit.displayName) (\(visit.type))")
    switch visit.result {
    case .outcome(let outcome)?: Output.remark("-> \(name): \(printable(outcome))")
    case .callbacks(let callbacks)?:
      Output.remark("-> \(name) asks \(callbacks.map(\.type).joined(separator: ", "))")
    case .suspend?: Output.remark("-> \(name) suspends the journey")
    case nil: Output.remark("-> \(name) could not do its work")
    }
  }
}
