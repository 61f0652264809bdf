import Foundation
import Locking
import PingStorage
import Testing

@testable import PingOrchestrate

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

private let now = Date(timeIntervalSince1970: 1_800_000_000)  // 2027-01-15T08:00:00Z

private func url(_ text: String) throws -> URL { try #require(URL(string: text)) }

@Suite("Cookies, RFC 6265")
struct CookieTests {
  struct Match: Sendable, CustomTestStringConvertible {
    let setCookie: String
    let from: String
    let to: String
    let isSent: Bool
    var testDescription: String { "\(setCookie) from \(from) to \(to)" }
  }

  @Test(
    "Which cookie goes where",
    arguments: [
      // §5.1.3: host-only cookies stay with their host, domain cookies go below their domain, at a dot.
      Match(setCookie: "a=1", from: "https://example.com/", to: "https://example.com/", isSent: true),
      Match(setCookie: "a=1", from: "https://example.com/", to: "https://www.example.com/", isSent: false),
      Match(
        setCookie: "a=1; Domain=example.com", from: "https://am.example.com/", to: "https://www.example.com/",
        isSent: true),
      Match(
        setCookie: "a=1; Domain=.EXAMPLE.com", from: "https://am.example.com/", to: "https://example.com/",
        isSent: true),
      Match(
        setCookie: "a=1; Domain=example.com", from: "https://example.com/", to: "https://evilexample.com/",
        isSent: false),
      Match(
        setCookie: "a=1; Domain=example.com", from: "https://example.com/",
        to: "https://example.com.evil.org/", isSent: false),
      Match(setCookie: "a=1", from: "https://EXAMPLE.com/", to: "https://example.COM/", isSent: true),
      // §5.3 step 6: nobody sets cookies for others, nor for a top-level domain.
      Match(
        setCookie: "a=1; Domain=other.com", from: "https://example.com/", to: "https://other.com/",
        isSent: false),
      Match(
        setCookie: "a=1; Domain=am.example.com", from: "https://example.com/", to: "https://am.example.com/",
        isSent: false),
      Match(
        setCookie: "a=1; Domain=com", from: "https://example.com/", to: "https://bank.com/", isSent: false),
      // Addresses have no subdomains.
      Match(
        setCookie: "a=1; Domain=0.0.1", from: "http://127.0.0.1/", to: "http://127.0.0.1/", isSent: false),
      Match(
        setCookie: "a=1; Domain=127.0.0.1", from: "http://127.0.0.1/", to: "http://127.0.0.1/", isSent: true),
      Match(setCookie: "a=1", from: "http://localhost/", to: "http://localhost/", isSent: true),
      // §5.1.4: the path and what is below it, at a slash.
      Match(
        setCookie: "a=1; Path=/am", from: "https://example.com/", to: "https://example.com/am", isSent: true),
      Match(
        setCookie: "a=1; Path=/am", from: "https://example.com/", to: "https://example.com/am/json",
        isSent: true),
      Match(
        setCookie: "a=1; Path=/am/", from: "https://example.com/", to: "https://example.com/am", isSent: false
      ),
      Match(
        setCookie: "a=1; Path=/am", from: "https://example.com/", to: "https://example.com/amx", isSent: false
      ),
      Match(
        setCookie: "a=1", from: "https://example.com/am/json", to: "https://example.com/am/x", isSent: true),
      Match(setCookie: "a=1", from: "https://example.com/am/json", to: "https://example.com/", isSent: false),
      Match(
        setCookie: "a=1; Path=relative", from: "https://example.com/am/x", to: "https://example.com/am",
        isSent: true),
      // §5.4: secure cookies on secure connections only.
      Match(setCookie: "a=1; Secure", from: "https://example.com/", to: "http://example.com/", isSent: false),
      Match(setCookie: "a=1; secure", from: "https://example.com/", to: "https://example.com/", isSent: true),
      // §5.2.1, §5.2.2: Max-Age counts before Expires.
      Match(
        setCookie: "a=1; Expires=Thu, 01 Jan 1970 00:00:00 GMT", from: "https://example.com/",
        to: "https://example.com/", isSent: false),
      Match(
        setCookie: "a=1; Max-Age=60; Expires=Thu, 01 Jan 1970 00:00:00 GMT", from: "https://example.com/",
        to: "https://example.com/", isSent: true),
      Match(
        setCookie: "a=1; Expires=Wed, 21 Oct 2065 07:28:00 GMT; Max-Age=0", from: "https://example.com/",
        to: "https://example.com/", isSent: false),
      Match(
        setCookie: "a=1; Max-Age=-5", from: "https://example.com/", to: "https://example.com/", isSent: false),
      Match(
        setCookie: "a=1; Max-Age=soon", from: "https://example.com/", to: "https://example.com/", isSent: true
      ),
      // §5.2: no name, no cookie.
      Match(setCookie: "=1", from: "https://example.com/", to: "https://example.com/", isSent: false),
      Match(setCookie: "a", from: "https://example.com/", to: "https://example.com/", isSent: false),
    ])
  func matching(_ match: Match) throws {
    let cookies = SetCookie.cookies(inHeader: match.setCookie, for: try url(match.from), now: now)
    let sent = CookieMatching.matching(cookies, try url(match.to), now: now)
    #expect(sent.isEmpty == !match.isSent)
  }

  @Test("Joined Set-Cookie fields are told apart from the commas of dates and values")
  func joined() throws {
    let header = "a=1; Expires=Wed, 21 Oct 2065 07:28:00 GMT; Path=/, b=x,y; HttpOnly,c=p=q; Secure"
    let cookies = SetCookie.cookies(inHeader: header, for: try url("https://example.com"), now: now)
    #expect(cookies.map(\.name) == ["a", "b", "c"])
    #expect(cookies.map(\.value) == ["1", "x,y", "p=q"])
    #expect(cookies.map(\.isHTTPOnly) == [false, true, false])
    #expect(cookies.map(\.isSecure) == [false, false, true])
    #expect(cookies.first?.expiresDate == Date(timeIntervalSince1970: 3_023_335_680))
  }

  @Test(
    "Dates, §5.1.1",
    arguments: [
      ("Wed, 21 Oct 2065 07:28:00 GMT", 3_023_335_680 as TimeInterval?),
      ("Wed, 21-Oct-65 07:28:00 GMT", 3_023_335_680), ("21 oct 2065 7:28:0", 3_023_335_680),
      ("Sun Nov  6 08:49:37 1994", 784_111_777), ("Thu, 01-Jan-70 00:00:10 GMT", 10),
      ("31 Feb 2065 07:28:00", nil), ("21 Oct 2065", nil), ("07:28:00", nil), ("21 Oct 1500 07:28:00", nil),
      ("21 Oct 2065 25:28:00", nil), ("", nil), ("never", nil),
    ])
  func dates(text: String, expected: TimeInterval?) {
    #expect(CookieDate.parse(text)?.timeIntervalSince1970 == expected)
  }

  @Test("Longer paths come first, §5.4 step 2")
  func order() throws {
    let cookies = SetCookie.cookies(
      inHeader: "a=1; Path=/, b=2; Path=/am/json, c=3; Path=/am, d=4; Path=/am",
      for: try url("https://example.com"),
      now: now)
    let sent = CookieMatching.matching(cookies, try url("https://example.com/am/json"), now: now)
    #expect(sent.map(\.name) == ["b", "c", "d", "a"])
  }

  @Test("A cookie survives being stored")
  func codable() throws {
    let header = "a=1; Domain=example.com; Path=/am; Secure; HttpOnly; Max-Age=60"
    let cookie = try #require(
      SetCookie.cookies(inHeader: header, for: try url("https://example.com"), now: now).first)
    let stored = try JSONDecoder().decode(
      CustomHTTPCookie.self, from: JSONEncoder().encode(CustomHTTPCookie(from: cookie)))
    let restored = try #require(stored.toHTTPCookie())
    #expect(restored.domain == ".example.com")
    #expect(restored.path == "/am")
    #expect(restored.isSecure && restored.isHTTPOnly)
    #expect(restored.expiresDate == now.addingTimeInterval(60))
  }

  @Test("In memory, a cookie takes the place of the one with the same name, domain and path")
  func inMemory() async throws {
    let site = try url("https://example.com/am")
    let clock = Locked(now)
    let storage = InMemoryCookieStorage { clock.withLock { $0 } }
    for header in ["a=1; Path=/", "a=2; Path=/", "a=3; Path=/am", "b=4; Max-Age=60"] {
      await storage.setCookies(
        SetCookie.cookies(inHeader: header, for: site, now: now), for: site, mainDocumentURL: nil)
    }
    #expect(await storage.cookies(for: site)?.map(\.value) == ["3", "2", "4"])
    clock.withLock { $0 = now.addingTimeInterval(61) }
    #expect(await storage.cookies?.map(\.value).sorted() == ["2", "3"])
    await storage.deleteCookies(url: site)
    #expect(await storage.cookies?.isEmpty == true)
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

  @Test("Named cookies outlive the workflow, the others live in its memory; sign-off removes both")
  func lifecycle() async throws {
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

  @Test("Cookies of other hosts stay when one host sets or loses its own")
  func otherHosts() async throws {
    let server = FakeServer { request in
      (200, "{}", ["Set-Cookie": "kept=\(request.url?.host ?? ""); Path=/; Max-Age=1000"])
    }
    let workflow = workflow(server)
    _ = await workflow.start(Request(urlString: "https://one.example.com/"))
    _ = await workflow.start(Request(urlString: "https://am.example.com/"))
    #expect(try await storage.get()?.map(\.domain) == ["one.example.com", "am.example.com"])
  }

  @Test("A storage that cannot be read fails the step instead of losing the cookies")
  func unreadable() async throws {
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
