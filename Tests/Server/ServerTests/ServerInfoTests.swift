import HTTPTypes
import StrictJSON
import Testing

@Suite("Server information and health") struct ServerInfoTests {
  @Test(
    arguments: [
      ("/am/json/serverinfo/*", "/"), ("/am/json/serverinfo/%2A", "/"),
      ("/am/json/realms/root/serverinfo/*", "/"),
      ("/am/json/realms/root/realms/alpha/serverinfo/*", "/alpha"),
    ])
  func `anyone may read the cookie's name`(path: String, realm: String) async throws {
    try await LocalServer.run { server in
      let answer = try await server.call(.get, path)
      #expect(answer.status == 200)
      #expect(answer["_id"] == "*")
      #expect(answer["cookieName"] == "iPlanetDirectoryPro")
      #expect(answer["realm"] == .string(realm))
      #expect(answer["zeroPageLogin"]?["enabled"] == true)
    }
  }

  @Test func `the version is this software's`() async throws {
    try await LocalServer.run { server in
      let answer = try await server.call(.get, "/am/json/serverinfo/version")
      #expect(answer["_id"] == "version")
      #expect(answer["fullVersion"]?.stringValue?.hasPrefix("Sealring ") == true)
    }
  }

  @Test(arguments: ["/health", "/am/health"])
  func `health is ok while the store answers`(path: String) async throws {
    try await LocalServer.run { server in
      let answer = try await server.call(.get, path)
      #expect(answer.status == 200)
      #expect(answer.json == ["status": "ok"])
    }
  }
}
