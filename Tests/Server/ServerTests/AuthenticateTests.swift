import BindingFormats
import CommonFixtures
import Concurrency
import HTTPTypes
import HummingbirdTesting
import JourneyStore
import StrictJSON
import Testing

@testable import Assembly

@Suite("Authenticate") struct AuthenticateTests {
  @Test(
    arguments: [
      "/am/json/realms/root/realms/alpha/authenticate", "/am/json/realms/alpha/authenticate",
      "/am/json/alpha/authenticate", "/am/json/authenticate?realm=/alpha",
      "/am/json/realms/root/realms/alpha/authenticate/", "/am/json/realms/root/realms/%61lpha/authenticate",
    ])
  func `every URL form of a realm reaches it`(path: String) async throws {
    try await LocalServer.run { server in
      let step = try await server.call(.post, path, body: [:])
      #expect(step.status == 200)
      let body = LocalServer.reply(to: step, "ada", "ada-password")
      let success = try await server.call(.post, path, body: body)
      #expect(success.status == 200)
      #expect(success["realm"] == "/alpha")
      #expect(success["successUrl"] == "/enduser/?realm=/alpha")
    }
  }

  @Test(arguments: ["/am/json/realms/root/authenticate", "/am/json/authenticate"])
  func `the top-level realm has two forms`(path: String) async throws {
    try await LocalServer.run { server in
      let step = try await server.call(.post, path, body: [:])
      let body = LocalServer.reply(to: step, "amAdmin", LocalServer.administratorPassword)
      let success = try await server.call(.post, path, body: body)
      #expect(success["realm"] == "/")
    }
  }

  @Test(
    arguments: [
      "/am/json/realms/beta/authenticate", "/am/json/realms/root/realms/beta/authenticate",
      "/am/json/realms/root/realms/alpha/realms/beta/authenticate", "/am/json/beta/authenticate",
      "/am/json/authenticate?realm=/beta",
    ])
  func `an unknown realm is 404`(path: String) async throws {
    try await LocalServer.run { server in
      let answer = try await server.call(.post, path, body: [:])
      #expect(answer.status == 404)
      #expect(answer["code"] == 404)
      #expect(answer["reason"] == "Not Found")
      #expect(answer.message != nil)
    }
  }

  @Test func `no body, an empty object and an object without authId start a journey`() async throws {
    try await LocalServer.run { server in
      let path = "\(LocalServer.alpha)/authenticate"
      for body in [nil, [:], ["callbacks": []], ["authId": .null]] as [JSONValue?] {
        let step = try await server.call(.post, path, body: body)
        #expect(step.status == 200)
        #expect(step["authId"]?.stringValue != nil)
      }
    }
  }

  @Test func `a step has authId, callbacks with _id and IDTokenN names, and the page's texts`() async throws {
    try await LocalServer.run { server in
      let step = try await server.start()
      #expect(step.json.objectValue?.names == ["authId", "callbacks", "header", "description", "stage"])
      #expect(step["callbacks"]?[0]?["type"] == "NameCallback")
      #expect(step["callbacks"]?[0]?["_id"] == 0)
      #expect(step["callbacks"]?[1]?["input"]?[0]?["name"] == "IDToken2")
      #expect(step["header"] == "Sign in")
      #expect(step["stage"] == "UsernamePassword")
    }
  }

  @Test func `headers say what the answer is and keep it out of caches`() async throws {
    try await LocalServer.run { server in
      let step = try await server.call(
        .post, "\(LocalServer.alpha)/authenticate", body: [:],
        headers: ["Accept-API-Version": "resource=2.1, protocol=1.0"])
      #expect(step.headers[.contentType] == "application/json;charset=UTF-8")
      #expect(step.headers[.cacheControl] == "no-store")
      #expect(step.headers[.xContentTypeOptions] == "nosniff")
      #expect(step.headers[try #require(HTTPField.Name("Content-API-Version"))] == "resource=2.1")
    }
  }

