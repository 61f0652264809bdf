import CommonFixtures
import Concurrency
import Foundation
import PingLogger
import PingNetwork
import ProductVersion
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("HttpClient")
struct HttpClientTests {
  @Test func `an answer has status headers and body`() async throws {
    let server = try LocalServer { _ in answer("201 Created", headers: ["X-Two: 2"], body: #"{"a":"ü"}"#) }
    let client = HttpClient.createClient()
    let response = try await client.request { request in
      request.url = server.url + "/am/json"
      request.setParameter(name: "_action", value: "a+b c")
      request.setHeader(name: "Accept-API-Version", value: "resource=2.1")
      request.post(json: ["n": 1])
    }.get()
    #expect(response.status == 201)
    #expect(response.status.isSuccess())
    #expect(response.getHeader(name: "x-TWO") == "2")
    #expect(response.getHeaders(name: "absent") == nil)
    #expect(response.bodyAsString() == #"{"a":"ü"}"#)
    let request = try #require(server.requests.first)
    #expect(request.requestLine.hasPrefix("POST /am/json?_action=a%2Bb%20c "))
    #expect(request.headers("x-requested-with") == ["ping-sdk"])
    #expect(request.headers("x-requested-platform") == [NetworkConstants.requestedPlatformValue])
    #expect(request.headers("Accept-API-Version") == ["resource=2.1"])
    #expect(request.headers("Content-Type") == ["application/json"])
    #expect(request.body == #"{"n":1}"#)
  }

  #if canImport(FoundationNetworking)
    /// Push pages showed "sealring (unknown version) curl/7.88.1".
    @Test func `the user agent names this version and not curl`() async throws {
      let server = try LocalServer { _ in answer("200 OK", body: "{}") }
      _ = try await HttpClient.createClient().request { $0.url = server.url }.get()
      let configuration = URLSessionConfiguration.ephemeral
      configuration.httpAdditionalHeaders = ["User-Agent": "Kiosk/7"]
      _ = try await URLSessionHttpClient(config: .default, session: URLSession(configuration: configuration))
        .request { $0.url = server.url }.get()
      let agents = server.requests.map { $0.headers("User-Agent") }
      #expect(agents.count == 2)
      let own = try #require(agents.first?.first)
      #expect(own.hasSuffix("Sealring/\(ProductVersion.text)"))
      #expect(!own.contains("unknown") && !own.contains("curl"))
      #expect(agents.last == ["Kiosk/7"], "a configuration's own name stays")
    }
  #endif

  @Test(arguments: [400, 401, 404, 500, 503])
  func `error statuses are answers`(status: Int) async throws {
    let server = try LocalServer { _ in answer("\(status) No", body: "{}") }
    let response = try await HttpClient.createClient().request { $0.url = server.url }.get()
    #expect(response.status == status)
    #expect(response.status.isClientError() == (status < 500))
    #expect(response.status.isServerError() == (status >= 500))
  }

  @Test(arguments: ["301 Moved", "302 Found", "307 Temporary Redirect"])
  func `redirects are not followed`(status: String) async throws {
    let server = try LocalServer { _ in answer(status, headers: ["Location: /elsewhere"], body: "moved") }
    let response = try await HttpClient.createClient().request { $0.url = server.url }.get()
    #expect(response.status.isRedirect())
    #expect(response.getHeader(name: "Location") == "/elsewhere")
    #expect(server.requests.count == 1)
  }

  @Test func `a given session's configuration is used and redirects are not followed either`() async throws {
    let server = try LocalServer { _ in answer("302 Found", headers: ["Location: /elsewhere"]) }
    let configuration = URLSessionConfiguration.ephemeral
    configuration.httpAdditionalHeaders = ["X-Mine": "yes"]
    let client = URLSessionHttpClient(config: .default, session: URLSession(configuration: configuration))
    let response = try await client.request { $0.url = server.url }.get()
    #expect(response.status == 302)
    #expect(server.requests.first?.headers("X-Mine") == ["yes"])
  }

  // Weak point elsewhere: the process's cookie store sent one journey's cookies with another's requests.
  @Test func `cookies of an answer are not sent again`() async throws {
    let server = try LocalServer { _ in answer("200 OK", headers: ["Set-Cookie: a=1; Path=/"]) }
    let client = HttpClient.createClient()
    _ = try await client.request { $0.url = server.url }.get()
    _ = try await client.request { request in
      request.url = server.url
      request.setCookies(cookies: ["b=2", "c=3"])
      request.setCookie(cookie: "d=4")
    }.get()
    #expect(server.requests.map { $0.headers("Cookie") } == [[], ["b=2; c=3; d=4"]])
    #expect(HTTPCookieStorage.shared.cookies?.contains { $0.name == "a" && $0.domain == "127.0.0.1" } != true)
  }

  @Test func `interceptors run in order`() async throws {
    let server = try LocalServer { _ in answer("200 OK") }
    let order = Locked<[String]>([])
    let client = HttpClient.createClient { config in
      for name in ["1", "2"] {
        config.onRequest { request in
          order.withLock { $0.append("request \(name)") }
          request.setHeader(name: "X-Order", value: (request.getHeader(name: "x-order") ?? "") + name)
        }
        config.onResponse { response in
          order.withLock { $0.append("response \(name)") }
          response.request.setHeader(name: "X-Order", value: "changed")
          response.request.url = nil
        }
      }
    }
    let response = try await client.request { $0.url = server.url }.get()
    #expect(order.withLock { $0 } == ["request 1", "request 2", "response 1", "response 2"])
    #expect(server.requests.first?.headers("X-Order") == ["12"])
    #expect(response.request.getHeader(name: "X-Order") == "12")
    #expect(response.request.url == server.url)
  }

  @Test func `an answer that is too large is refused`() async throws {
    let server = try LocalServer { _ in answer("200 OK", body: String(repeating: "x", count: 1001)) }
    for (limit, isAccepted) in [(1001, true), (1000, false)] {
      let client = HttpClient.createClient { $0.maximumBodySize = limit }
      let result = await client.request { $0.url = server.url }
      #expect((try? result.get())?.body?.count == (isAccepted ? 1001 : nil))
    }
  }

  @Test func `no answer in time is a timeout`() async throws {
    let server = try LocalServer { _ in nil }
    let client = HttpClient.createClient { $0.timeout = 1 }
    await #expect(throws: NetworkError.timeout) { try await client.request { $0.url = server.url }.get() }
  }

  /// FoundationNetworking ends the process when a task that ends is cancelled at that moment.
  @Test(arguments: 0..<4)
  func `cancelling a request in the moment in which it ends harms nothing`(seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let server = try LocalServer { _ in answer("200 OK", body: "{}") }
    for _ in 0..<500 {
      let client = HttpClient.createClient { $0.timeout = 0.002 }
      let asking = Task { await client.request { $0.url = server.url } }
      for _ in 0..<Int.random(in: 0..<200, using: &random) { await Task.yield() }
      asking.cancel()
      switch await asking.value {
      case .success(let response): #expect(response.status == 200)
      case .failure(let error): #expect([.cancelled, .timeout].contains(error as? NetworkError), "\(error)")
      }
    }
  }

  @Test(.timeLimit(.minutes(1))) func `cancelling the task cancels the request`() async throws {
    let (asked, isAsked) = AsyncStream.makeStream(of: Void.self)
    let server = try LocalServer { _ in
      isAsked.yield()
      return nil
    }
    let client = HttpClient.createClient()
    let task = Task { try await client.request { $0.url = server.url }.get().status }
    for await _ in asked { break }
    task.cancel()
    await #expect(throws: NetworkError.cancelled) { try await task.value }
    let cancelledBefore = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await client.request { $0.url = server.url }.get().status
    }
    await #expect(throws: NetworkError.cancelled) { try await cancelledBefore.value }
  }

  @Test(.timeLimit(.minutes(1))) func `closing cancels what is under way and refuses the rest`() async throws
  {
    let (asked, isAsked) = AsyncStream.makeStream(of: Void.self)
    let server = try LocalServer { _ in
      isAsked.yield()
      return nil
    }
    let client = HttpClient.createClient()
    let task = Task { try await client.request { $0.url = server.url }.get().status }
    for await _ in asked { break }
    client.close()
    await #expect(throws: NetworkError.cancelled) { try await task.value }
    await #expect(throws: NetworkError.invalidRequest("the client was closed")) {
      try await client.request { $0.url = server.url }.get()
    }
  }

