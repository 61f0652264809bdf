import ArgumentParser
import Foundation
import PingJourney
import PingJourneyPlugin
import PingLogger
import PingOrchestrate
import PingStorage

/// Which server and realm a client command talks to.
struct ServerOptions: ParsableArguments {
  @Option(help: "The server's base address.")
  var server = "http://127.0.0.1:8080/am"

  @Option(help: "The realm.")
  var realm = "alpha"

  func validate() throws {
    guard let url = URL(string: server), ["http", "https"].contains(url.scheme), url.host() != nil else {
      throw ValidationError("--server needs a web address such as http://127.0.0.1:8080/am, not '\(server)'.")
    }
  }

  /// The address without a slash at its end.
  var baseAddress: String { server.hasSuffix("/") ? String(server.dropLast()) : server }

  /// A journey client whose session lives only as long as this command.
  func makeJourney() -> Journey {
    let (serverUrl, realmName) = (baseAddress, realm)
    return Journey.createJourney { config in
      config.logger = LogManager.none
      config.serverUrl = serverUrl
      config.realm = realmName
      config.module(SessionModule.config) { $0.storage = MemoryStorage<SSOTokenImpl>() }
    }
  }
}
