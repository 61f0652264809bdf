import BindingFormats
import Foundation
import HTTPTypes
import JourneyStore
import StrictJSON
import Testing

@Suite("Bound devices") struct BoundDevicesTests {
  static func device(_ uuid: String, of user: String, name: String = "Phone") -> BoundDeviceRecord {
    BoundDeviceRecord(
      uuid: uuid, realm: "alpha", username: user, deviceID: "device-\(uuid)", deviceName: name,
      key: [
        "kty": "EC", "crv": "P-256", "x": "x", "y": "y", "use": "sig", "alg": "ES256", "kid": .string(uuid),
      ],
      thumbprint: "thumbprint-\(uuid)", createdDate: Date(timeIntervalSince1970: 1_767_225_612),
      lastAccessDate: Date(timeIntervalSince1970: 1_767_226_001))
  }

  private static func path(_ user: String, _ rest: String = "") -> String {
    "\(LocalServer.alpha)/users/\(user)/devices/2fa/binding\(rest)"
  }

  @Test func `the list has the records as PingAM shows them`() async throws {
    try await LocalServer.run { server in
      _ = try await server.store.addBoundDevice(Self.device("d1", of: "ada"), limit: 0)
      let ada = try await server.signIn("ada")
      let list = try await server.call(.get, Self.path("ada", "?_queryFilter=true"), token: ada)
      #expect(list.status == 200)
      #expect(
        list.json.objectValue?.names == [
          "result", "resultCount", "pagedResultsCookie", "totalPagedResultsPolicy", "totalPagedResults",
          "remainingPagedResults",
        ])
      #expect(list["resultCount"] == 1)
      let record = try #require(list["result"]?[0]?.objectValue)
      #expect(
        Set(record.names) == [
          "_id", "_rev", "createdDate", "lastAccessDate", "deviceId", "deviceName", "uuid", "recoveryCodes",
          "key", "deviceManagementStatus",
        ])
      #expect(record["_id"] == "d1")
      #expect(record["uuid"] == "d1")
      #expect(record["createdDate"] == 1_767_225_612_000)
      #expect(record["lastAccessDate"] == 1_767_226_001_000)
      #expect(record["key"]?["kid"] == "d1")
      #expect(record["deviceManagementStatus"] == false)
      #expect(record["recoveryCodes"] == [])
      let bob = try await server.signIn("bob")
      let empty = try await server.call(.get, Self.path("bob", "?_queryFilter=true"), token: bob)
      #expect(empty["result"] == [])
      #expect(try await server.call(.get, Self.path("ada", "?_queryFilter=x"), token: ada).status == 400)
    }
  }

  @Test func `an attested device's record says so, and only that one's`() async throws {
    try await LocalServer.run { server in
      var attested = Self.device("d1", of: "ada")
      attested.attestation = ["kind": "tpm", "root": ["subject": "CN=TPM Root"]]
      _ = try await server.store.addBoundDevice(attested, limit: 0)
      _ = try await server.store.addBoundDevice(Self.device("d2", of: "ada"), limit: 0)
      let ada = try await server.signIn("ada")
      let list = try await server.call(.get, Self.path("ada", "?_queryFilter=true"), token: ada)
      let records = try #require(list["result"]?.arrayValue)
      #expect(records.first { $0["_id"] == "d1" }?["attestation"]?["root"]?["subject"] == "CN=TPM Root")
      let other = try #require(records.first { $0["_id"] == "d2" }?.objectValue)
      #expect(other["attestation"] == nil)
    }
  }

  @Test(
    arguments: [
      "ada", "ADA", "%61da", "id=ada,ou=user,o=alpha,ou=services,ou=am-config",
      "id%3Dada%2Cou%3Duser%2Co%3Dalpha%2Cou%3Dservices%2Cou%3Dam-config",
    ])
  func `the user may be named by the short name or the universal id, plain or encoded`(user: String)
    async throws
  {
    try await LocalServer.run { server in
      _ = try await server.store.addBoundDevice(Self.device("d1", of: "ada"), limit: 0)
      let ada = try await server.signIn("ada")
      let list = try await server.call(.get, Self.path(user, "?_queryFilter=true"), token: ada)
      #expect(list["resultCount"] == 1)
      #expect(try await server.call(.delete, Self.path(user, "/d1"), token: ada).status == 200)
    }
  }

  @Test func `the universal id of another realm is 404`() async throws {
    try await LocalServer.run { server in
      let ada = try await server.signIn("ada")
      let path = Self.path("id=ada,ou=user,ou=am-config")
      #expect(try await server.call(.get, path, token: ada).status == 404)
    }
  }

  @Test func `a rename takes the trimmed name and ignores all other members`() async throws {
    try await LocalServer.run { server in
      _ = try await server.store.addBoundDevice(Self.device("d1", of: "ada"), limit: 0)
      let ada = try await server.signIn("ada")
      let answer = try await server.call(
        .put, Self.path("ada", "/d1"), token: ada,
        body: [
          "_id": "d1", "deviceName": "  Work phone\n", "uuid": "other", "deviceId": "other",
          "createdDate": 1.5, "lastAccessDate": 2.5, "key": ["kty": "none"],
        ])
      #expect(answer.status == 200)
      #expect(answer["deviceName"] == "Work phone")
      #expect(answer["uuid"] == "d1")
      #expect(answer["deviceId"] == "device-d1")
      #expect(answer["key"]?["kty"] == "EC")
      let stored = try await server.store.signer(
        uuid: "d1", of: UniversalID(username: "ada", realm: "alpha"))?.device
      #expect(stored?.deviceName == "Work phone")
    }
  }

  @Test(
    arguments: [
      #"{}"#, #"{"deviceName":""}"#, #"{"deviceName":"   "}"#, #"{"deviceName":1}"#, #"{"deviceName":null}"#,
      #"{"deviceName":"a\u0007b"}"#, #"{"deviceName":"a\nb"}"#,
      #"{"deviceName":""# + String(repeating: "a", count: 121) + #""}"#,
    ])
  func `a name that is none is 400`(body: String) async throws {
    try await LocalServer.run { server in
      _ = try await server.store.addBoundDevice(Self.device("d1", of: "ada"), limit: 0)
      let ada = try await server.signIn("ada")
      let answer = try await server.call(
        .put, Self.path("ada", "/d1"), token: ada, body: try JSONValue(parsing: body))
      #expect(answer.status == 400)
      let stored = try await server.store.signer(
        uuid: "d1", of: UniversalID(username: "ada", realm: "alpha"))?.device
      #expect(stored?.deviceName == "Phone")
    }
  }

  @Test func `a name of 120 characters fits`() async throws {
    try await LocalServer.run { server in
      _ = try await server.store.addBoundDevice(Self.device("d1", of: "ada"), limit: 0)
      let ada = try await server.signIn("ada")
      let name = String(repeating: "é", count: 120)
      let answer = try await server.call(
        .put, Self.path("ada", "/d1"), token: ada, body: ["deviceName": .string(name)])
      #expect(answer["deviceName"] == .string(name))
    }
  }

  @Test func `a delete answers the record once, then 404`() async throws {
    try await LocalServer.run { server in
      _ = try await server.store.addBoundDevice(Self.device("d1", of: "ada"), limit: 0)
      let ada = try await server.signIn("ada")
      let first = try await server.call(.delete, Self.path("ada", "/d1"), token: ada)
      #expect(first.status == 200)
      #expect(first["_id"] == "d1")
      #expect(try await server.call(.delete, Self.path("ada", "/d1"), token: ada).status == 404)
    }
  }

  @Test func `no session is 401, another user 403, an administrator may, what is not there is 404`()
    async throws
  {
    try await LocalServer.run { server in
      _ = try await server.store.addBoundDevice(Self.device("d1", of: "ada"), limit: 0)
      let bob = try await server.signIn("bob")
      let admin = try await server.signInAdministrator()
      let name: JSONValue = ["deviceName": "X"]
      for (method, rest, body) in [
        (.get, "?_queryFilter=true", nil), (.put, "/d1", name), (.delete, "/d1", nil),
      ] as [(HTTPRequest.Method, String, JSONValue?)] {
        #expect(try await server.call(method, Self.path("ada", rest), body: body).status == 401)
        #expect(try await server.call(method, Self.path("ada", rest), token: bob, body: body).status == 403)
        #expect(try await server.call(method, Self.path("ada", rest), token: admin, body: body).status == 200)
      }
      #expect(try await server.call(.put, Self.path("ada", "/none"), token: admin, body: name).status == 404)
      #expect(try await server.call(.delete, Self.path("ada", "/none"), token: admin).status == 404)
      #expect(
        try await server.call(.get, Self.path("none", "?_queryFilter=true"), token: admin).status == 404)
      // Another's device id under one's own name.
      _ = try await server.store.addBoundDevice(Self.device("d2", of: "ada"), limit: 0)
      #expect(try await server.call(.delete, Self.path("bob", "/d2"), token: bob).status == 404)
    }
  }
}
