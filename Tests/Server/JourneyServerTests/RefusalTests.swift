import HTTPTypes
import StrictJSON
import HummingbirdTesting
import JourneyServer
import Locking
import JourneyStore
import Testing

@Suite("Requests that are refused before they mean anything") struct RefusalTests {
  private static let authenticate = "\(TestServer.alpha)/authenticate"

  @Test("a body over 1 MiB is 413", arguments: [(1 << 20) + 1, 10 << 20])
  func tooLarge(size: Int) async throws {
    try await TestServer.run { server in
      let bytes = [UInt8](repeating: UInt8(ascii: " "), count: size)
      let answer = try await server.send(.post, Self.authenticate, bytes: bytes)
      #expect(answer.status == 413)
      #expect(answer["code"] == 413)
      #expect(try await server.start().status == 200)
    }
  }

  @Test(
    "a body that is not declared as JSON is 415",
    arguments: ["text/plain", "application/x-www-form-urlencoded", "application/jsonx", "", nil])
  func contentType(type: String?) async throws {
    try await TestServer.run { server in
      let answer = try await server.send(.post, Self.authenticate, bytes: Array("{}".utf8), contentType: type)
      #expect(answer.status == 415)
      #expect(answer["reason"] == "Unsupported Media Type")
    }
  }

  @Test(
    "JSON may be declared in any spelling",
    arguments: ["application/json; charset=UTF-8", "Application/JSON", "application/json ;x=y"])
  func acceptedContentType(type: String) async throws {
    try await TestServer.run { server in
      let answer = try await server.send(.post, Self.authenticate, bytes: Array("{}".utf8), contentType: type)
      #expect(answer.status == 200)
    }
  }

  @Test(
    "a method that a resource does not have is 405 and says which it has",
    arguments: [
      ("GET", "/authenticate", "POST"), ("PUT", "/authenticate", "POST"),
      ("DELETE", "/sessions", "GET, POST"),
      ("PATCH", "/users/ada", "GET, PUT, DELETE"), ("POST", "/users/ada", "GET, PUT, DELETE"),
      ("DELETE", "/users", "GET, POST"), ("POST", "/users/ada/devices/2fa/binding", "GET"),
      ("GET", "/users/ada/devices/2fa/binding/x", "PUT, DELETE"), ("POST", "/serverinfo/*", "GET"),
    ])
  func methods(method: String, path: String, allowed: String) async throws {
    try await TestServer.run { server in
      let method = try #require(HTTPRequest.Method(method))
      let answer = try await server.call(method, TestServer.alpha + path, body: [:])
      #expect(answer.status == 405)
      #expect(answer["code"] == 405)
      #expect(answer.headers[.allow] == allowed)
    }
  }

  @Test(
    "an unknown path is 404 with a body",
    arguments: [
      "/", "/am", "/am/json", "/am/json/realms", "/am/json/realms/root", "/am/json/realms/root/nothing",
      "/am/json/realms/root/users/ada/devices/2fa", "/am/json/realms/root/users/ada/devices/2fa/binding/x/y",
      "/am/json/realms/root/authenticate/x", "/json/realms/root/authenticate", "/am/json/serverinfo",
      "/am/json/serverinfo/none", "/am/json/a/b/c/d/e/f/g",
    ])
  func unknownPath(path: String) async throws {
    try await TestServer.run { server in
      let answer = try await server.call(.get, path)
      #expect(answer.status == 404)
      #expect(answer["code"] == 404)
      #expect(answer.headers[.contentType] == "application/json;charset=UTF-8")
    }
  }

  @Test(
    "a path that is not UTF-8 is 400",
    arguments: ["/am/json/realms/root/users/%ff", "/am/json/realms/%zz/users"])
  func badEncoding(path: String) async throws {
    try await TestServer.run { server in
      let answer = try await server.call(.get, path)
      #expect(answer.status == 400)
    }
  }

  @Test("each refusal is one line in the log, with its reason and without the query")
  func log() async throws {
    try await TestServer.run { server in
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

  @Test("a store that is away is 503, and says nothing about itself")
  func storeAway() async throws {
    try await TestServer.run { server in
      try await server.store.close()
      for path in ["/am/json/realms/alpha/users/ada", "/health"] {
        let answer = try await server.call(.get, path, token: "sst_" + String(repeating: "A", count: 43))
        #expect(answer.status == 503)
        #expect(answer.headers[.retryAfter] != nil)
        #expect(answer.message?.contains("SQLite") == false)
      }
    }
  }

  @Test("beyond the rate limit it is 429 with Retry-After, until time has passed")
  func rateLimit() async throws {
    try await TestServer.run(.router, { $0.rateLimit = 3 }) { server in
      for _ in 0..<3 { #expect(try await server.start().status == 200) }
      let refused = try await server.start()
      #expect(refused.status == 429)
      #expect(refused.headers[.retryAfter] == "20")
      #expect(try await server.call(.get, "/health").status == 200)
      server.clock.advance(by: 20)
      #expect(try await server.start().status == 200)
      #expect(try await server.start().status == 429)
    }
  }
}
