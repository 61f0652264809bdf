internal import Concurrency
internal import Foundation
internal import PingNetwork
internal import PingJourney
internal import PingLogger
internal import PingOrchestrate
internal import PingStorage
internal import SealringTesting

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// The cookies and session that persist between the journeys of a test, as in a browser or an app.
final class Browser: Sendable {
  private let session = MemoryStorage<SSOTokenImpl>()
  private let transport: Transport

  /// - Parameters:
  ///   - address: the server address that journeys use.
  ///   - target: the server address that requests are really sent to.
  init(realm: String, address: String, cookieName: String, clock: TestClock, target: Locked<String>) {
    transport = Transport(address: address, clock: clock, target: target)
    (self.realm, self.address, self.cookieName) = (realm, address, cookieName)
  }

  private let realm: String
  private let address: String
  private let cookieName: String

  /// A journey client of this browser.
  func journey(headers: [(name: String, value: String)], locale: String?) -> Journey {
    transport.headers.withLock { $0 = headers + (locale.map { [("Accept-Language", $0)] } ?? []) }
    let (transport, session, realm, address, cookieName) = (transport, session, realm, address, cookieName)
    return Journey.createJourney { config in
      config.logger = LogManager.none
      config.serverUrl = address
      config.realm = realm
      config.cookie = cookieName
      config.httpClient = transport
      config.module(SessionModule.config) { $0.storage = session }
    }
  }

  /// Sends requests to the current server, with cookies and the test's headers.
  // Its stored properties are immutable and Sendable.
  private final class Transport: PingOrchestrate.HttpClient, @unchecked Sendable {
    let headers = Locked<[(name: String, value: String)]>([])
    private let cookies = Locked<[HTTPCookie]>([])
    private let address: String
    private let clock: TestClock
    private let target: Locked<String>

    init(address: String, clock: TestClock, target: Locked<String>) {
      (self.address, self.clock, self.target) = (address, clock, target)
      super.init()
    }

    override func sendRequest(request: Request) async throws -> (Data, URLResponse) {
      for header in headers.withLock({ $0 }) { request.setHeader(name: header.name, value: header.value) }
      let now = clock.now
      if let url = request.urlRequest.url {
        request.cookies(cookies: cookies.withLock { CookieMatching.matching($0, url, now: now) })
        let target = target.withLock { $0 }
        if target != address { request.url(url.absoluteString.replacing(address, with: target)) }
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
