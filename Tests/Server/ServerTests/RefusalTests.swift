import CommonFixtures
import Concurrency
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import JourneyStore
import NIOCore
import StrictJSON
import Testing

@testable import Assembly
@testable import JourneyFiles
@testable import ServerHTTP

extension Sequence {
  fileprivate func asyncMap<Value>(_ transform: (Element) async throws -> Value) async rethrows -> [Value] {
    var values: [Value] = []
    for element in self { values.append(try await transform(element)) }
    return values
  }
}

@Suite("Requests that are refused before they mean anything") struct RefusalTests {
  private static let authenticate = "\(LocalServer.alpha)/authenticate"

  private static let bodyLimits: [(method: HTTPRequest.Method, path: String, limit: Int)] = [
    (.post, "/authenticate", 262_144), (.post, "/sessions?_action=validate", 16_384),
    (.post, "/users?_action=create", 65_536), (.put, "/users/ada", 65_536),
    (.put, "/users/ada/devices/2fa/binding/x", 16_384), (.post, "/transactions?_action=create", 16_384),
    (.post, "/push/sns/message?_action=authenticate", 16_384),
  ]

  @Test(arguments: bodyLimits)
  func `a body that is longer than its resource can need is 413, whoever sends it`(
    method: HTTPRequest.Method, path: String, limit: Int
  ) async throws {
    try await LocalServer.run { server in
      func status(_ size: Int) async throws -> Answer {
        let bytes = [UInt8](repeating: UInt8(ascii: " "), count: size)
        return try await server.send(method, LocalServer.alpha + path, bytes: bytes)
      }
      #expect(try await status(limit).status != 413)
      for size in [limit + 1, 1 << 20] {
        let answer = try await status(size)
        #expect(answer.status == 413 && answer["code"] == 413)
        #expect(answer.message == "The body is longer than \(limit) bytes.")
      }
      #expect(try await server.start().status == 200)
    }
  }

  @Test func `a body of a false or missing length is counted while it is read`() async throws {
    var head = HTTPRequest(method: .post, scheme: nil, authority: nil, path: "/")
    let body = RequestBody(buffer: ByteBuffer(repeating: 0x20, count: 11))
    var request = Request(head: head, body: body)
    let budget = BodyBudget(limit: 22)
    func received(_ request: Request, limit: Int) async throws -> Request {
      try await RequestBodyReader.received(request, limit: limit, budget: budget, address: "192.0.2.1")
    }
    await #expect(throws: ErrorResponse.self) { try await received(request, limit: 10) }
    #expect(try await received(request, limit: 11).body.collect(upTo: 11).readableBytes == 11)
    head.headerFields[.contentLength] = "10000000000000000000000"
    request = Request(head: head, body: body)
    var refusal = await #expect(throws: ErrorResponse.self) { try await received(request, limit: 11) }
    #expect(refusal?.status == .contentTooLarge)
    // What is not held any more was given back; without room it is 503.
    #expect(budget.total == 0)
    head.headerFields[.contentLength] = nil
    request = Request(head: head, body: body)
    #expect(budget.take(1, address: "192.0.2.1"))
    refusal = await #expect(throws: ErrorResponse.self) { try await received(request, limit: 11) }
    #expect(refusal?.status == .serviceUnavailable)
  }

