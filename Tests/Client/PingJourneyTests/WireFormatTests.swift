import Foundation
import PingJourneyPlugin
import PingOrchestrate
import PingStorage
import Testing

@testable import PingJourney

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

private let page = """
  {"authId":"eyJ0.eyJv.sig","header":"Sign in","callbacks":[
    {"type":"NameCallback","output":[{"name":"prompt","value":"User Name"}],"input":[{"name":"IDToken1","value":""}],"_id":0},
    {"type":"PasswordCallback","output":[{"name":"prompt","value":"Password"}],"input":[{"name":"IDToken2","value":""}],"_id":1}]}
  """

@Suite("Requests on the wire")
struct WireFormatTests {
  /// The headers save Accept-Language, which depends on the machine.
  private func headers(_ request: URLRequest) -> [String: String] {
    request.headers.filter { $0.key != "accept-language" }
  }

  private let expectedHeaders = [
    "content-type": "application/json", "accept-api-version": "resource=2.1, protocol=1.0",
    "x-requested-with": "ping-sdk", "x-requested-platform": Request.Constants.platform,
  ]

  #if !canImport(Darwin)
    @Test func `the platform is linux on Linux`() { #expect(Request.Constants.platform == "linux") }
  #endif

  @Test func `start: an empty object, posted to the realm's authenticate endpoint`() async throws {
    let server = FakeServer(200, page)
    _ = await makeJourney(server).start("Login")
    let request = try #require(server.requests.first)
    #expect(request.httpMethod == "POST")
    #expect(
      request.url?.absoluteString
        == "https://am.example.com/am/json/realms/alpha/authenticate?authIndexType=service&authIndexValue=Login"
    )
    #expect(headers(request) == expectedHeaders)
    #expect(request.bodyText == "{}")
    #expect(request.timeoutInterval == 30)
  }

