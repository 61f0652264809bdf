import BindingFormats
import EvidenceLedger
import Foundation
import HTTPTypes
import JourneyStore
import StrictJSON
import Testing

@Suite("Evidence") struct EvidenceTests {
  private static let path = "\(LocalServer.alpha)/audit/evidence"
  private static let ofAda = #"?_queryFilter=username%20eq%20%22Ada%22"#

  private static func record(_ username: String, realm: String = "alpha") -> EvidenceRecord {
    EvidenceRecord(
      kind: .sign, time: 1_767_952_800_000, realm: realm, journey: "SignIn", nodeID: "n", username: username,
      userID: "id=\(username)", device: "d", key: ["kty": "EC"], jws: "a.b.c")
  }

  private func run(_ body: @escaping @Sendable (LocalServer, String) async throws -> Void) async throws {
    try await LocalServer.run { server in
      for (name, realm) in [
        ("ada", "alpha"), ("bob", "alpha"), ("ada", "alpha"), ("ada", "alpha"), ("amAdmin", "root"),
      ] {
        let once = OnceKey(key: Array(UUID().uuidString.utf8), expiry: .distantFuture)
        _ = try await server.store.addEvidence(Self.record(name, realm: realm), once: once)
      }
      try await body(server, try await server.signInAdministrator())
    }
  }

  private func numbers(_ answer: Answer) -> [JSONValue?] {
    answer["result"]?.arrayValue?.map { $0["number"] } ?? []
  }

  @Test func `administrators read a user's evidence with all its members, the signed token too`() async throws
  {
    try await run { server, admin async throws in
      let list = try await server.call(.get, Self.path + Self.ofAda, token: admin)
      #expect(list.status == 200)
      #expect(numbers(list) == [4, 3, 1] && list["resultCount"] == 3)
      #expect(list["pagedResultsCookie"] == .null)
      #expect(
        list["result"]?[0]?.objectValue?.names == [
          "_id", "_rev", "number", "previous", "kind", "time", "realm", "journey", "node", "username",
          "userId", "device", "key", "attestation", "transaction", "jws", "hash", "transactionProof",
        ])
      #expect(list["result"]?[0]?["jws"] == "a.b.c")
    }
  }

  @Test func `pages follow each other by their cookie`() async throws {
    try await run { server, admin async throws in
      var found: [JSONValue?] = []
      var cookie = ""
      for _ in 1...2 {
        let page = try await server.call(
          .get, "\(Self.path)?_queryFilter=true&_pageSize=2&_pagedResultsCookie=\(cookie)", token: admin)
        found += numbers(page)
        cookie = page["pagedResultsCookie"]?.stringValue ?? ""
      }
      #expect(found == [4, 3, 2, 1] && cookie.isEmpty)
    }
  }

  @Test func `one entry is read by its number, in its realm`() async throws {
    try await run { server, admin async throws in
      let entry = try await server.call(.get, "\(Self.path)/2", token: admin)
      #expect(entry["_id"] == "2" && entry["username"] == "bob")
      for number in ["0", "5", "6", "-1", "x"] {
        #expect(try await server.call(.get, "\(Self.path)/\(number)", token: admin).status == 404)
      }
      let root = try await server.call(.get, "\(LocalServer.root)/audit/evidence/5", token: admin)
      #expect(root["realm"] == "root")
    }
  }

  @Test func `only administrators read it, and nobody writes it`() async throws {
    try await run { server, admin async throws in
      let ada = try await server.signIn("ada")
      for path in [Self.path + Self.ofAda, Self.path + "/1", Self.path + "?_queryFilter=true"] {
        #expect(try await server.call(.get, path, token: ada).status == 403)
        #expect(try await server.call(.get, path).status == 401)
        for method in [HTTPRequest.Method.put, .delete, .post, .patch] {
          #expect(try await server.call(method, path, token: admin, body: [:]).status == 405)
        }
      }
      let other = Self.path + Self.ofAda + "%20and%20realm%20eq%20%22/%22"
      #expect(try await server.call(.get, other, token: ada).status == 403)
    }
  }

  @Test func `evidence of a name that nobody had was an empty success`() async throws {
    try await run { server, admin async throws in
      for path in ["evidence", "push"] {
        let query = "\(LocalServer.alpha)/audit/\(path)?_queryFilter=username%20eq%20%22noor%22"
        #expect(try await server.call(.get, query, token: admin).status == 404)
      }
      _ = try await server.store.deleteUser(UniversalID(username: "ada", realm: "alpha"))
      #expect(numbers(try await server.call(.get, Self.path + Self.ofAda, token: admin)) == [4, 3, 1])
    }
  }

  @Test(
    arguments: [
      ("since=1767952800000", [4, 3, 2, 1]), ("since=1767952800001", []), ("until=1767952800000", []),
      ("until=1767952800001", [4, 3, 2, 1]), ("kind=sign", [4, 3, 2, 1]), ("kind=bind", []),
      ("_pagedResultsOffset=3", [1]), ("_pagedResultsOffset=1&_pageSize=2", [3, 2]),
    ] as [(String, [JSONValue])])
  func `time, kind and offset choose among entries`(query: String, expected: [JSONValue]) async throws {
    try await run { server, admin async throws in
      let answer = try await server.call(.get, "\(Self.path)?_queryFilter=true&\(query)", token: admin)
      #expect(numbers(answer) == expected)
      let push = try await server.call(
        .get, "\(LocalServer.alpha)/audit/push?_queryFilter=true&\(query)", token: admin)
      #expect(push.status == 200 && push["result"] == [])
    }
  }

  @Test(
    arguments: [
      "", "?_queryFilter=x", "?_queryFilter=true&_pageSize=0", "?_queryFilter=true&_pageSize=201",
      "?_queryFilter=true&_pagedResultsCookie=x", "?_queryFilter=true&since=x", "?_queryFilter=true&until=-1",
      "?_queryFilter=true&_pagedResultsOffset=-1", "?_queryFilter=true&_pagedResultsOffset=100001",
      "?_queryFilter=username%20eq%20%22a%22%20and%20realm%20eq%20%22/x%22",
    ])
  func `a query that means nothing is 400`(query: String) async throws {
    try await run { server, admin async throws in
      #expect(try await server.call(.get, Self.path + query, token: admin).status == 400)
    }
  }
}
