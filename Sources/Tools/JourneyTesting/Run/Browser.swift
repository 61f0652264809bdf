internal import Concurrency
internal import Foundation
internal import PingNetwork
internal import PingJourney
internal import PingOrchestrate
internal import PingStorage
internal import SealringTesting

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// The cookies and session that persist between the journeys of a test, as in a browser or an app.
final class Browser: Sendable {
  private let session = MemoryStorage<SSOTokenImpl>()
  private let server: TestServer
  private let realm: String
  private let transport: Transport

  /// - Parameters:
  ///   - server: the server whose address journeys use.
  ///   - target: the server address that requests are really sent to.
  init(at server: TestServer, realm: String, target: Locked<String>) {
    (self.server, self.realm) = (server, realm)
    transport = Transport(server: server, target: target)
  }

  /// A journey client of this browser.
  func journey(headers: [(name: String, value: String)], locale: String?) -> Journey {
    transport.headers.withLock { $0 = headers + (locale.map { [("Accept-Language", $0)] } ?? []) }
    return server.journey(realm: realm, session: session, by: transport)
  }

  /// Sends requests to the current server, with cookies and the test's headers.
  // Its stored properties are immutable and Sendable.
  private final class Transport: PingOrchestrate.HttpClient, @unchecked Sendable {
    let headers = Locked<[(name: String, value: String)]>([])
    private let cookies = Locked<[HTTPCookie]>([])
    private let server: TestServer
    private let target: Locked<String>

    init(server: TestServer, target: Locked<String>) {
      (self.server, self.target) = (server, target)
      super.init()
    }

    override func sendRequest(request: Request) async throws -> (Data, URLResponse) {
      for header in headers.withLock({ $0 }) { request.setHeader(name: header.name, value: header.value) }
      let now = server.clock.now
      if let url = request.urlRequest.url {
        request.cookies(cookies: cookies.withLock { CookieMatching.matching($0, url, now: now) })
        let target = target.withLock { $0 }
        if target != server.address {
          request.url(url.absoluteString.replacing(server.address, with: target))
        }
      }
      let (data, head) = try await super.sendRequest(request: request)
      if let url = request.urlRequest.url,
        let set = (head as? HTTPURLResponse)?.value(forHTTPHeaderField: "Set-Cookie")
      {
        let new = SetCookie.cookies(joinedIn: set, for: url, receivedAt: now)
        cookies.withLock { $0 = CookieMatching.merged($0, with: new, now: now) }
      }
      return (data, head)
    }
  }
}
