import BindingFormats
import CommonFixtures
import Foundation
import HTTPTypes
import JourneyStore
import StrictJSON
import Testing

@testable import ServerHTTP

@Suite("Sessions") struct SessionsTests {
  private static func path(_ action: String, realm: String = LocalServer.alpha) -> String {
    "\(realm)/sessions?_action=\(action)"
  }

  private static let accessDenied: JSONValue = [
    "code": 401, "reason": "Unauthorized", "message": "Access Denied",
  ]

  enum Carrier: String, CaseIterable { case header, cookie, quotedCookie, bearer, body }

  @Test(arguments: Carrier.allCases)
  func `a token may come in the header, the cookie, as a bearer token, or as the body's own`(carrier: Carrier)
    async throws
  {
    try await LocalServer.run { server in
      let token = try await server.signIn("ada")
      let headers: [String: String]
      switch carrier {
      case .header: headers = ["iPlanetDirectoryPro": token]
      case .cookie:
        headers = [
          "Cookie": "amlbcookie=01; iPlanetDirectoryPro=\(token)", "Accept-API-Version": "resource=2.1",
        ]
      case .quotedCookie:
        headers = ["Cookie": "iPlanetDirectoryPro=\"\(token)\"", "X-Requested-With": "ping-sdk"]
      case .bearer: headers = ["Authorization": "Bearer \(token)"]
      case .body: headers = [:]
      }
      let body: JSONValue = carrier == .body ? ["tokenId": .string(token)] : [:]
      let answer = try await server.call(.post, Self.path("validate"), body: body, headers: headers)
      #expect(answer["valid"] == true)
      #expect(answer["uid"] == "ada")
    }
  }

  @Test func `validate tells who it is, or that it is nobody`() async throws {
    try await LocalServer.run { server in
      let token = try await server.signIn("ada")
      let valid = try await server.call(.post, Self.path("validate"), token: token, body: [:])
      #expect(valid.json.objectValue?.names == ["valid", "sessionUid", "uid", "realm"])
      #expect(valid["realm"] == "/alpha")
      #expect(valid["sessionUid"]?.stringValue?.isEmpty == false)
      let invalid = try await server.call(.post, Self.path("validate"), token: "nonsense", body: [:])
      #expect(invalid.status == 200)
      #expect(invalid.json == ["valid": false])
      let none = try await server.call(.post, Self.path("validate"), body: [:])
      #expect(none.json == Self.accessDenied)
    }
  }