  /// Over HTTP/2 it was an error in the log and a 500 in the metrics, which anybody could cause.
  @Test func `a client that ends its stream in the middle of a body is no failure of the server`()
    async throws
  {
    struct Reset: Error {}
    let parts = AsyncThrowingStream<ByteBuffer, any Error> { parts in
      parts.yield(ByteBuffer(string: "{"))
      parts.finish(throwing: Reset())
    }
    let head = HTTPRequest(method: .post, scheme: nil, authority: nil, path: "/")
    let request = Request(head: head, body: RequestBody(asyncSequence: parts))
    let budget = BodyBudget(limit: 100)
    let refusal = await #expect(throws: ErrorResponse.self) {
      try await RequestBodyReader.received(request, limit: 10, budget: budget, address: "192.0.2.1")
    }
    #expect(refusal?.status == .badRequest && budget.total == 0)
  }

  @Test(arguments: ["text/plain", "application/x-www-form-urlencoded", "application/jsonx", "", nil])
  func `a body that is not declared as JSON is 415`(type: String?) async throws {
    try await LocalServer.run { server in
      let answer = try await server.send(.post, Self.authenticate, bytes: Array("{}".utf8), contentType: type)
      #expect(answer.status == 415)
      #expect(answer["reason"] == "Unsupported Media Type")
    }
  }

  @Test(arguments: ["application/json; charset=UTF-8", "Application/JSON", "application/json ;x=y"])
  func `JSON may be declared in any spelling`(type: String) async throws {
    try await LocalServer.run { server in
      let answer = try await server.send(.post, Self.authenticate, bytes: Array("{}".utf8), contentType: type)
      #expect(answer.status == 200)
    }
  }

  @Test(
    arguments: [
      ("GET", "/authenticate", "POST"), ("PUT", "/authenticate", "POST"),
      ("DELETE", "/sessions", "GET, POST"),
      ("PATCH", "/users/ada", "GET, POST, PUT, DELETE"), ("DELETE", "/users/ada/roles", "GET, POST"),
      ("DELETE", "/users", "GET, POST"), ("POST", "/users/ada/devices/2fa/binding", "GET"),
      ("GET", "/users/ada/devices/2fa/binding/x", "PUT, DELETE"), ("POST", "/serverinfo/*", "GET"),
      ("PATCH", "/users/ada/devices/2fa/webauthn/x", "GET, PUT, DELETE"),
      ("PUT", "/users/ada/devices/2fa/push", "GET, POST"), ("PUT", "/push/sns/message", "POST"),
      ("POST", "/audit/evidence/1", "GET"), ("PUT", "/global-config/realms/x", "GET, DELETE"),
    ])
  func `a method that a resource does not have is 405 and says which it has`(
    method: String, path: String, allowed: String
  ) async throws {
    try await LocalServer.run { server in
      let method = try #require(HTTPRequest.Method(method))
      let answer = try await server.call(method, LocalServer.alpha + path, body: [:])
      #expect(answer.status == 405)
      #expect(answer["code"] == 405)
      #expect(answer.headers[.allow] == allowed)
    }
  }

  @Test(
    arguments: [
      "/x", "/am/x", "/am/json", "/am/json/realms", "/am/json/realms/root", "/am/json/realms/root/nothing",
      "/am/json/realms/root/users/ada/devices/2fa", "/am/json/realms/root/users/ada/devices/2fa/binding/x/y",
      "/am/json/realms/root/authenticate/x", "/json/realms/root/authenticate", "/am/json/serverinfo",
      "/am/json/serverinfo/none", "/am/json/a/b/c/d/e/f/g",
    ])
  func `an unknown path is 404 with a body`(path: String) async throws {
    try await LocalServer.run { server in
      let answer = try await server.call(.get, path)
      #expect(answer.status == 404)
      #expect(answer["code"] == 404)
      #expect(answer.headers[.contentType] == "application/json;charset=UTF-8")
    }
  }

  @Test(arguments: ["/am/json/realms/root/users/%ff", "/am/json/realms/%zz/users"])
  func `a path that is not UTF-8 is 400`(path: String) async throws {
    try await LocalServer.run { server in
      let answer = try await server.call(.get, path)
      #expect(answer.status == 400)
    }
  }

  @Test func `each refusal is one line in the log, with its reason and without the query`() async throws {
    try await LocalServer.run { server in
      server.log.withLock { $0 = [] }
      _ = try await server.call(
        .post, "\(Self.authenticate)?authIndexType=service&authIndexValue=No", body: [:])
      let lines = server.log.withLock { $0 }
      #expect(lines.count == 1)
      #expect(lines.first?.contains("status=400") == true)
      #expect(lines.first?.contains(#"no journey named "No""#) == true)
      #expect(lines.first?.contains("authIndexType") == false)
    }
  }

  @Test func `a store that is away is 503, and says nothing about itself`() async throws {
    try await LocalServer.run { server in
      try await server.store.close()
      for path in ["/am/json/realms/alpha/users/ada", "/health"] {
        let answer = try await server.call(.get, path, token: "sst_" + String(repeating: "A", count: 43))
        #expect(answer.status == 503)
        #expect(answer.headers[.retryAfter] != nil)
        #expect(!answer.json.lineText.contains("SQLite"))
      }
      #expect(try await server.call(.get, "/health").json["reason"] == "store")
    }
  }

  @Test func `beyond the rate limit it is 429 with Retry-After, until time has passed`() async throws {
    try await LocalServer.run(.router, { $0.limits.requestsPerAddress = 3 }) { server in
      for _ in 0..<3 { #expect(try await server.start().status == 200) }
      let refused = try await server.start()
      #expect(refused.status == 429)
      #expect(refused.headers[.retryAfter] == "20")
      #expect(try await server.call(.post, "/am/XUI/qr", body: ["uri": "mfauth://x"]).status == 429)
      server.clock.advance(by: 20)
      #expect(try await server.start().status == 200)
      #expect(try await server.start().status == 429)
    }
  }

  @Test func `health checks are counted apart: sign-ins do not fail them, and they are not free`()
    async throws
  {
    try await LocalServer.run(.router, { $0.limits.requestsPerAddress = 3 }) { server in
      for _ in 0..<4 { _ = try await server.start() }
      for _ in 0..<3 { #expect(try await server.call(.get, "/health").status == 200) }
      #expect(try await server.call(.get, "/health").status == 429)
    }
  }

  @Test
  func
    `who proves a session, an application or a journey under way is heard although the address has used up its requests`()
    async throws
  {
    try await LocalServer.run(.router, { $0.limits.requestsPerAddress = 12 }) { server in
      let token = try await server.signIn("ada")
      let administrator = try await server.signInAdministrator()
      let application = try await server.call(
        .post, "\(LocalServer.alpha)/applications?_action=create", token: administrator,
        body: ["name": "Shop"]
      )
      let step = try await server.start()
      while try await server.start().status != 429 {}

      let account = "\(LocalServer.alpha)/users/ada"
      #expect(try await server.call(.get, account, token: token).status == 200)
      #expect(
        try await server.call(.get, account, token: "sst_" + String(repeating: "A", count: 43)).status == 429)

      let credentials = try #require(application["_id"]?.stringValue) + ":"
      let secret = try #require(application["secret"]?.stringValue)
      func ask(_ secret: String) async throws -> Int {
        let basic = Data((credentials + secret).utf8).base64EncodedString()
        return try await server.call(
          .get, "\(LocalServer.alpha)/transactions/x", headers: ["Authorization": "Basic \(basic)"]
        ).status
      }
      #expect(try await ask(secret) == 404)
      #expect(try await ask("wrong") == 429)

      // The journey goes on; its step is not a key to more than a few requests.
      let body = LocalServer.reply(to: step, "ada", "ada-password")
      let statuses = try await (0..<4).asyncMap { _ in
        try await server.call(.post, Self.authenticate, body: body).status
      }
      #expect(statuses == [200, 401, 401, 429])
      #expect(try await server.call(.post, Self.authenticate, body: ["authId": "a.b.c.d.e"]).status == 429)
    }
  }

  @Test func `one account and one application have limits of their own`() async throws {
    try await LocalServer.run(.router, { $0.limits.requestsPerAccount = 2 }) { server in
      let (ada, bob) = (try await server.signIn("ada"), try await server.signIn("bob"))
      let path = "\(LocalServer.alpha)/users/"
      for _ in 0..<2 { #expect(try await server.call(.get, path + "ada", token: ada).status == 200) }
      let refused = try await server.call(.get, path + "ada", token: ada)
      #expect(refused.status == 429 && refused.headers[.retryAfter] == "30")
      #expect(try await server.call(.get, path + "bob", token: bob).status == 200)
    }
  }
}
