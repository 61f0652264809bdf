import CommonFixtures
import Foundation
import HTTPTypes
import StrictJSON
import Testing

@Suite("Authenticators of an account, over HTTP") struct OathDevicesTests {
  private static let devices = "\(LocalServer.alpha)/users/ada/devices/2fa/oath"

  @Test func `an authenticator is listed without its secret, renamed and removed`() async throws {
    try await LocalServer.runOath { server in
      let (phone, _) = try await server.enrolledPhone()
      let ada = try await server.signIn("ada")
      let created = server.clock.now
      let list = try await server.call(.get, Self.devices + "?_queryFilter=true", token: ada)
      #expect(list.status == 200 && list["resultCount"] == 1)
      let record = try #require(list["result"]?[0]?.objectValue)
      #expect(
        record.map(\.name).sorted() == [
          "_id", "_rev", "createdDate", "deviceManagementStatus", "deviceName", "lastAccessDate", "uuid",
        ])
      #expect(record["deviceName"] == "OATH Device" && record["_id"] == record["uuid"])
      let id = try #require(record["_id"]?.stringValue)

      server.clock.advance(by: 30)
      #expect(try await server.signIn(code: try phone.code(server))["tokenId"] != nil)
      let used = try await server.call(.get, Self.devices + "?_queryFilter=true", token: ada)
      let access = try #require(used["result"]?[0]?["lastAccessDate"]?.doubleValue)
      #expect(access > created.timeIntervalSince1970 * 1000)

      let renamed = try await server.call(
        .put, "\(Self.devices)/\(id)", token: ada, body: ["deviceName": " Desk ", "uuid": "x"])
      #expect(renamed.status == 200 && renamed["deviceName"] == "Desk" && renamed["_id"] == .string(id))
      let empty = try await server.call(
        .put, "\(Self.devices)/\(id)", token: ada, body: ["deviceName": " "])
      #expect(empty.status == 400)

      #expect(try await server.call(.delete, "\(Self.devices)/\(id)", token: ada)["deviceName"] == "Desk")
      #expect(try await server.call(.delete, "\(Self.devices)/\(id)", token: ada).status == 404)
      #expect(
        try await server.call(.put, "\(Self.devices)/\(id)", token: ada, body: ["deviceName": "A"]).status
          == 404)
      server.clock.advance(by: 30)
      #expect(try await server.afterPassword("OathSignIn").status == 401)
    }
  }

  @Test func `reset, check and skip`() async throws {
    try await LocalServer.runOath { server in
      _ = try await server.enrolledPhone()
      let ada = try await server.signIn("ada")
      func act(_ action: String, _ body: JSONValue = [:]) async throws -> Answer {
        try await server.call(.post, Self.devices + "?_action=\(action)", token: ada, body: body)
      }
      #expect(try await act("check")["result"] == false)
      #expect(try await act("skip", ["value": true]).json == [:])
      #expect(try await act("check")["result"] == true)
      #expect(try await act("skip", ["value": false]).status == 200)
      #expect(try await act("check")["result"] == false)
      for body in [[:], ["value": "true"]] as [JSONValue] {
        #expect(try await act("skip", body).status == 400)
      }
      #expect(try await act("none").status == 400)
      #expect(try await act("reset")["result"] == true)
      let list = try await server.call(.get, Self.devices + "?_queryFilter=true", token: ada)
      #expect(list["resultCount"] == 0)
    }
  }

  @Test func `access is as for bound devices`() async throws {
    try await LocalServer.runOath { server in
      let (ada, bob) = (try await server.signIn("ada"), try await server.signIn("bob"))
      let admin = try await server.signInAdministrator()
      for (method, rest, body, found) in [
        (.get, "?_queryFilter=true", nil, 200), (.post, "?_action=check", [:], 200),
        (.put, "/d1", ["deviceName": "X"], 404), (.delete, "/d1", nil, 404),
      ] as [(HTTPRequest.Method, String, JSONValue?, Int)] {
        let path = Self.devices + rest
        #expect(try await server.call(method, path, body: body).status == 401)
        #expect(try await server.call(method, path, token: bob, body: body).status == 403)
        #expect(try await server.call(method, path, token: ada, body: body).status == found)
        #expect(try await server.call(method, path, token: admin, body: body).status == found)
        let ofNobody = path.replacing("/ada/", with: "/none/")
        #expect(try await server.call(method, ofNobody, token: admin, body: body).status == 404)
      }
      #expect(try await server.call(.get, Self.devices + "/d1", token: ada).status == 405)
      #expect(try await server.call(.put, Self.devices, token: ada, body: [:]).status == 405)
      let filtered = try await server.call(
        .get, Self.devices + "?_queryFilter=uuid+eq+%221%22", token: ada)
      #expect(filtered.status == 400)
    }
  }
}
