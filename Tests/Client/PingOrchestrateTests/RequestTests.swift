import Concurrency
import Foundation
import PingNetwork
import PingLogger
import Testing

@testable import PingOrchestrate

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("Requests")
struct RequestTests {
  @Test(arguments: ["", "not a url", "/path/only", "http://[::1", "https:///x", "http://a b/"])
  func `text that is not an absolute URL does not trap; sending says what was wrong`(_ text: String)
    async throws
  {
    #expect(Request(urlString: text).problem == .invalidURL(text))

    let request = Request(urlString: "https://am.example.com/a")
    request.url(text)
    #expect(request.problem == .invalidURL(text))
    #expect(request.urlRequest.url?.absoluteString == "https://am.example.com/a")
    await #expect(throws: RequestError.invalidURL(text)) {
      try await FakeServer().client.response(to: request)
    }

    request.url("https://am.example.com/b")
    #expect(request.problem == nil)
  }

  @Test func `an error about a URL leaves out its query`() {
    let text = RequestError.invalidURL("am.example.com/x?suspendedId=secret").errorDescription ?? ""
    #expect(text.contains("am.example.com/x"))
    #expect(!text.contains("secret"))
  }

  @Test func `a string URL brings the JSON content type, once`() {
    let request = Request(urlString: "https://am.example.com")
    request.url("https://am.example.com/a")
    request.url("https://am.example.com/b")
    request.header(name: "content-type", value: "application/json")
    #expect(request.urlRequest.value(forHTTPHeaderField: "Content-Type") == "application/json")
  }

  @Test(
    arguments: [
      ("a b", "a%20b"), ("a+b", "a%2Bb"), ("a&b=c", "a%26b%3Dc"), ("ä", "%C3%A4"), ("100%", "100%25"),
      ("#?/", "%23%3F%2F"), ("-._~", "-._~"),
    ])
  func `query items are appended in order and percent-encoded (RFC 3986 §2.3)`(value: String, encoded: String)
  {
    let request = Request(urlString: "https://am.example.com/p?first=1")
    request.parameter(name: "x", value: value)
    request.parameter(name: "y", value: "2")
    #expect(request.urlRequest.url?.absoluteString == "https://am.example.com/p?first=1&x=\(encoded)&y=2")
  }

  @Test func `header adds, setHeader replaces, names are case-insensitive`() {
    let request = Request(urlString: "https://am.example.com")
    request.header(name: "X-A", value: "1")
    request.header(name: "x-a", value: "2")
    #expect(request.urlRequest.value(forHTTPHeaderField: "X-A") == "1,2")
    request.setHeader(name: "x-A", value: "3")
    #expect(request.urlRequest.value(forHTTPHeaderField: "X-A") == "3")
    request.header(name: "Authorization", value: "Bearer a")
    request.header(name: "authorization", value: "Bearer b")
    #expect(request.urlRequest.value(forHTTPHeaderField: "Authorization") == "Bearer b")
  }

  @Test(arguments: [("X-A", "1\r\nX-B: 2"), ("X-A\nX-B", "1"), ("X-A", "1\u{0}"), ("", "1")])
  func `a header cannot bring a second one along (RFC 9110 §5.5)`(name: String, value: String) {
    for set in [Request.header, Request.setHeader] {
      let request = Request(urlString: "https://am.example.com")
      set(request)(name, value)
      #expect(request.problem == .invalidHeader(name: name))
      #expect(request.urlRequest.allHTTPHeaderFields?.isEmpty ?? true)
    }
  }

  @Test func `a JSON body is a POST with sorted members and plain slashes`() {
    let request = Request(urlString: "https://am.example.com")
    request.body(body: ["b": ["x/y", 1, true], "a": NSNull()] as [String: Any])
    #expect(request.getMethod() == "POST")
    #expect(
      request.urlRequest.httpBody.map { String(decoding: $0, as: UTF8.self) }
        == #"{"a":null,"b":["x/y",1,true]}"#)
  }

  @Test func `a body that JSON cannot express is refused when sent, by the names of its members`() async {
    let request = Request(urlString: "https://am.example.com")
    request.body(body: ["when": Date(), "name": "x"])
    await #expect(throws: RequestError.unencodableBody(members: ["name", "when"])) {
      try await FakeServer().client.response(to: request)
    }
  }

  @Test func `a form is percent-encoded: no value can end its field`() {
    let request = Request(urlString: "https://am.example.com")
    request.form(formData: ["token": "a+b&c=d/e", "redirect_uri": "app:/cb?x=1"])
    #expect(request.getMethod() == "POST")
    #expect(
      request.urlRequest.value(forHTTPHeaderField: "Content-Type") == "application/x-www-form-urlencoded")
    #expect(
      request.urlRequest.httpBody.map { String(decoding: $0, as: UTF8.self) }
        == "redirect_uri=app%3A%2Fcb%3Fx%3D1&token=a%2Bb%26c%3Dd%2Fe")
  }

  @Test func `cookies are appended to the Cookie header`() throws {
    let request = Request(urlString: "https://am.example.com")
    let url = try #require(URL(string: "https://am.example.com"))
    let cookies = SetCookie.cookies(joinedIn: "a=1, b=2", for: url, receivedAt: Date())
    request.cookies(cookies: Array(cookies.prefix(1)))
    request.cookies(cookies: Array(cookies.dropFirst()))
    request.cookies(cookies: [])
    #expect(request.urlRequest.value(forHTTPHeaderField: "Cookie") == "a=1; b=2")
  }

  @Test(arguments: [
    ("X-Name", "a\r\nCookie: b", false), ("X-Name", "a\u{0}", false), ("X-Name", "a\u{7f}", false),
    ("X Name", "a", false), ("", "a", false), ("X-Name", "", true), ("X-Name", "a\tb é", true),
  ])
  func `no header is sent that a server could read as another one`(name: String, value: String, isSent: Bool)
  {
    #expect(((try? requireHeader(name, value)) != nil) == isSent)
  }

  @Test(
    arguments: [
      (Request.Constants.contentType, "Content-Type"), (Request.Constants.xRequestedWith, "x-requested-with"),
      (Request.Constants.xRequestedPlatform, "x-requested-platform"), (Request.Constants.pingSdk, "ping-sdk"),
      (Request.Constants.ios, "ios"), (Request.Constants._continue, "continue"),
    ])
  func `published constants`(value: String, expected: String) { #expect(value == expected) }
}

