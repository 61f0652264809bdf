import Concurrency
import Foundation
import PingNetwork
import PingStorage
import Testing

@testable import PingOrchestrate

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

private let now = Date(timeIntervalSince1970: 1_800_000_000)  // 2027-01-15T08:00:00Z

private func url(_ text: String) throws -> URL { try #require(URL(string: text)) }

@Suite("Stored cookies")
struct CookieTests {
  @Test func `a cookie survives being stored`() throws {
    let header = "a=1; Domain=example.com; Path=/am; Secure; HttpOnly; Max-Age=60"
    let cookie = try #require(
      SetCookie.cookies(joinedIn: header, for: try url("https://example.com"), receivedAt: now).first)
    let stored = try JSONDecoder().decode(
      CustomHTTPCookie.self, from: JSONEncoder().encode(CustomHTTPCookie(from: cookie)))
    let restored = try #require(stored.toHTTPCookie())
    #expect(restored.domain == ".example.com")
    #expect(restored.path == "/am")
    #expect(restored.isSecure && restored.isHTTPOnly)
    #expect(restored.expiresDate == now.addingTimeInterval(60))
  }

  @Test func `in memory, a cookie takes the place of the one with the same name, domain and path`()
    async throws
  {
    let site = try url("https://example.com/am")
    let clock = Locked(now)
    let storage = InMemoryCookieStorage { clock.withLock { $0 } }
    for header in ["a=1; Path=/", "a=2; Path=/", "a=3; Path=/am", "b=4; Max-Age=60"] {
      await storage.setCookies(
        SetCookie.cookies(joinedIn: header, for: site, receivedAt: now), for: site, mainDocumentURL: nil)
    }
    #expect(await storage.cookies(for: site)?.map(\.value) == ["3", "2", "4"])
    clock.withLock { $0 = now.addingTimeInterval(61) }
    #expect(await storage.cookies?.map(\.value).sorted() == ["2", "3"])
    await storage.deleteCookies(url: site)
    #expect(await storage.cookies?.isEmpty == true)
  }

  @Test(arguments: [
    ("am.example.com", true), ("AM.example.com", true), (".am.example.com", true), (".example.com", true),
    ("example.com", false), ("login.am.example.com", false), (".login.am.example.com", false),
    ("elsewhere.example", false), (".elsewhere.example", false), (".com", false),
  ])
  func `in memory, a server's cookies for other domains were kept`(domain: String, isKept: Bool) async throws
  {
    let cookie = try #require(
      HTTPCookie(properties: [.name: "a", .value: "1", .domain: domain, .path: "/"]))
    let storage = InMemoryCookieStorage { now }
    await storage.setCookies([cookie], for: try url("https://am.example.com/am"), mainDocumentURL: nil)
    #expect(await storage.cookies?.count == (isKept ? 1 : 0))
    // Without an address the caller has checked it.
    await storage.setCookies([cookie], for: nil, mainDocumentURL: nil)
    #expect(await storage.cookies?.count == 1)
  }
}

@Suite("The cookie module")
struct CookieModuleTests {
  private let storage = MemoryStorage<[CustomHTTPCookie]>()

  private func workflow(_ server: FakeServer) -> Workflow {
    let storage = storage
    return Workflow.createWorkflow { config in
      config.httpClient = server.client
      config.module(CookieModule.config) { cookies in
        cookies.persist = ["kept"]
        cookies.cookieStorage = storage
      }
      config.module(
        Module.of { setup in
          setup.transform { [weak workflow = setup.workflow] flow, _ in
            guard let workflow else { return EmptyNode() }
            return Step(context: flow, workflow: workflow, input: [:], actions: [])
          }
          setup.workflow.signOffHandlers.insert(
            { request in
              request.url("https://am.example.com/am")
              return request
            }, at: 0)
        })
    }
  }

