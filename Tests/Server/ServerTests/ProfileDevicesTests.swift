import Foundation
import HTTPTypes
import JourneyStore
import StrictJSON
import Testing

@Suite("Devices that journeys know again") struct ProfileDevicesTests {
  private static let path = "\(LocalServer.alpha)/users/ada/devices/profile"

  /// What DeviceSaveNode leaves.
  private func save(_ profiles: JSONValue, in server: LocalServer) async throws {
    let user = try #require(try await server.store.user(named: "ada", realm: "alpha"))
    var change = UserChange(of: user)
    var attributes = user.attributes
    attributes["deviceProfiles"] = profiles
    change.attributes = attributes
    _ = try await server.store.updateUser(change)
  }

  private static let two: JSONValue = [
    [
      "identifier": "d/1 ü", "savedAt": 1_767_000_000_000, "alias": "Ada's phone",
      "metadata": ["platform": ["platform": "linux"]], "location": ["latitude": 51.4, "longitude": -2],
    ], ["identifier": "d2", "savedAt": 1_767_000_001_000],
  ]

  @Test func `the owner lists, renames and removes them, in the form that clients read`() async throws {
    try await LocalServer.run { server in
      try await save(Self.two, in: server)
      let ada = try await server.signIn("ada")
      let list = try await server.call(.get, "\(Self.path)?_queryFilter=true", token: ada)
      let devices = try #require(list["result"]?.arrayValue)
      #expect(devices.map { $0["identifier"] } == ["d2", "d/1 ü"])
      let phone = devices[1]
      #expect(phone["alias"] == "Ada's phone" && phone["lastSelectedDate"] == 1_767_000_000_000)
      #expect(phone["location"]?["latitude"] == 51.4)
      #expect(phone["metadata"]?["platform"]?["platform"] == "linux")
      #expect(devices[0]["metadata"] == [:] && devices[0]["alias"]?.stringValue?.isEmpty == false)
      let id = try #require(phone["_id"]?.stringValue)
      #expect(id.utf8.count == 32 && id != devices[0]["_id"]?.stringValue)
      let renamed = try await server.call(
        .put, "\(Self.path)/\(id)", token: ada, body: ["alias": "Old phone"])
      #expect(renamed.status == 200 && renamed["alias"] == "Old phone" && renamed["identifier"] == "d/1 ü")
      #expect(try await server.call(.delete, "\(Self.path)/\(id)", token: ada).status == 200)
      #expect(try await server.call(.delete, "\(Self.path)/\(id)", token: ada).status == 404)
      let rest = try await server.call(.get, "\(Self.path)?_queryFilter=true", token: ada)
      #expect(rest["result"]?.arrayValue?.map { $0["identifier"] } == ["d2"])
    }
  }

  @Test func `others neither see nor change them, and they are no attribute of the account`() async throws {
    try await LocalServer.run { server in
      try await save(Self.two, in: server)
      let (ada, bob) = (try await server.signIn("ada"), try await server.signIn("bob"))
      #expect(try await server.call(.get, "\(Self.path)?_queryFilter=true", token: bob).status == 403)
      let list = try await server.call(.get, "\(Self.path)?_queryFilter=true", token: ada)
      let id = try #require(list["result"]?[0]?["_id"]?.stringValue)
      for body in [["alias": "Mine"]] as [JSONValue] {
        #expect(try await server.call(.put, "\(Self.path)/\(id)", token: bob, body: body).status == 403)
      }
      #expect(try await server.call(.delete, "\(Self.path)/\(id)", token: bob).status == 403)
      let record = try await server.call(.get, "\(LocalServer.alpha)/users/ada", token: ada)
      #expect(record["deviceProfiles"] == nil)
    }
  }
}