@Suite("The HTTP client")
struct HttpClientTests {
  @Test func `the workflow's time limit applies to each request`() async {
    let server = FakeServer()
    let workflow = Workflow.createWorkflow { config in
      config.httpClient = server.client
      config.timeout = 7
    }
    _ = await workflow.start(Request(urlString: "https://am.example.com"))
    #expect(server.requests.map(\.timeoutInterval) == [7])
  }

  @Test func `an app may override sendRequest`() async {
    final class Blocked: PingOrchestrate.HttpClient, @unchecked Sendable {
      override func sendRequest(request: Request) async throws -> (Data, URLResponse) { throw Refused() }
    }
    let workflow = Workflow.createWorkflow { $0.httpClient = Blocked() }
    let node = await workflow.start(Request(urlString: "https://am.example.com"))
    #expect((node as? FailureNode)?.cause is Refused)
  }

  @Test func `neither bodies nor secrets of headers, queries and cookies are logged`() async throws {
    let server = FakeServer { _ in
      (
        200, #"{"tokenId":"SECRET-1"}"#,
        ["Set-Cookie": "iPlanetDirectoryPro=SECRET-2", "Content-Type": "application/json"]
      )
    }
    let logger = MemoryLogger()
    let client = server.client
    client.logger = logger
    let request = Request(urlString: "https://user:SECRET-3@am.example.com/authenticate")
    request.parameter(name: "suspendedId", value: "SECRET-4")
    request.parameter(name: "authIndexValue", value: "Login")
    request.header(name: "iPlanetDirectoryPro", value: "SECRET-5")
    request.header(name: "Authorization", value: "Bearer SECRET-6")
    request.body(body: ["password": "SECRET-7"])
    _ = try await client.response(to: request)
    #expect(
      logger.text.contains("POST https://am.example.com/authenticate?suspendedId=…&authIndexValue=Login"))
    #expect(logger.text.contains("application/json"))
    #expect(!logger.text.contains("SECRET"))
  }

  @Test func `each workflow logs to its own logger, also after another one was configured`() async {
    let before = LogManager.logger
    defer { LogManager.logger = before }
    let mine = MemoryLogger()
    let other = MemoryLogger()
    let server = FakeServer()
    let workflow = Workflow.createWorkflow { config in
      config.httpClient = server.client
      config.logger = mine
    }
    _ = Workflow.createWorkflow { $0.logger = other }
    _ = await workflow.start(Request(urlString: "https://am.example.com/mine"))
    #expect(mine.text.contains("/mine"))
    #expect(!other.text.contains("/mine"))
  }

  @Test
  func `a session of the app is used with its configuration, and gets a delegate that refuses redirects`()
    async throws
  {
    final class Stub: URLProtocol {
      override class func canInit(with request: URLRequest) -> Bool { true }
      override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }
      override func startLoading() {
        guard let url = request.url,
          let head = HTTPURLResponse(url: url, statusCode: 418, httpVersion: "HTTP/1.1", headerFields: nil)
        else { return }
        client?.urlProtocol(self, didReceive: head, cacheStoragePolicy: .notAllowed)
        client?.urlProtocol(self, didLoad: Data("stub".utf8))
        client?.urlProtocolDidFinishLoading(self)
      }
      override func stopLoading() {}
    }
    let configuration = URLSessionConfiguration.ephemeral
    configuration.protocolClasses = [Stub.self]
    let client = PingOrchestrate.HttpClient(session: URLSession(configuration: configuration))
    let response = try await client.response(to: Request(urlString: "https://am.example.com"))
    #expect(response.status() == 418)
    #expect(response.body() == "stub")
  }

  /// A session as an app's test has it.
  private final class OwnSession: URLSession, @unchecked Sendable {
    private let kept = Locked<[URLRequest]>([])
    private let answer: @Sendable (URLRequest) -> (Data?, URLResponse?, (any Error)?)?
    var asked: [URLRequest] { kept.withLock { $0 } }

    init(_ answer: @escaping @Sendable (URLRequest) -> (Data?, URLResponse?, (any Error)?)?) {
      self.answer = answer
      super.init(configuration: .ephemeral, delegate: nil, delegateQueue: nil)
    }

    override func dataTask(
      with request: URLRequest,
      completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDataTask {
      kept.withLock { $0.append(request) }
      if let (data, head, error) = answer(request) { completionHandler(data, head, error) }
      // Suspended: it never asks anybody.
      return super.dataTask(with: URLRequest(url: URL(filePath: "/")), completionHandler: { _, _, _ in })
    }
  }

  private static func head(_ status: Int) -> HTTPURLResponse? {
    URL(string: "https://am.example.com").flatMap {
      HTTPURLResponse(url: $0, statusCode: status, httpVersion: "HTTP/1.1", headerFields: nil)
    }
  }

  @Test func `a session of the app's own class sends itself`() async throws {
    let session = OwnSession { _ in (Data("own".utf8), Self.head(418), nil) }
    let request = Request(urlString: "https://am.example.com/a")
    request.setHeader(name: "X-Mine", value: "1")
    let response = try await PingOrchestrate.HttpClient(session: session).response(to: request)
    #expect(response.status() == 418 && response.body() == "own")
    #expect(session.asked.map(\.url?.absoluteString) == ["https://am.example.com/a"])
    #expect(session.asked.first?.value(forHTTPHeaderField: "X-Mine") == "1")
  }

  @Test func `what a session of the app's own class reports is thrown, and its answers have a limit`()
    async throws
  {
    func error(_ answer: (Data?, URLResponse?, (any Error)?)) async -> (any Error)? {
      let data = answer.0
      let head = answer.1
      let failure = answer.2 as? URLError
      let client = PingOrchestrate.HttpClient(session: OwnSession { _ in (data, head, failure) })
      do {
        _ = try await client.response(to: Request(urlString: "https://am.example.com"))
        return nil
      } catch { return error }
    }
    #expect((await error((nil, nil, URLError(.cannotFindHost))) as? URLError)?.code == .cannotFindHost)
    #expect((await error((nil, nil, nil)) as? URLError)?.code == .badServerResponse)
    let large = await error((Data(count: 16 << 20 + 1), Self.head(200), nil)) as? ResponseError
    #expect(large == .tooLarge(size: 16 << 20 + 1, limit: 16 << 20))
  }

  @Test func `a session of the app's own class that never answers is a timeout, or cancelled with its task`()
    async
  {
    let client = PingOrchestrate.HttpClient(session: OwnSession { _ in nil })
    client.timeoutIntervalForRequest = 0
    await #expect {
      try await client.response(to: Request(urlString: "https://am.example.com"))
    } throws: {
      ($0 as? URLError)?.code == .timedOut && $0.localizedDescription.contains("The request timed out")
    }
    let patient = PingOrchestrate.HttpClient(session: OwnSession { _ in nil })
    let task = Task { () -> URLError.Code? in
      withUnsafeCurrentTask { $0?.cancel() }
      do { _ = try await patient.response(to: Request(urlString: "https://am.example.com")) } catch {
        return (error as? URLError)?.code
      }
      return nil
    }
    #expect(await task.value == .cancelled)
  }

  @Test func `the default session keeps no cookies and refuses redirects`() throws {
    let from = try #require(URL(string: "https://am.example.com/a"))
    let response = try #require(
      HTTPURLResponse(url: from, statusCode: 302, httpVersion: nil, headerFields: ["Location": "/b"]))
    let session = URLSession(configuration: .ephemeral)
    defer { session.invalidateAndCancel() }
    let task = session.dataTask(with: from)
    RedirectPreventer().urlSession(
      session, task: task, willPerformHTTPRedirection: response, newRequest: URLRequest(url: from)
    ) { #expect($0 == nil) }
  }

  @Test(arguments: ["Location", "location", "LOCATION"])
  func `header names of answers are case-insensitive`(name: String) async throws {
    let server = FakeServer { _ in (302, "", ["location": "https://elsewhere.example.com"]) }
    let response = try await server.client.response(to: Request(urlString: "https://am.example.com"))
    #expect(response.header(name: name) == "https://elsewhere.example.com")
  }

  @Test func `a body that is not JSON is an error with the status; JSON that is not an object is empty`()
    async throws
  {
    func json(_ body: String) async throws -> [String: Any] {
      let server = FakeServer { _ in (502, body, [:]) }
      return try await server.client.response(to: Request(urlString: "https://am.example.com")).json()
    }
    #expect(try await json("[1]").isEmpty)
    #expect(try await json("7").isEmpty)
    #expect(try await json(#"{"a":1}"#)["a"] as? Int == 1)
    await #expect(throws: ResponseError.notJSON(status: 502, reason: "13 bytes do not parse")) {
      _ = try await json("<html></html>")
    }
    await #expect(throws: ResponseError.notJSON(status: 502, reason: "it is empty")) {
      _ = try await json("")
    }
  }

  @Test func `more than 2 MiB of JSON are not parsed`() throws {
    let response = try HttpResponse(
      data: Data(repeating: 0x20, count: (2 << 20) + 1), response: plainHead())
    #expect(throws: ResponseError.tooLarge(size: (2 << 20) + 1, limit: 2 << 20)) { try response.json() }
  }

  /// Foundation's reader took 2.6 GB and a minute for 16 MiB of these.
  @Test func `the dearest answer that is parsed costs little`() throws {
    let body = #"{"callbacks":["# + String(repeating: "[],", count: 600_000) + "[]]}"
    let response = try HttpResponse(data: Data(body.utf8), response: plainHead())
    #expect((try response.json()["callbacks"] as? [Any])?.count == 600_001)
  }

  @Test(arguments: [
    String(repeating: "[", count: 65) + String(repeating: "]", count: 65), #"{"a":1,"a":2}"#, "{'a':1}",
    #"{"a":1,}"#, "\u{FEFF}{}",
  ])
  func `what is no strict JSON is an error`(body: String) throws {
    let response = try HttpResponse(data: Data(body.utf8), response: plainHead())
    #expect(throws: ResponseError.self) { try response.json() }
  }

  @Test func `members have the types that apps know`() throws {
    let body =
      #"{"i":7,"n":-1.5,"e":1e3,"t":true,"f":false,"s":"x","z":null,"a":[1,"b"],"o":{"k":0},"big":1e300}"#
    let json = try HttpResponse(data: Data(body.utf8), response: plainHead()).json()
    #expect(json["i"] as? Int == 7 && json["i"] as? Double == 7 && json["i"] as? String == nil)
    #expect(json["n"] as? Double == -1.5 && json["e"] as? Double == 1000)
    #expect(json["t"] as? Bool == true && json["f"] as? Bool == false)
    #expect(json["s"] as? String == "x" && json["z"] is NSNull)
    #expect((json["a"] as? [Any])?.first as? Int == 1)
    #expect((json["o"] as? [String: Any])?["k"] as? Int == 0)
    #expect(JSONSerialization.isValidJSONObject(json))
  }
}