  @Test func `start for a transaction: its id, as the transaction's index; the run keeps it`() async throws {
    let server = FakeServer(200, page)
    let node = await makeJourney(server).start(transaction: "a-_b c")
    let request = try #require(server.requests.first)
    #expect(request.httpMethod == "POST" && request.bodyText == "{}")
    #expect(headers(request) == expectedHeaders)
    #expect(
      request.url?.absoluteString
        == "https://am.example.com/am/json/realms/alpha/authenticate?authIndexType=transaction&authIndexValue=a-_b%20c"
    )
    let step = try #require(node as? ContinueNode)
    #expect(step.context.flowContext.get(key: JourneyConstants.transactionId) as? String == "a-_b c")
    let other = try #require(await makeJourney(server).start("Login") as? ContinueNode)
    #expect(other.context.flowContext.get(key: JourneyConstants.transactionId) == nil)
  }

  @Test(
    arguments: [
      (true, true, "&ForceAuth=true&noSession=true"), (true, false, "&ForceAuth=true"),
      (false, true, "&noSession=true"), (false, false, ""),
    ])
  func `start: the options follow the journey, ForceAuth first`(
    forceAuth: Bool, noSession: Bool, query: String
  ) async throws {
    let server = FakeServer(200, page)
    _ = await makeJourney(server).start("Two words & more") {
      $0.forceAuth = forceAuth
      $0.noSession = noSession
    }
    #expect(
      server.requests.first?.url?.query
        == "authIndexType=service&authIndexValue=Two%20words%20%26%20more" + query)
  }

  @Test(arguments: [(["de-CH"], "de-CH, de;q=0.9"), ([], nil)])
  func `the person's languages go along as Accept-Language`(locales: [String], expected: String?) async {
    let server = FakeServer(200, page)
    let journey = makeJourney(server) { config in
      config.module(CustomHeader.config) {
        Journey.addHeaders(to: $0, locales: locales.map { Locale(identifier: $0) })
      }
    }
    _ = await journey.start("Login")
    #expect(server.requests.first?.headers["accept-language"] == expected)
  }

  @Test func `continue: authId and the callbacks with their answers, and both options in the query`()
    async throws
  {
    let server = FakeServer(200, page)
    let journey = makeJourney(server, storage: MemoryStorage<SSOTokenImpl>())
    let step = try #require(await journey.start("Login") { $0.forceAuth = true } as? ContinueNode)
    (step.callbacks[0] as? NameCallback)?.name = "ada"
    (step.callbacks[1] as? PasswordCallback)?.password = "Tr0ub4dor/3"
    _ = await step.next()

    let request = try #require(server.requests.last)
    #expect(request.httpMethod == "POST")
    #expect(
      request.url?.absoluteString
        == "https://am.example.com/am/json/realms/alpha/authenticate?noSession=false&ForceAuth=true")
    #expect(headers(request) == expectedHeaders)
    #expect(
      request.bodyText == #"{"authId":"eyJ0.eyJv.sig","callbacks":["#
        + #"{"_id":0,"input":[{"name":"IDToken1","value":"ada"}],"output":[{"name":"prompt","value":"User Name"}],"type":"NameCallback"},"#
        + #"{"_id":1,"input":[{"name":"IDToken2","value":"Tr0ub4dor/3"}],"output":[{"name":"prompt","value":"Password"}],"type":"PasswordCallback"}]}"#
    )
  }

  @Test func `resume: the options, then the id of the suspended journey, and no journey name`() async throws {
    let server = FakeServer(200, page)
    let link = try #require(
      URL(
        string: "https://am.example.com/am/XUI/?realm=/alpha&suspendedId=YGJ1o1snV96U%2B&authIndexValue=Login"
      ))
    _ = await makeJourney(server).resume(link) { $0.noSession = true }
    let request = try #require(server.requests.first)
    #expect(
      request.url?.absoluteString
        == "https://am.example.com/am/json/realms/alpha/authenticate?noSession=true&suspendedId=YGJ1o1snV96U%2B"
    )
    #expect(headers(request) == expectedHeaders)
    #expect(request.bodyText == "{}")
  }

  @Test(arguments: ["", "?suspendedId=", "?other=1"])
  func `resume: a link without an id fails and sends nothing`(query: String) async throws {
    let server = FakeServer()
    let link = try #require(URL(string: "https://am.example.com/am/XUI/" + query))
    let failure = try #require(await makeJourney(server).resume(link) as? FailureNode)
    guard case ApiError.error(400, let json, _)? = failure.cause as? ApiError else {
      Issue.record("\(failure.cause)")
      return
    }
    #expect(json.isEmpty)
    #expect(server.requests.isEmpty)
  }

  @Test func `a stored session goes along in a header named like the cookie`() async throws {
    let storage = MemoryStorage<SSOTokenImpl>()
    try await storage.save(
      item: SSOTokenImpl(
        value: "AQIC5wM2*", successUrl: "/enduser/", realm: "/alpha",
        issuer: SessionIssuer(origin: "https://am.example.com", realm: "/alpha", cookie: "abc123")))
    let server = FakeServer(200, page)
    let journey = makeJourney(server, storage: storage) { $0.cookie = "abc123" }
    let step = try #require(await journey.start("Login") as? ContinueNode)
    _ = await step.next()
    #expect(server.requests.map { $0.value(forHTTPHeaderField: "abc123") } == ["AQIC5wM2*", "AQIC5wM2*"])
  }

  @Test func `options belong to a run: a second start does not change those of the first`() async throws {
    let server = FakeServer(200, page)
    let journey = makeJourney(server)
    let first = try #require(await journey.start("Login") { $0.forceAuth = true } as? ContinueNode)
    let second = try #require(await journey.start("Login") { $0.noSession = true } as? ContinueNode)
    _ = await first.next()
    _ = await second.next()
    #expect(
      server.requests.suffix(2).map { $0.url?.query } == [
        "noSession=false&ForceAuth=true", "noSession=true&ForceAuth=false",
      ])
  }

  @Test(
    arguments: [
      ("https://am.example.com/am", "root", "https://am.example.com/am/json/realms/root/authenticate"),
      ("https://am.example.com/am/", "alpha", "https://am.example.com/am/json/realms/alpha/authenticate"),
      ("https://am.example.com/am//", "/alpha", "https://am.example.com/am/json/realms/alpha/authenticate"),
      ("http://localhost:8080/am", "/", "http://localhost:8080/am/json/realms/root/authenticate"),
      (
        "https://am.example.com/am", "root/realms/alpha",
        "https://am.example.com/am/json/realms/root/realms/alpha/authenticate"
      ),
      (
        "https://am.example.com/am", "alpha/branch",
        "https://am.example.com/am/json/realms/root/realms/alpha/realms/branch/authenticate"
      ),
      (
        "https://am.example.com/sso/openam", "/alpha/branch/",
        "https://am.example.com/sso/openam/json/realms/root/realms/alpha/realms/branch/authenticate"
      ),
      (
        "https://am.example.com/am", "root/alpha",
        "https://am.example.com/am/json/realms/root/realms/alpha/authenticate"
      ),
      (
        "https://am.example.com/am", "alpha/realms/branch",
        "https://am.example.com/am/json/realms/alpha/realms/branch/authenticate"
      ),
      ("https://am.example.com/am", "a b?c", "https://am.example.com/am/json/realms/a%20b%3Fc/authenticate"),
    ])
  func `server URLs and realms`(serverUrl: String, realm: String, expected: String) async {
    let server = FakeServer(200, page)
    _ = await makeJourney(server) {
      $0.serverUrl = serverUrl
      $0.realm = realm
    }.start("Login")
    #expect(
      server.requests.first?.url?.absoluteString.split(separator: "?").first.map(String.init) == expected)
  }

  @Test(
    arguments: [
      nil, "", "am.example.com/am", "ftp://am.example.com", "https://", "https://am.example.com/am?x=1",
    ])
  func `a server URL that is missing or no URL fails, says so, and sends nothing`(serverUrl: String?)
    async throws
  {
    let server = FakeServer()
    let failure = try #require(
      await makeJourney(server) { $0.serverUrl = serverUrl }.start("Login") as? FailureNode)
    #expect(failure.cause is RequestError)
    #expect(server.requests.isEmpty)
  }

  @Test(arguments: ["..", "alpha/..", "/alpha/../beta", "."])
  func `a realm that is a step reaches no other realm`(realm: String) async throws {
    let server = FakeServer()
    let failure = try #require(
      await makeJourney(server) { $0.realm = realm }.start("Login") as? FailureNode)
    #expect(failure.cause is RequestError)
    #expect(server.requests.isEmpty)
  }

  @Test func `a workflow that is not a journey cannot start one`() async throws {
    let failure = try #require(await Workflow.createWorkflow().start("Login") as? FailureNode)
    guard case ApiError.error(400, _, _)? = failure.cause as? ApiError else {
      Issue.record("\(failure.cause)")
      return
    }
  }

  @Test func `a callback that intercepts may replace the request`() async throws {
    final class Interceptor: AbstractCallback, RequestInterceptor, @unchecked Sendable {
      func intercept(context: FlowContext, request: Request) -> Request {
        request.setHeader(name: "X-Intercepted", value: "yes")
        return request
      }
    }
    CallbackRegistry.shared.registerSynchronously(type: "InterceptingCallback", callback: Interceptor.self)
    let server = FakeServer(200, #"{"authId":"a","callbacks":[{"type":"InterceptingCallback"}]}"#)
    let step = try #require(await makeJourney(server).start("Login") as? ContinueNode)
    _ = await step.next()
    #expect(server.requests.last?.value(forHTTPHeaderField: "X-Intercepted") == "yes")
  }
}
