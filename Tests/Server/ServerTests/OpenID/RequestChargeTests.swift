import CommonFixtures
import Foundation
import HTTPTypes
import StrictJSON
import Testing

@testable import Assembly
@testable import ServerHTTP

@Suite("Whom a request is charged to") struct RequestChargeTests {
  /// The doors that answer a session, each with one request that is right.
  private static let doors: [(method: HTTPRequest.Method, path: String)] = [
    (.get, OpenIDFixture.path + "/authorize?" + OpenIDFixture.form(OpenIDFixture.appRequest)),
    (.get, OpenIDFixture.path + "/device/user"), (.get, OpenIDFixture.path + "/connect/endSession"),
    (.post, "\(LocalServer.alpha)/sessions?_action=validate"),
    (.post, "\(LocalServer.alpha)/sessions?_action=refresh"),
    (.post, "\(LocalServer.alpha)/sessions?_action=getSessionInfo"),
    (.post, "\(LocalServer.alpha)/authenticate?authIndexType=service&authIndexValue=Login"),
    (.get, "\(LocalServer.alpha)/users/USER"), (.get, "/am/account/"), (.get, "/am/XUI/"),
    // Nobody looks at the session there: it only lets the request past the limit of its address.
    (.get, OpenIDFixture.path + "/userinfo"), (.post, "\(LocalServer.alpha)/sessions?_action=logout"),
  ]

  // The sign-in page is nobody's own: its address's limit holds for everybody.
  @Test(arguments: doors.indices.filter { !doors[$0].path.hasSuffix("/XUI/") })
  func `a session is answered beyond its address's limit, and charged for it once`(index: Int) async throws {
    let door = Self.doors[index]
    try await OpenIDFixture.run(configure: {
      ($0.limits.requestsPerAddress, $0.limits.requestsPerAccount) = (3, 3)
    }) { world in
      let server = world.local
      let tokens = ["ada": try await server.signIn("ada"), "bob": try await server.signIn("bob")]
      #expect(try await server.start().status == 429)
      func send(_ method: HTTPRequest.Method, _ path: String, as user: String) async throws -> Int {
        try await server.call(
          method, path.replacing("USER", with: user), token: tokens[user],
          body: method == .post ? [:] : nil
        ).status
      }
      func isValid(_ user: String) async throws -> Bool {
        try await send(.post, "\(LocalServer.alpha)/sessions?_action=validate", as: user) == 200
      }
      for _ in 0..<2 { #expect(try await isValid("ada")) }
      #expect(try await send(door.method, door.path, as: "ada") != 429, "charged twice")
      for _ in 0..<3 { #expect(try await isValid("bob")) }
      #expect(try await send(door.method, door.path, as: "bob") == 429, "not charged")
    }
  }

  /// Those that look at the session. It is charged there although its address has requests left.
  @Test(arguments: doors.indices.filter { !doors[$0].path.hasSuffix("/userinfo") })
  func `an account has its limit at every door`(index: Int) async throws {
    let door = Self.doors[index]
    try await OpenIDFixture.run(configure: { $0.limits.requestsPerAccount = 1 }) { world in
      let server = world.local
      let token = try await server.signIn("ada")
      func send() async throws -> Int {
        try await server.call(
          door.method, door.path.replacing("USER", with: "ada"), token: token,
          body: door.method == .post ? [:] : nil
        ).status
      }
      let validate = "\(LocalServer.alpha)/sessions?_action=validate"
      #expect(try await server.call(.post, validate, token: token, body: [:]).status == 200)
      #expect(try await send() == 429)
      server.clock.advance(by: 60)
      #expect(try await send() != 429)
    }
  }

  @Test func `nobody uses up the requests of a public client, whose id everybody knows`() async throws {
    try await OpenIDFixture.run(configure: { $0.limits.requestsPerApplication = 3 }) { world in
      let tokens = try await world.tokens(session: try await world.local.signIn("ada"))
      for _ in 0..<4 { #expect(try await world.refresh("none").error == "invalid_grant") }
      #expect(try await world.refresh(try #require(tokens["refresh_token"]?.stringValue)).status == 200)
      // A client that proves itself is charged.
      for _ in 0..<3 { #expect(try await world.introspect("none") == ["active": false]) }
      let refused = try await world.post(
        "/introspect", ["token": "none"], headers: OpenIDFixture.basic("web"))
      #expect(refused.status == 429)
      let wrong = try await world.post(
        "/introspect", ["token": "none"], headers: OpenIDFixture.basic("other", "wrong"))
      #expect(wrong.status == 401)
    }
  }
}
