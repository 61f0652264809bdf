import BindingFormats
import Bytes
import Concurrency
import Foundation
import PingJourney
import PingLogger
import PingNetwork
import PingOrchestrate
import StrictJSON
import WebAddresses

/// The names of session cookies on the servers of a command. Each server is asked once, before it gets a session.
final class SessionCookies: Sendable {
  /// The names for the command that this task runs.
  @TaskLocal static var ofThisCommand = SessionCookies()

  private let known = Locked<[String: String]>([:])

  /// The cookie's name in a realm of a server. The realm's path is asked first: a proxy may route the paths of one realm elsewhere.
  ///
  /// Falls back to PingAM's name when a server does not reveal one, because a proxy blocks the query.
  ///
  /// - Parameters:
  ///   - server: the base address.
  ///   - client: the client to ask with.
  /// - Throws: `CommandFailure` when the server's name is not valid for a cookie, or the server cannot be reached.
  func name(at server: String, realm: String, by client: any HttpClientProtocol) async throws -> String {
    let place = RealmPath(realm).resources(at: server)
    if let name = known.withLock({ $0[place] }) { return name }
    var told = try await Self.ask(place, of: server, by: client)
    // The realm may not exist.
    if told == nil { told = try await Self.ask("\(server)/json", of: server, by: client) }
    let name = try told.map { try Self.checked($0, at: server) } ?? SessionCookieName.standard.text
    known.withLock { $0[place] = name }
    return name
  }

  private static func ask(
    _ place: String, of server: String, by client: any HttpClientProtocol
  ) async throws -> String? {
    let answer = await client.request { request in
      request.url = "\(place)/serverinfo/*"
      request.setHeader(name: "Accept-API-Version", value: "resource=1.1, protocol=1.0")
      request.get()
    }
    let response: any PingNetwork.HttpResponse
    do { response = try answer.get() } catch { throw CommandFailure.unreachable(at: server, error) }
    guard response.status.isSuccess() else { return nil }
    return (try? JSONValue(parsing: response.body ?? Data()))?["cookieName"]?.stringValue
  }

  private static func checked(_ name: String, at server: String) throws -> String {
    guard let name = SessionCookieName(name) else {
      throw CommandFailure.unsupported(
        "\(printable(server)) says that its session's cookie is called \(printable(name.bounded(to: 60)).debugDescription), which "
          + "no session is sent by. Nothing was sent. Check --server, and the server's --cookie-name."
      )
    }
    return name.text
  }

  /// Makes the journey send its session under the server's cookie name.
  func prepare(_ journey: Journey) async throws {
    guard let config = journey.config as? JourneyConfig, let server = config.serverUrl else { return }
    let allowsInsecureHTTP = config.allowsInsecureHTTP
    let client = HttpClient.createClient {
      $0.logger = LogManager.none
      $0.allowsInsecureHTTP = allowsInsecureHTTP
    }
    config.cookie = try await name(at: server, realm: config.realm, by: client)
  }
}

extension ServerOptions {
  /// The name of this server's session cookie, and of the header with the same token.
  func cookieName(by client: any HttpClientProtocol) async throws -> String {
    try await SessionCookies.ofThisCommand.name(at: baseAddress, realm: realm, by: client)
  }
}