  @Test func `named cookies outlive the workflow, the others live in its memory; sign-off removes both`()
    async throws
  {
    let server = FakeServer { request in
      let setCookie = "kept=1; Path=/; Max-Age=1000, other=2; Path=/"
      return (200, "{}", request.url?.path == "/am/start" ? ["Set-Cookie": setCookie] : [:])
    }
    let first = workflow(server)
    #expect(await first.hasCookies() == false)
    let step = try #require(
      await first.start(Request(urlString: "https://am.example.com/am/start")) as? ContinueNode)
    _ = await step.next()
    #expect(await first.hasCookies())

    let second = workflow(server)
    _ = await second.start(Request(urlString: "https://am.example.com/am/again"))
    _ = await second.start(Request(urlString: "https://elsewhere.example.com/"))
    try await second.signOff().get()
    #expect(await second.hasCookies() == false)

    #expect(
      server.requests.map { $0.value(forHTTPHeaderField: "Cookie") } == [
        nil, "other=2; kept=1", "kept=1", nil, "kept=1",
      ])
  }

  @Test(arguments: [false, true])
  func `a sign-off without a session left the persisted cookies on the device`(hasOwnTransport: Bool)
    async throws
  {
    let server = FakeServer { _ in
      (200, "{}", ["Set-Cookie": "kept=1; Path=/; Max-Age=1000, other=2; Path=/"])
    }
    let storage = storage
    let config = Locked<CookieConfig?>(nil)
    let workflow = Workflow.createWorkflow { workflow in
      workflow.httpClient = server.client
      workflow.module(CookieModule.config) { cookies in
        cookies.persist = ["kept"]
        cookies.cookieStorage = storage
        config.withLock { $0 = cookies }
      }
      guard hasOwnTransport else { return }
      let client = server.client
      workflow.module(
        Module.of { setup in
          setup.transport { _, request in
            guard request.urlRequest.url?.host != nil else {
              return HttpResponse(data: Data(), response: try plainHead())
            }
            return try await client.response(to: request)
          }
        })
    }
    _ = await workflow.start(Request(urlString: "https://am.example.com/am/start"))
    #expect(await workflow.hasCookies())
    let cookies = try #require(config.withLock { $0 })
    #expect(await cookies.inMemoryStorage.cookies?.map(\.name) == ["other"])
    try await workflow.signOff().get()
    #expect(await workflow.hasCookies() == false)
    #expect(await cookies.inMemoryStorage.cookies?.isEmpty == true)
    #expect(server.requests.count == 1)
  }

  @Test func `cookies of other hosts stay when one host sets or loses its own`() async throws {
    let server = FakeServer { request in
      (200, "{}", ["Set-Cookie": "kept=\(request.url?.host ?? ""); Path=/; Max-Age=1000"])
    }
    let workflow = workflow(server)
    _ = await workflow.start(Request(urlString: "https://one.example.com/"))
    _ = await workflow.start(Request(urlString: "https://am.example.com/"))
    #expect(try await storage.get()?.map(\.domain) == ["one.example.com", "am.example.com"])
  }

  @Test func `a storage that cannot be read fails the step instead of losing the cookies`() async throws {
    struct Broken: Storage {
      func save(item: [CustomHTTPCookie]) async throws { throw Refused() }
      func get() async throws -> [CustomHTTPCookie]? { throw Refused() }
      func delete() async throws { throw Refused() }
    }
    let server = FakeServer()
    let workflow = Workflow.createWorkflow { config in
      config.httpClient = server.client
      config.module(CookieModule.config) { $0.cookieStorage = StorageDelegate(delegate: Broken()) }
    }
    let node = await workflow.start(Request(urlString: "https://am.example.com"))
    #expect((node as? FailureNode)?.cause is Refused)
    #expect(server.requests.isEmpty)
  }
}

private final class Step: ContinueNode, @unchecked Sendable {
  override func asRequest() -> Request { Request(urlString: "https://am.example.com/am/next") }
}
