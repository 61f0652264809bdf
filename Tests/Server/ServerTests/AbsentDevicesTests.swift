import HTTPTypes
import StrictJSON
import Testing

@Suite("Device profiles of an account that has none") struct AbsentDevicesTests {
  static let kinds = ["profile"]

  private func path(_ kind: String, of user: String, _ rest: String) -> String {
    "\(LocalServer.alpha)/users/\(user)/devices/\(kind)\(rest)"
  }

  @Test(arguments: kinds)
  func `the list is empty, in the form of every query`(kind: String) async throws {
    try await LocalServer.run { server in
      let ada = try await server.signIn("ada")
      for user in ["ada", "id=ada,ou=user,o=alpha,ou=services,ou=am-config"] {
        let answer = try await server.call(.get, path(kind, of: user, "?_queryFilter=true"), token: ada)
        #expect(answer.status == 200)
        #expect(answer["result"] == [] && answer["resultCount"] == 0)
        #expect(answer["pagedResultsCookie"] == .null && answer["totalPagedResultsPolicy"] == "NONE")
        #expect(answer["totalPagedResults"] == -1 && answer["remainingPagedResults"] == -1)
      }
      let filtered = try await server.call(
        .get, path(kind, of: "ada", "?_queryFilter=uuid+eq+%221%22"), token: ada)
      #expect(filtered.status == 400)
    }
  }

  @Test(arguments: kinds)
  func `no record is known, and access is as for bound devices`(kind: String) async throws {
    try await LocalServer.run { server in
      let (ada, bob) = (try await server.signIn("ada"), try await server.signIn("bob"))
      let admin = try await server.signInAdministrator()
      let name: JSONValue = ["deviceName": "X"]
      for (method, rest, body) in [
        (.get, "?_queryFilter=true", nil), (.put, "/d1", name), (.delete, "/d1", nil),
      ] as [(HTTPRequest.Method, String, JSONValue?)] {
        let found = method == .get ? 200 : 404
        let ofAda = path(kind, of: "ada", rest)
        #expect(try await server.call(method, ofAda, body: body).status == 401)
        #expect(try await server.call(method, ofAda, token: bob, body: body).status == 403)
        #expect(try await server.call(method, ofAda, token: ada, body: body).status == found)
        #expect(try await server.call(method, ofAda, token: admin, body: body).status == found)
        let ofNobody = path(kind, of: "none", rest)
        #expect(try await server.call(method, ofNobody, token: admin, body: body).status == 404)
      }
      #expect(try await server.call(.post, path(kind, of: "ada", ""), token: ada, body: [:]).status == 405)
      #expect(try await server.call(.get, path(kind, of: "ada", "/d1"), token: ada).status == 405)
    }
  }

  @Test(arguments: ["2fa", "2fa/none", "profile/a/b", "2fa%2Fpush", "2fa/push/a/b", ""])
  func `what is not a kind is not a resource`(kind: String) async throws {
    try await LocalServer.run { server in
      let ada = try await server.signIn("ada")
      #expect(try await server.call(.get, path(kind, of: "ada", ""), token: ada).status == 404)
    }
  }
}
