import ArgumentParser
import BindingFormats
import CommandSettings
import Foundation
import PingJourney
import PingJourneyPlugin
import PingLogger
import PingNetwork
import PingOrchestrate
import PingStorage

/// The server and realm that a client command uses.
struct ServerOptions: ParsableArguments {
  @Option(help: "The server's base address.")
  var server = CurrentSettings.text("server")

  @Option(help: "The realm; alpha/branch for a realm in another.")
  var realm = CurrentSettings.text("realm")

  // `Sealring` removes this option before parsing; it is declared here for the help.
  @Option(help: "The profile that server, realm and user come from: `sealring profile list`.")
  var profile: String?

  @Flag(
    help:
      "Allow a server without TLS on another machine. For tests: anyone on the network can read passwords and sessions."
  )
  var allowHTTP = false

  mutating func validate() throws {
    let path = RealmPath(realm)
    guard path.canStandInPath else {
      throw ValidationError("--realm needs a name such as alpha or alpha/branch, not '\(realm)'.")
    }
    // One spelling everywhere, so that stored data of a realm is found again.
    realm = path.name
    guard Self.isWebAddress(server) else {
      throw ValidationError(
        "--server needs a web address such as http://127.0.0.1:8080/am, not '\(server)'.\(origin)")
    }
    do { try PlainHTTP.checkMachine(server, isAllowed: allowHTTP) } catch {
      throw ValidationError(
        "--server \(server) is not encrypted, and on another machine. Use https; for tests, add --allow-http.\(origin)"
      )
    }
  }

  static func isWebAddress(_ text: String) -> Bool {
    guard let url = URL(string: text) else { return false }
    return ["http", "https"].contains(url.scheme) && url.host() != nil
  }

  /// A sentence with the source of the address, when it is not the command line; empty otherwise.
  private var origin: String {
    guard let given = CurrentSettings.given("server"), given.text == server else { return "" }
    return " The address is from \(given.source.text)."
  }

  /// The address without a trailing slash.
  var baseAddress: String { server.hasSuffix("/") ? String(server.dropLast()) : server }

  /// The issuer of the realm's OpenID Connect tokens.
  var openIDProvider: String { baseAddress + "/oauth2" + RealmPath(realm).inShortPath }

  /// A journey client whose session lives only as long as this command.
  func makeJourney(_ configure: @escaping @Sendable (JourneyConfig) -> Void = { _ in }) -> Journey {
    let (serverUrl, realmName, allowsInsecureHTTP) = (baseAddress, realm, allowHTTP)
    return Journey.createJourney { config in
      config.logger = LogManager.none
      config.serverUrl = serverUrl
      config.realm = realmName
      config.allowsInsecureHTTP = allowsInsecureHTTP
      config.module(SessionModule.config) { $0.storage = MemoryStorage<SSOTokenImpl>() }
      configure(config)
    }
  }
}