  @Test func `getSessionInfo has the members that clients need, with their times`() async throws {
    try await LocalServer.run { server in
      let token = try await server.signIn("ada")
      let answer = try await server.call(.post, Self.path("getSessionInfo"), token: token, body: [:])
      #expect(
        answer.json.objectValue?.names == [
          "username", "universalId", "realm", "latestAccessTime", "maxIdleExpirationTime",
          "maxSessionExpirationTime", "properties",
        ])
      #expect(answer["username"] == "ada")
      #expect(answer["universalId"] == "id=ada,ou=user,o=alpha,ou=services,ou=am-config")
      #expect(answer["realm"] == "/alpha")
      #expect(answer["latestAccessTime"] == "2026-01-09T10:00:00Z")
      #expect(answer["maxIdleExpirationTime"] == "2026-01-09T10:30:00Z")
      #expect(answer["maxSessionExpirationTime"] == "2026-01-09T12:00:00Z")
      #expect(answer["properties"]?["AMCtxId"]?.stringValue != nil)
    }
  }

  @Test(
    arguments: [
      ("validate", true), ("validate&refresh=false", false), ("getSessionInfo", false),
      ("getSessionInfoAndResetIdleTime", true), ("refresh", true),
    ])
  func `which actions reset the idle time`(action: String, resets: Bool) async throws {
    try await LocalServer.run { server in
      let token = try await server.signIn("ada")
      server.clock.advance(by: 20 * 60)
      #expect(try await server.call(.post, Self.path(action), token: token, body: [:]).status == 200)
      server.clock.advance(by: 20 * 60)
      let later = try await server.call(.post, Self.path("validate"), token: token, body: [:])
      #expect(later["valid"] == .bool(resets))
    }
  }

  @Test func `no use makes a session last beyond its life`() async throws {
    try await LocalServer.run { server in
      let token = try await server.signIn("ada")
      for _ in 0..<5 {
        server.clock.advance(by: 20 * 60)
        let answer = try await server.call(.post, Self.path("validate"), token: token, body: [:])
        #expect(answer["valid"] == true)
      }
      server.clock.advance(by: 20 * 60)
      let answer = try await server.call(.post, Self.path("validate"), token: token, body: [:])
      #expect(answer["valid"] == false)
    }
  }

  @Test func `use of another resource resets the idle time too`() async throws {
    try await LocalServer.run { server in
      let token = try await server.signIn("ada")
      for _ in 0..<3 {
        server.clock.advance(by: 20 * 60)
        #expect(try await server.call(.get, "\(LocalServer.alpha)/users/ada", token: token).status == 200)
      }
    }
  }

  @Test func `refresh tells the limits in minutes and the rest in seconds`() async throws {
    try await LocalServer.run { server in
      let token = try await server.signIn("ada")
      server.clock.advance(by: 1029)
      let answer = try await server.call(.post, Self.path("refresh"), token: token, body: [:])
      #expect(
        answer.json == [
          "uid": "ada", "realm": "/alpha", "idletime": 0, "maxidletime": 30, "maxsessiontime": 120,
          "maxtime": 6171,
        ])
    }
  }

  @Test(
    arguments: [
      "getSessionInfo", "getSessionInfoAndResetIdleTime", "refresh", "logoutByUser", "logoutByHandle",
    ])
  func `actions that need a session are 401 without one`(action: String) async throws {
    try await LocalServer.run { server in
      for token in [nil, "nonsense"] as [String?] {
        let answer = try await server.call(.post, Self.path(action), token: token, body: ["username": "ada"])
        #expect(answer.json == Self.accessDenied)
      }
    }
  }

  // MARK: Ending

  @Test func `logout ends the session and clears the cookie; a second one finds it expired`() async throws {
    try await LocalServer.run { server in
      let token = try await server.signIn("ada")
      let answer = try await server.call(.post, Self.path("logout"), token: token, body: [:])
      #expect(answer.status == 200)
      #expect(answer.json == ["result": "Successfully logged out"])
      #expect(
        answer.headers[.setCookie]?.hasPrefix(#"iPlanetDirectoryPro=""; Path=/; Expires=Thu, 01 Jan 1970"#)
          == true)
      let again = try await server.call(.post, Self.path("logout"), token: token)
      #expect(again.json == ["result": "Token has expired"])
      let info = try await server.call(.post, Self.path("getSessionInfo"), token: token, body: [:])
      #expect(info.json == Self.accessDenied)
      #expect(try await server.call(.post, Self.path("logout"), body: [:]).json == Self.accessDenied)
    }
  }

  @Test func `only an administrator may name another's session by its token`() async throws {
    try await LocalServer.run { server in
      let ada = try await server.signIn("ada")
      let bob = try await server.signIn("bob")
      let admin = try await server.signInAdministrator()
      let body: JSONValue = ["tokenId": .string(ada)]
      for action in ["logout", "validate", "getSessionInfo", "refresh"] {
        let answer = try await server.call(.post, Self.path(action), token: bob, body: body)
        #expect(answer.status == 403)
        #expect(answer["reason"] == "Forbidden")
      }
      let unknown = try await server.call(.post, Self.path("validate"), token: bob, body: ["tokenId": "x"])
      #expect(unknown.status == 403)
      let seen = try await server.call(.post, Self.path("validate"), token: admin, body: body)
      #expect(seen["uid"] == "ada")
      let ended = try await server.call(.post, Self.path("logout"), token: admin, body: body)
      #expect(ended.json == ["result": "Successfully logged out"])
      #expect(ended.headers[.setCookie] == nil)
      #expect(try await server.call(.post, Self.path("validate"), token: admin, body: [:])["valid"] == true)
      #expect(try await server.call(.post, Self.path("validate"), token: ada, body: [:])["valid"] == false)
    }
  }

  @Test func `administrators list a user's sessions and end one by its handle`() async throws {
    try await LocalServer.run { server in
      let ada = try await server.signIn("ada")
      _ = try await server.signIn("ada")
      let admin = try await server.signInAdministrator()
      let query = "/sessions?_queryFilter=username%20eq%20%22ada%22%20and%20realm%20eq%20%22/alpha%22"
      let list = try await server.call(.get, LocalServer.root + query, token: admin)
      #expect(list["resultCount"] == 2)
      let handle = try #require(list["result"]?[0]?["sessionHandle"]?.stringValue)
      #expect(handle.hasPrefix("shandle:"))
      #expect(list["result"]?[0]?["username"] == "ada")
      #expect(
        try await server.call(.get, LocalServer.alpha + query, token: ada)["resultCount"] == 2, "her own")
      let bob = try await server.signIn("bob")
      #expect(try await server.call(.get, LocalServer.alpha + query, token: bob).status == 403)

      let body: JSONValue = ["sessionHandles": [.string(handle), "shandle:none"]]
      #expect(try await server.call(.post, Self.path("logoutByHandle"), token: ada, body: body).status == 403)
      let ended = try await server.call(.post, Self.path("logoutByHandle"), token: admin, body: body)
      #expect(ended.json == ["result": [handle: true, "shandle:none": false]])
      #expect(try await server.call(.get, LocalServer.root + query, token: admin)["resultCount"] == 1)
      // A handle is not a token.
      #expect(try await server.call(.post, Self.path("validate"), token: handle, body: [:])["valid"] == false)
    }
  }

  @Test func `logoutByUser ends all sessions of the user, for the user and for administrators`() async throws
  {
    try await LocalServer.run { server in
      let ada = try await server.signIn("ada")
      let second = try await server.signIn("ada")
      let bob = try await server.signIn("bob")
      let body: JSONValue = ["username": "ada"]
      #expect(try await server.call(.post, Self.path("logoutByUser"), token: bob, body: body).status == 403)
      let answer = try await server.call(.post, Self.path("logoutByUser"), token: ada, body: body)
      #expect(answer.json == ["result": true])
      #expect(try await server.call(.post, Self.path("validate"), token: second, body: [:])["valid"] == false)
      let admin = try await server.signInAdministrator()
      // As at PingAM, the answer for a name that nobody has is the same.
      for name in ["bob", "nobody"] {
        let byAdmin = try await server.call(
          .post, Self.path("logoutByUser"), token: admin, body: ["username": .string(name)])
        #expect(byAdmin.status == 200 && byAdmin.json == ["result": true])
      }
      #expect(try await server.call(.post, Self.path("validate"), token: bob, body: [:])["valid"] == false)
    }
  }

  @Test func `a right taken away is gone with the next request`() async throws {
    try await LocalServer.run { server in
      let admin = try await server.signInAdministrator()
      try await server.store.createUser(
        UserRecord(realm: "root", username: "second", createdAt: server.clock.now, roles: [.administrator]))
      var user = try #require(
        try await server.store.deleteUser(UniversalID(username: "amAdmin", realm: "root")))
      user.isAdministrator = false
      try await server.store.createUser(user)
      let session = SessionToken(presented: admin)
      let record = SessionRecord(
        tokenHash: try #require(session).hash, handle: "again", realm: "root", username: "amAdmin",
        createdAt: server.clock.now, latestAccess: server.clock.now, maximumIdle: 600,
        expiresAt: server.clock.now + 600, properties: [:])
      _ = try await server.store.openSession(NewSession(record, now: server.clock.now), by: nil)
      let answer = try await server.call(
        .get, "\(LocalServer.alpha)/users?_queryFilter=true", token: admin)
      #expect(answer.status == 403)
    }
  }

  @Test(
    arguments: [
      ("?_action=explode", #"{}"#), ("", "{}"), ("?_action=validate", "[]"),
      ("?_action=validate", #"{"tokenId":1}"#),
      ("?_action=logoutByUser", "{}"), ("?_action=logoutByUser", #"{"username":"a,b"}"#),
      ("?_action=logoutByHandle", #"{"sessionHandles":"x"}"#),
      ("?_action=logoutByHandle", #"{"sessionHandles":[1]}"#),
    ])
  func `a request that means nothing is 400`(query: String, body: String) async throws {
    try await LocalServer.run { server in
      let admin = try await server.signInAdministrator()
      let answer = try await server.call(
        .post, "\(LocalServer.alpha)/sessions\(query)", token: admin, body: try JSONValue(parsing: body))
      #expect(answer.status == 400)
    }
  }
}
