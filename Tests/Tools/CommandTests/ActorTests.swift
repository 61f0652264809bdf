import CommonFixtures
import Foundation
import PingLogger
import PingNetwork
import StrictJSON
import Testing

/// Security events of what somebody with a role does to others, over HTTP.
@Suite struct ActorTests {
  private static let password = "Correct horse battery 1"

  private struct Place {
    let server: LocalServer
    let tool: CommandLineTool
    let data: String

    func run(_ arguments: String..., input: String = "") async throws -> CommandResult {
      let result = try await tool.run(arguments + ["--server", server.address], input: input)
      #expect(result.status == 0, "\(arguments): \(result.errors)")
      return result
    }

    func post(_ path: String, token: String? = nil, headers: [String: String] = [:], _ body: JSONObject)
      async throws -> JSONValue
    {
      let client = HttpClient.createClient { $0.logger = LogManager.none }
      let answer = try await client.request { [address = server.address] request in
        request.url = "\(address)/json/realms/root/realms/alpha/\(path)"
        for (name, value) in headers { request.setHeader(name: name, value: value) }
        if let token { request.setHeader(name: "iPlanetDirectoryPro", value: token) }
        request.post(contentType: "application/json", body: JSONValue.object(body).text)
      }.get()
      #expect(answer.status == 200)
      return try JSONValue(parsing: answer.body ?? Data())
    }

    func signIn(_ name: String) async throws -> String {
      let answer = try await post(
        "authenticate",
        headers: ["X-OpenAM-Username": name, "X-OpenAM-Password": ActorTests.password], [:])
      return try #require(answer["tokenId"]?.stringValue)
    }

    func events(_ kind: String) async throws -> [JSONValue] {
      let told = try await tool.run(["events", "--json", "--data", data, "--event", kind])
      return try told.output.split(separator: "\n").map { try JSONValue(parsing: String($0)) }
    }
  }

  @Test func `who ended another's session or removed a device was not named`() async throws {
    try await withTemporaryFolder { folder in
      let data = folder.appending(path: "server")
      let server = try await LocalServer.start(data: data)
      let place = Place(
        server: server,
        tool: CommandLineTool(
          home: folder.appending(path: "device"),
          environment: ["SEALRING_ADMIN_PASSWORD": LocalServer.administratorPassword]),
        data: data.path(percentEncoded: false))
      for name in ["mira", "desk"] {
        _ = try await place.run("user", "add", name, "--password-stdin", input: Self.password + "\n")
      }
      _ = try await place.run("admin", "grant", "desk", "helpdesk")
      let bound = try await place.run(
        "bind", "--username", "mira", "--password-stdin", "--pin-stdin", "--json",
        input: "\(Self.password)\n271828\n")
      let kid = try #require(try bound.json["kid"]?.stringValue)
      let status = try await place.run("status")
      #expect(status.output.contains("mira, unlocked by PIN"), "\(status.output)")
      for list in [["keys"], ["audit", "list", "--data", place.data]] {
        let listed = try await place.tool.run(list)
        #expect(listed.output.contains("mira"), "\(listed.errors)")
        #expect(listed.output.split(separator: "\n").allSatisfy { $0.count <= 80 }, "\(listed.output)")
      }

      let desk = try await place.signIn("desk")
      let before = try await place.events("session.ended").count
      // One by its token, sent to the header's session; the others by name.
      _ = try await place.post(
        "sessions?_action=logout", token: desk, ["tokenId": .string(try await place.signIn("mira"))])
      _ = try await place.signIn("mira")
      _ = try await place.post("sessions?_action=logoutByUser", token: desk, ["username": "mira"])
      _ = try await place.post("sessions?_action=logout", token: desk, [:])
      let ended = try await place.events("session.ended").dropFirst(before)
      #expect(ended.map { $0["account"]?.stringValue } == ["mira", "mira", "desk"])
      #expect(ended.map { $0["actor"]?.stringValue } == ["desk@alpha", "desk@alpha", nil])

      var helper = place.tool
      helper.environment["SEALRING_ADMIN_PASSWORD"] = Self.password
      let deleted = try await helper.run([
        "devices", "delete", kid, "--username", "mira", "--yes", "--admin", "desk", "--admin-realm", "alpha",
        "--server", server.address,
      ])
      #expect(deleted.status == 0, "\(deleted.errors)")
      let removed = try await place.events("device.removed")
      #expect(removed.map { $0["account"]?.stringValue } == ["mira"])
      #expect(removed.map { $0["actor"]?.stringValue } == ["desk@alpha"])
      try await server.stop()
    }
  }
}