  @Test func `a refused connection is a URL error`() async throws {
    let url = try LocalServer { _ in nil }.url
    await #expect(throws: URLError.self) {
      try await HttpClient.createClient().request { $0.url = url }.get()
    }
  }

  @Test func `requests of another kind are invalid`() async throws {
    let server = try LocalServer { _ in answer("200 OK") }
    let client = HttpClient.createClient()
    let sent = try await client.request { $0.url = server.url }.get().request
    await #expect(throws: NetworkError.self) { try await client.request(request: sent).get() }
  }

  @Test(arguments: [
    NetworkError.timeout, .networkUnavailable, .cancelled, .invalidRequest("r"), .invalidResponse("r"),
  ])
  func `errors speak for themselves`(error: NetworkError) {
    #expect(error.localizedDescription.contains("The request timed out") == (error == .timeout))
    #expect(error.localizedDescription == error.errorDescription)
    #expect(!error.localizedDescription.contains("operation could"))
  }
}

@Suite("HttpRequest")
struct HttpRequestTests {
  private let request = URLSessionHttpRequest()

  @Test func `headers replace whatever the case`() {
    request.setHeader(name: "X-REQUESTED-WITH", value: "mine")
    #expect(request.getHeader(name: "x-requested-with") == "mine")
    #expect(request.getHeaders().count == 2)
  }