  @Test func `success carries the token in the body and in an HttpOnly cookie`() async throws {
    try await LocalServer.run { server in
      let step = try await server.start()
      let answer = try await server.call(
        .post, "\(LocalServer.alpha)/authenticate?noSession=false&ForceAuth=false",
        body: LocalServer.reply(to: step, "ada", "ada-password"))
      let token = try #require(answer["tokenId"]?.stringValue)
      #expect(answer.json.objectValue?.names == ["tokenId", "successUrl", "realm"])
      #expect(
        answer.headers[values: .setCookie].first
          == "iPlanetDirectoryPro=\(token); Path=/; HttpOnly; SameSite=Lax")
    }
  }

  @Test func `a server behind HTTPS marks its cookie Secure`() async throws {
    try await LocalServer.run(.router, { $0.secureCookie = true }) { server in
      let step = try await server.start()
      let answer = try await server.call(
        .post, "\(LocalServer.alpha)/authenticate", body: LocalServer.reply(to: step, "ada", "ada-password"))
      #expect(answer.headers[.setCookie]?.hasSuffix("; Secure") == true)
    }
  }

  @Test func `tokens are stored hashed, never in clear`() async throws {
    try await LocalServer.run { server in
      let token = try await server.signIn("ada")
      let sessions = try await server.store.sessions(
        of: UniversalID(username: "ada", realm: "alpha"), now: server.clock.now)
      let session = try #require(sessions.first)
      #expect(!"\(session)".contains(token))
      #expect(!server.log.withLock { $0 }.joined().contains(token))
    }
  }

  @Test func `noSession gives success without token, cookie and session`() async throws {
    try await LocalServer.run { server in
      let step = try await server.start(query: "&noSession=true")
      let answer = try await server.call(
        .post, "\(LocalServer.alpha)/authenticate?noSession=true",
        body: LocalServer.reply(to: step, "ada", "ada-password"))
      #expect(answer.status == 200)
      #expect(answer.json.objectValue?.names == ["successUrl", "realm"])
      #expect(answer.headers[.setCookie] == nil)
      #expect(
        try await server.store.sessions(
          of: UniversalID(username: "ada", realm: "alpha"), now: server.clock.now
        ).isEmpty)
    }
  }

  @Test func `zero-page login signs in with one request`() async throws {
    try await LocalServer.run { server in
      let path = "\(LocalServer.alpha)/authenticate"
      let headers = ["X-OpenAM-Username": "ada", "X-OpenAM-Password": "ada-password"]
      let answer = try await server.call(.post, path, headers: headers)
      #expect(answer["tokenId"]?.stringValue != nil)
    }
  }

  // MARK: An existing session

  @Test func `a valid session makes the journey superfluous, unless ForceAuth is true in just this spelling`()
    async throws
  {
    try await LocalServer.run { server in
      let token = try await server.signIn("ada")
      let path = "\(LocalServer.alpha)/authenticate?authIndexType=service&authIndexValue=Login"
      let success = try await server.call(.post, path, token: token, body: [:])
      #expect(success["tokenId"] == .string(token))
      let misspelt = try await server.call(.post, path + "&forceauth=true", token: token, body: [:])
      #expect(misspelt["tokenId"] == .string(token))
      let forced = try await server.call(.post, path + "&ForceAuth=true", token: token, body: [:])
      #expect(forced["authId"] != nil)
    }
  }

  @Test func `an unknown token, an expired one, and one of another realm do not`() async throws {
    try await LocalServer.run { server in
      let token = try await server.signIn("ada")
      let wrong = String(token.dropLast()) + (token.hasSuffix("A") ? "B" : "A")
      let path = "\(LocalServer.alpha)/authenticate"
      #expect(try await server.call(.post, path, token: wrong, body: [:])["authId"] != nil)
      #expect(try await server.call(.post, path, token: "x", body: [:])["authId"] != nil)
      let other = try await server.call(.post, "\(LocalServer.root)/authenticate", token: token, body: [:])
      #expect(other["authId"] != nil)
      server.clock.advance(by: 31 * 60)
      #expect(try await server.call(.post, path, token: token, body: [:])["authId"] != nil)
    }
  }

  // MARK: Failures

  @Test(arguments: ["ada", "nobody", "zoe"])
  func `a wrong password and an unknown name give the same answer`(name: String) async throws {
    try await LocalServer.run { server in
      let step = try await server.start()
      let answer = try await server.call(
        .post, "\(LocalServer.alpha)/authenticate", body: LocalServer.reply(to: step, name, "wrong"))
      #expect(answer.status == 401)
      #expect(
        answer.json == [
          "code": 401, "reason": "Unauthorized", "message": "Login failure", "detail": ["failureUrl": ""],
        ])
      #expect(answer.headers[.setCookie] == nil)
      let log = server.log.withLock { $0 }
      #expect(log.contains { $0.contains("journey Login of realm alpha failed") })
      #expect(!log.joined().contains("wrong\""))
    }
  }

  @Test(arguments: ["zoe", "nobody"])
  func `a journey that names an account that may not sign in ends in failure`(name: String) async throws {
    try await LocalServer.run { server in
      let step = try await server.start("Trusting")
      let answer = try await server.call(
        .post, "\(LocalServer.alpha)/authenticate", body: LocalServer.reply(to: step, name))
      #expect(answer.status == 401)
      #expect(answer.message == "Login failure")
    }
  }

  @Test func `a journey that names nobody ends in failure, and the log says why`() async throws {
    try await LocalServer.run { server in
      let step = try await server.start("Nobody")
      let answer = try await server.call(
        .post, "\(LocalServer.alpha)/authenticate", body: LocalServer.reply(to: step, "x"))
      #expect(answer.status == 401)
      #expect(answer.message == "Login failure")
      #expect(server.log.withLock { $0 }.contains { $0.contains("ended in success without a username") })
    }
  }

  static let timedOut: JSONValue = [
    "code": 401, "reason": "Unauthorized", "message": "Session has timed out", "detail": ["errorCode": "110"],
  ]

  static let ended: JSONValue = [
    "code": 401, "reason": "Unauthorized", "message": "Login failure",
    "detail": ["failureUrl": "", "errorCode": "alreadyAnswered"],
  ]

  /// A way to end a run: the query of its start, name and password.
  static let ends: [(query: String, name: String, password: String, status: Int)] = [
    ("", "ada", "ada-password", 200), ("", "ada", "wrong", 401), ("", "nobody", "wrong", 401),
    ("", "zoe", "zoe-password", 401), ("&noSession=true", "ada", "ada-password", 200),
  ]

  @Test(arguments: ends)
  func `an answer that ended its run is a login failure when it is sent again, whatever the end was`(
    query: String, name: String, password: String, status: Int
  ) async throws {
    try await LocalServer.run { server in
      let path = "\(LocalServer.alpha)/authenticate"
      let step = try await server.start(query: query)
      let body = LocalServer.reply(to: step, name, password)
      #expect(try await server.call(.post, path, body: body).status == status)
      for _ in 0..<2 { #expect(try await server.call(.post, path, body: body).json == Self.ended) }
      // Nor does another answer to the step help.
      let other = LocalServer.reply(to: step, "bob", "bob-password")
      #expect(try await server.call(.post, path, body: other).json == Self.ended)
      for name in ["ada", "bob"] {
        let sessions = try await server.store.sessions(
          of: UniversalID(username: name, realm: "alpha"), now: server.clock.now)
        #expect(sessions.count == (name == "ada" && status == 200 && query.isEmpty ? 1 : 0))
      }
      server.clock.advance(by: 301)
      #expect(try await server.call(.post, path, body: body).json == Self.timedOut)
    }
  }

  @Test(arguments: ["Trusting", "Nobody"])
  func `a success that may not sign in has ended its run, too`(journey: String) async throws {
    try await LocalServer.run { server in
      let body = LocalServer.reply(to: try await server.start(journey), "zoe")
      let first = try await server.call(.post, "\(LocalServer.alpha)/authenticate", body: body)
      #expect(first.status == 401 && first["detail"]?["errorCode"] == nil)
      let second = try await server.call(.post, "\(LocalServer.alpha)/authenticate", body: body)
      #expect(second.json == Self.ended)
    }
  }

  @Test func `a session that raises another ends its run in the same write`() async throws {
    try await LocalServer.run { server in
      let token = try await server.signIn("ada")
      let path = "\(LocalServer.alpha)/authenticate"
      let step = try await server.call(.post, "\(path)?ForceAuth=true", token: token, body: [:])
      let body = LocalServer.reply(to: step, "ada", "ada-password")
      #expect(try await server.call(.post, path, token: token, body: body)["tokenId"] != nil)
      #expect(try await server.call(.post, path, token: token, body: body).json == Self.ended)
    }
  }

  @Test func `a reused, expired, mangled, foreign or made-up authId is 401 with errorCode 110`() async throws
  {
    try await LocalServer.run { server in
      let path = "\(LocalServer.alpha)/authenticate"
      // Answered, and the run goes on.
      let first = LocalServer.reply(to: try await server.start("TwoSteps"), "ada")
      let second = try await server.call(.post, path, body: first)
      #expect(second["authId"] != nil)
      #expect(try await server.call(.post, path, body: first).json == Self.timedOut)

      let expiring = LocalServer.reply(to: try await server.start(), "ada", "ada-password")
      server.clock.advance(by: 301)
      #expect(try await server.call(.post, path, body: expiring).json == Self.timedOut)

      let foreign = LocalServer.reply(to: try await server.start(realm: LocalServer.root), "a", "b")
      #expect(try await server.call(.post, path, body: foreign).json == Self.timedOut)

      let authID = try #require(try await server.start()["authId"]?.stringValue)
      for place in [0, 40, authID.count / 2, authID.count - 1] {
        var mangled = Array(authID.utf8)
        mangled[place] = mangled[place] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
        let text = String(decoding: mangled, as: UTF8.self)
        let answer = try await server.call(.post, path, body: ["authId": .string(text), "callbacks": []])
        #expect(answer.json == Self.timedOut, "byte \(place)")
      }
      for made in ["", "x", "a.b.c", String(repeating: "A", count: 200_000)] {
        let answer = try await server.call(.post, path, body: ["authId": .string(made)])
        #expect(answer.json == Self.timedOut)
      }
    }
  }

  @Test func `of many answers with one authId exactly one succeeds`() async throws {
    try await LocalServer.run { server in
      let body = LocalServer.reply(to: try await server.start(), "ada", "ada-password")
      let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
        for _ in 0..<16 {
          group.addTask {
            try await server.call(.post, "\(LocalServer.alpha)/authenticate", body: body).status
          }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(statuses.filter { $0 == 200 }.count == 1)
      #expect(statuses.filter { $0 == 401 }.count == 15)
      let sessions = try await server.store.sessions(
        of: UniversalID(username: "ada", realm: "alpha"), now: server.clock.now)
      #expect(sessions.count == 1)
    }
  }

  @Test func `an unknown suspended id is 401 and names the exception`() async throws {
    try await LocalServer.run { server in
      let answer = try await server.call(
        .post, "\(LocalServer.alpha)/authenticate?suspendedId=abc", body: [:])
      #expect(answer.status == 401)
      #expect(answer.message?.contains("SuspendedAuthSessionException") == true)
    }
  }

  @Test(
    arguments: [
      ("?authIndexType=service&authIndexValue=NoSuchJourney", "{}"),
      ("?authIndexType=module&authIndexValue=LDAP", "{}"),
      ("?authIndexType=composite_advice&authIndexValue=%3CAdvices%2F%3E", "{}"),
      ("?authIndexValue=%E0", "{}"),
      ("", #"{"authId":1}"#), ("", #"{"authId":"x","callbacks":{}}"#), ("", "[]"), ("", "null"), ("", "{"),
      ("", #"{"a":1,"a":2}"#), ("", "not json"), ("", #"{"a":1}x"#),
    ])
  func `a request that means nothing is 400`(query: String, body: String) async throws {
    try await LocalServer.run { server in
      let answer = try await server.send(
        .post, "\(LocalServer.alpha)/authenticate\(query)", bytes: Array(body.utf8))
      #expect(answer.status == 400)
      #expect(answer["code"] == 400)
      #expect(answer["reason"] == "Bad Request")
    }
  }

  @Test(arguments: ["?authIndexType=service", "?authIndexType=service&authIndexValue="])
  func `a service without a value is the default journey`(query: String) async throws {
    try await LocalServer.run { server in
      let step = try await server.call(.post, "\(LocalServer.alpha)/authenticate\(query)", body: [:])
      #expect(step["stage"] == "UsernamePassword")
    }
  }

  @Test func `the page speaks the client's language`() async throws {
    try await LocalServer.run { server in
      let path = "\(LocalServer.alpha)/authenticate"
      let headers = ["Accept-Language": "fr;q=0.5, de-CH;q=0.9, en;q=0.1"]
      let byHeader = try await server.call(.post, path, body: [:], headers: headers)
      #expect(byHeader["header"] == "Anmelden")
      let byParameter = try await server.call(.post, path + "?locale=de_DE", body: [:])
      #expect(byParameter["header"] == "Anmelden")
    }
  }
}
