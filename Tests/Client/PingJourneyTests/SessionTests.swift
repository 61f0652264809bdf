import Concurrency
import Foundation
import PingJourney
import PingJourneyPlugin
import PingOrchestrate
import PingStorage
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("Session and sign-off")
struct SessionTests {
  private let storage = MemoryStorage<SSOTokenImpl>()

  @Test func `success stores the session`() async throws {
    let journey = makeJourney(
      FakeServer(200, #"{"tokenId":"t*","successUrl":"/s","realm":"/alpha"}"#), storage: storage)
    #expect(await journey.session() == nil)
    _ = await journey.start("Login")
    let session = try #require(await journey.session())
    #expect([session.value, session.successUrl, session.realm] == ["t*", "/s", "/alpha"])
    #expect(try await storage.get()?.value == "t*")
  }

  @Test(
    arguments: [
      ("https://other.example.com/am", "alpha", "iPlanetDirectoryPro"),
      ("https://am.example.com:8443/am", "alpha", "iPlanetDirectoryPro"),
      ("http://localhost/am", "alpha", "iPlanetDirectoryPro"),
      ("https://am.example.com/am", "beta", "iPlanetDirectoryPro"),
      ("https://am.example.com/am", "root", "iPlanetDirectoryPro"),
      ("https://am.example.com/am", "alpha", "session"),
    ])
  func `the session of one server was sent to the next that was configured`(
    url: String, realm: String, cookie: String
  ) async throws {
    let first = makeJourney(FakeServer(200, #"{"tokenId":"t*","successUrl":"/s"}"#), storage: storage)
    _ = await first.start("Login")
    let server = FakeServer(200, #"{"authId":"a","callbacks":[]}"#)
    let second = makeJourney(server, storage: storage) { config in
      config.serverUrl = url
      config.realm = realm
      config.cookie = cookie
    }
    let node = await second.start("Login")
    _ = await (node as? ContinueNode)?.next()
    #expect(server.requests.count == 2)
    #expect(!server.requests.contains { request in request.headers.values.contains { $0.contains("t*") } })
    #expect(await second.session() == nil)
    try await second.journeySignOff().get()
    #expect(server.requests.count == 2)
    // The first one's is still there.
    #expect(await first.session()?.value == "t*")
  }

  @Test func `the same server and realm in other words have the same session`() async throws {
    try await storage.save(item: token)
    let server = FakeServer(200, #"{"authId":"a","callbacks":[]}"#)
    let journey = makeJourney(server, storage: storage) { config in
      config.serverUrl = "https://AM.example.com:443/am/"
      config.realm = "root/realms/alpha"
    }
    _ = await journey.start("Login")
    #expect(server.requests.first?.headers["iplanetdirectorypro"] == token.value)
  }

  @Test func `a session that does not say who gave it, and a request to somebody else, stay without a token`()
    async throws
  {
    let server = FakeServer(200, #"{"authId":"a","callbacks":[]}"#)
    let journey = makeJourney(server, storage: storage)
    try await storage.save(item: SSOTokenImpl(value: "old*", successUrl: "", realm: "/alpha"))
    _ = await journey.start("Login")
    #expect(await journey.session() == nil)
    try await storage.save(item: token)
    _ = await journey.start(Request(urlString: "https://elsewhere.example.com/authenticate"))
    #expect(server.requests.count == 2)
    #expect(!server.requests.contains { $0.headers["iplanetdirectorypro"] != nil })
  }

  @Test func `a success without a token leaves the stored session alone`() async throws {
    try await storage.save(item: token)
    let journey = makeJourney(FakeServer(200, #"{"successUrl":"/s","realm":"/alpha"}"#), storage: storage)
    _ = await journey.start("Login") { $0.noSession = true }
    #expect(await journey.session()?.value == token.value)
  }

  @Test func `deleteSession forgets without asking the server`() async throws {
    try await storage.save(item: token)
    let server = FakeServer()
    let journey = makeJourney(server, storage: storage)
    await journey.deleteSession()
    #expect(await journey.session() == nil)
    #expect(server.requests.isEmpty)
  }

  @Test func `sign-off posts to the realm's sessions, with the SDK's headers and the token`() async throws {
    try await storage.save(item: token)
    let server = FakeServer(200, #"{"result":"Successfully logged out"}"#)
    let journey = makeJourney(server, storage: storage)
    try await journey.journeySignOff().get()
    let request = try #require(server.requests.first)
    #expect(request.httpMethod == "POST")
    #expect(
      request.url?.absoluteString == "https://am.example.com/am/json/realms/alpha/sessions?_action=logout")
    #expect(request.bodyText == "{}")
    #expect(
      request.headers == [
        "content-type": "application/json", "accept-api-version": "resource=3.1, protocol=1.0",
        "x-requested-with": "ping-sdk", "x-requested-platform": Request.Constants.platform,
        "iplanetdirectorypro": "AQIC5wM2*",
      ])
    #expect(await journey.session() == nil)
  }

  @Test func `a cookie's name that the app learns later is the one that is sent`() async throws {
    let server = FakeServer(200, #"{"tokenId":"t*","successUrl":"/s"}"#)
    let journey = makeJourney(server, storage: storage)
    try #require(journey.config as? JourneyConfig).cookie = "session"
    _ = await journey.start("Login")
    try await journey.journeySignOff().get()
    #expect(server.requests.last?.headers["session"] == "t*")
    #expect(server.requests.last?.headers["iplanetdirectorypro"] == nil)
    #expect(await journey.session() == nil)
  }

  @Test func `what ends is the session that was sent, whatever happened while the server answered`()
    async throws
  {
    let (renamed, replaced) = (Locked<Journey?>(nil), Locked(false))
    let storage = storage
    let server = FakeServer { _ in
      (renamed.withLock { $0 }?.config as? JourneyConfig)?.cookie = "session"
      if replaced.withLock({ $0 }) { try await storage.save(item: newer) }
      return (200, "{}", [:])
    }
    let journey = makeJourney(server, storage: storage)
    try await storage.save(item: token)
    replaced.withLock { $0 = true }
    try await journey.journeySignOff().get()
    #expect(try await storage.get()?.value == newer.value)
    replaced.withLock { $0 = false }
    renamed.withLock { $0 = journey }
    try await journey.journeySignOff().get()
    #expect(try await storage.get() == nil)
    #expect(server.requests.map { $0.headers["iplanetdirectorypro"] } == [token.value, newer.value])
    renamed.withLock { $0 = nil }
  }

  @Test func `a server that cannot be asked leaves the session, so that sign-off can be repeated`()
    async throws
  {
    try await storage.save(item: token)
    let journey = makeJourney(FakeServer { _ in throw URLError(.notConnectedToInternet) }, storage: storage)
    let result = await journey.journeySignOff()
    #expect(throws: URLError.self) { try result.get() }
    #expect(await journey.session()?.value == token.value)
  }

  @Test(arguments: [302, 400, 403, 500, 503])
  func `a refused sign-off is a failure and leaves the session`(status: Int) async throws {
    try await storage.save(item: token)
    let journey = makeJourney(FakeServer(status, #"{"message":"No"}"#), storage: storage)
    let result = await journey.journeySignOff()
    guard case .failure(let error) = result, case ApiError.error(status, let json, let text) = error else {
      Issue.record("\(result)")
      return
    }
    #expect(json["message"] as? String == "No")
    #expect(text.hasSuffix("is kept: No"))
    #expect(await journey.session()?.value == token.value)
  }

  @Test func `a session that the server does not know any more is signed off`() async throws {
    try await storage.save(item: token)
    let journey = makeJourney(FakeServer(401, #"{"code":401,"message":"Access Denied"}"#), storage: storage)
    try await journey.journeySignOff().get()
    #expect(await journey.session() == nil)
  }

  @Test func `sign-off without a session failed; now it succeeds and sends nothing`() async throws {
    let server = FakeServer()
    try await makeJourney(server, storage: storage).journeySignOff().get()
    #expect(server.requests.isEmpty)
  }

  @Test(arguments: [nil, "of the provider"] as [String?])
  func `another module's sign-off is none of the session's business`(header: String?) async throws {
    let server = FakeServer(500, "{}")
    let journey = makeJourney(server, storage: storage) { config in
      config.module(
        Module.of { setup in
          setup.signOff { _ in
            let request = Request(urlString: "https://idp.example.com/logout")
            if let header { request.setHeader(name: "iPlanetDirectoryPro", value: header) }
            return request
          }
        })
    }
    for stored in [nil, token] {
      if let stored { try await storage.save(item: stored) }
      try await journey.journeySignOff().get()
      #expect(try await storage.get()?.value == stored?.value)
    }
    #expect(server.requests.count == 2)
  }

  @Test func `a storage that cannot be read fails start and sign-off with its error`() async throws {
    struct Broken: Storage {
      func save(item: SSOTokenImpl) async throws { throw Refused() }
      func get() async throws -> SSOTokenImpl? { throw Refused() }
      func delete() async throws { throw Refused() }
    }
    let server = FakeServer()
    let journey = makeJourney(server, storage: Broken())
    #expect((await journey.start("Login") as? FailureNode)?.cause is Refused)
    let result = await journey.journeySignOff()
    #expect(throws: Refused.self) { try result.get() }
    #expect(await journey.session() == nil)
    #expect(server.requests.isEmpty)
  }

  @Test func `a token is not in descriptions, and its JSON has the published keys`() throws {
    var dumped = ""
    dump(token, to: &dumped)
    #expect(!"\(token) \(String(reflecting: token)) \(dumped)".contains(token.value))
    let json = try object(String(decoding: JSONEncoder().encode(token), as: UTF8.self))
    #expect(json.keys.sorted() == ["issuer", "realm", "successUrl", "value"])
    let earlier = try JSONDecoder().decode(
      SSOTokenImpl.self, from: Data(#"{"value":"t*","successUrl":"/s","realm":"/alpha"}"#.utf8))
    #expect(earlier.value == "t*" && earlier.issuer == nil)
  }

  @Test func `a journey is released, modules and all, when nobody holds it any more`() async throws {
    weak var released: Workflow?
    do {
      let journey = makeJourney(FakeServer(200, #"{"tokenId":"t"}"#), storage: storage)
      _ = await journey.start("Login")
      released = journey
    }
    #expect(released == nil)
  }
}