  @Test(arguments: [
    ("https://example.com/am", "https://example.com/am?a%26b=%C3%BC%3D"),
    ("https://example.com/am?x=1", "https://example.com/am?x=1&a%26b=%C3%BC%3D"),
    ("https://example.com/am?", "https://example.com/am?a%26b=%C3%BC%3D"),
  ])
  func `parameters are appended to the query`(url: String, expected: String) {
    request.setParameter(name: "a&b", value: "ü=")
    request.url = url
    #expect(request.buildURLRequest()?.url?.absoluteString == expected)
  }

  @Test(arguments: [
    nil, "", "am/json", "ftp://example.com", "https://", "file:///etc/passwd", "javascript:alert(1)",
  ])
  func `URLs that are not HTTP are invalid`(url: String?) {
    request.url = url
    #expect(request.buildURLRequest() == nil)
  }

  @Test func `forms accumulate and encode`() throws {
    request.url = "https://example.com"
    request.form(parameters: ["token": "a+b&c=d"])
    request.form(parameters: ["z": "1 2"])
    let built = try #require(request.buildURLRequest())
    #expect(built.httpMethod == "POST")
    #expect(built.httpBody.map { String(decoding: $0, as: UTF8.self) } == "token=a%2Bb%26c%3Dd&z=1%202")
    #expect(built.value(forHTTPHeaderField: "content-type") == "application/x-www-form-urlencoded")
  }

  @Test func `a field of a form took the place of an earlier one with its name`() throws {
    request.url = "https://example.com"
    request.form(parameters: ["b": "2", "a": "1"])
    request.form(parameters: ["a": "3"])
    let built = try #require(request.buildURLRequest())
    #expect(built.httpBody.map { String(decoding: $0, as: UTF8.self) } == "a=1&b=2&a=3")
  }

  @Test(
    arguments: [
      NetworkError.invalidRequest("r"), .invalidResponse("r"), .timeout, .networkUnavailable, .cancelled,
    ])
  func `errors had neither reason nor advice`(error: NetworkError) {
    #expect(error.failureReason?.isEmpty == false)
    #expect(error.recoverySuggestion?.isEmpty == false)
  }

  @Test func `JSON methods write an empty object and get clears the body`() throws {
    request.url = "https://example.com"
    request.put()
    #expect(request.buildURLRequest()?.httpBody == Data("{}".utf8))
    #expect(request.buildURLRequest()?.httpMethod == "PUT")
    request.delete(body: "x")
    #expect(request.buildURLRequest()?.httpMethod == "DELETE")
    request.get()
    #expect(request.getMethod() == .get)
    #expect(request.buildURLRequest()?.httpBody == nil)
    request.setMethod(.patch)
    request.setBody(Data([1]))
    #expect(request.buildURLRequest()?.httpMethod == "PATCH")
    #expect(request.buildURLRequest()?.httpBody == Data([1]))
  }

  @Test func `what JSON cannot express is invalid instead of sent empty`() {
    request.url = "https://example.com"
    request.post(json: ["date": Date()])
    #expect(request.buildURLRequest() == nil)
    request.post(json: ["number": 1])
    #expect(request.buildURLRequest() != nil)
  }

  @Test(arguments: [
    ("X-A", "1\r\nX-B: 2"), ("X-A: 1\r\nX-B", "2"), ("", "1"), ("X A", "1"), ("X-A", "\u{0}"),
  ])
  func `headers cannot carry others`(name: String, value: String) {
    request.url = "https://example.com"
    request.setHeader(name: name, value: value)
    #expect(request.buildURLRequest() == nil)
  }
}
