import CommonFixtures
import Concurrency
import Foundation
import Logging
import StrictJSON
import Testing

@testable import Assembly
@testable import OpenIDProvider
@testable import Operations
@testable import ServerHTTP

@Suite("OpenID Connect: the file of clients while the server runs") struct ClientFileTests {
  private static func file(_ ids: String...) -> [UInt8] {
    let clients = ids.map { id -> JSONValue in
      [
        "client_id": .string(id), "token_endpoint_auth_method": "none",
        "redirect_uris": ["com.example.app:/cb"],
      ]
    }
    return JSONObject([("clients", .array(clients))]).serialized
  }

  @Test func `a change is taken over, and a file with a fault changes nothing`() throws {
    let folder = try TemporaryFolder.make()
    let url = folder.url.appending(path: "clients.json")
    try folder.write(Self.file("a"), to: "clients.json")
    let clients = try ClientFile(url, logger: Logger(label: "test"))
    #expect(clients.clients.all.map(\.id) == ["a"])
    try folder.write(Self.file("a", "b"), to: "clients.json")
    clients.refresh()
    #expect(clients.clients.all.map(\.id) == ["a", "b"])
    for bytes in [Array("{".utf8), Self.file("a", "a"), []] {
      try folder.write(bytes, to: "clients.json")
      clients.refresh()
      #expect(clients.clients.all.map(\.id) == ["a", "b"])
    }
    try FileManager.default.removeItem(at: url)
    clients.refresh()
    #expect(clients.clients.all.map(\.id) == ["a", "b"])
    try folder.write(Self.file("c"), to: "clients.json")
    clients.refresh()
    #expect(clients.clients.all.map(\.id) == ["c"])
  }

  @Test func `a server does not start with a file that it cannot use`() throws {
    let folder = try TemporaryFolder.make()
    let url = folder.url.appending(path: "clients.json")
    #expect(throws: ServerSetupError.self) { try ClientFile(url, logger: Logger(label: "test")) }
    try folder.write(Array(#"{"clients":[{"client_id":"a","redirect_urls":[]}]}"#.utf8), to: "clients.json")
    let error = #expect(throws: ServerSetupError.self) { try ClientFile(url, logger: Logger(label: "test")) }
    #expect(error.map { "\($0)" }?.contains("redirect_urls") == true)
  }

  @Test
  func
    `a server says which client has a scheme that others may have, at the start and when the file changes`()
    async throws
  {
    try await OpenIDFixture.run({ json in
      guard var app = json["clients"]?[0]?.objectValue else { return }
      app["redirect_uris"] = ["frauth://oauth2redirect"]
      json["clients"] = [.object(app)]
    }) { world in
      func warnings() -> [String] { world.local.log.withLock { $0.filter { $0.contains("has no dot") } } }
      #expect(warnings().count == 1 && warnings().first?.contains("frauth") == true)
      let session = try await world.local.signIn("ada")
      let page = try await world.get(
        "/authorize", OpenIDFixture.appRequest.merging(["redirect_uri": "frauth://oauth2redirect"]) { $1 },
        session: session)
      #expect(try page.target().address == "frauth://oauth2redirect")
      let provider = world.local.server.openID
      try Data(
        String(decoding: Self.file("app"), as: UTF8.self).replacing("com.example.app:/cb", with: "other:/cb")
          .utf8
      ).write(to: try #require(provider.file.url))
      provider.file.refresh()
      #expect(warnings().count == 2)
    }
  }

  @Test func `a scope that is taken from a client is in none of its tokens any more`() async throws {
    try await OpenIDFixture.run { world in
      let session = try await world.local.signIn("ada")
      let tokens = try await world.tokens(session: session)
      let access = try #require(tokens["access_token"]?.stringValue)
      let refresh = try #require(tokens["refresh_token"]?.stringValue)
      let code = try await world.code(session: session)
      let sent = try await world.get("/authorize", OpenIDFixture.appRequest).target().parameters
      let goto = try #require(sent["goto"])
      #expect(try await world.userinfo(access).json["email"] != nil)

      func register(_ scope: JSONValue) throws { try Self.register(scope, in: world) }
      try register("openid")
      // What was given out before says so to those who ask here.
      #expect(try await world.userinfo(access).json["email"] == nil)
      #expect(try await world.introspect(access)["scope"] == "openid")
      for page in [try await world.redeem(code), try await world.refresh(refresh)] {
        #expect(page.status == 200 && page["scope"] == "openid", "\(page.text)")
        #expect(try await world.claims(page["access_token"], type: "at+jwt")["scope"] == "openid")
      }
      // Nor does a request that waited for its person get it.
      let waiting = ["interaction": String(goto.drop { $0 != "=" }.dropFirst())]
      #expect(try await world.get("/authorize", waiting, session: session).status == 400)

      let last = try #require(try await world.tokens(["scope": "openid"], session: session)["refresh_token"])
      try register("profile")
      #expect(try await world.refresh(try #require(last.stringValue)).error == "invalid_grant")
      try register("openid email")
      #expect(try await world.refresh(try #require(last.stringValue)).status == 200)
    }
  }

  @Test func `tokens for offline use end with their session once the client has lost that scope`()
    async throws
  {
    try await OpenIDFixture.run { world in
      let tokens = try await world.tokens(
        ["scope": "openid offline_access"], session: try await world.local.signIn("ada"))
      world.local.clock.advance(by: 1801)
      let later = try await world.refresh(try #require(tokens["refresh_token"]?.stringValue))
      #expect(later.status == 200, "the session is over, and they go on")
      let access = try #require(later["access_token"])
      try Self.register("openid email", in: world)
      #expect(try await world.userinfo(access).status == 401)
      #expect(
        try await world.refresh(try #require(later["refresh_token"])).error == "invalid_grant")
    }
  }

  /// Registers the first client for other scopes.
  private static func register(_ scope: JSONValue, in world: OpenIDFixture) throws {
    let provider = world.local.server.openID
    let url = try #require(provider.file.url)
    var file = try JSONObject(parsing: [UInt8](Data(contentsOf: url)))
    var clients = file["clients"]?.arrayValue ?? []
    var app = clients[0].objectValue ?? JSONObject()
    app["scope"] = scope
    clients[0] = .object(app)
    file["clients"] = .array(clients)
    try Data(file.serialized).write(to: url)
    provider.file.refresh()
  }

  @Test func `a client that is taken out of the file loses its tokens`() async throws {
    try await OpenIDFixture.run { world in
      let tokens = try await world.tokens(session: try await world.local.signIn("ada"))
      let access = try #require(tokens["access_token"]?.stringValue)
      #expect(try await world.userinfo(access).status == 200)
      let provider = world.local.server.openID
      let file = try #require(provider.file.url)
      try Data(Self.file("another")).write(to: file)
      provider.file.refresh()
      #expect(try await world.userinfo(access).status == 401)
      #expect(
        try await world.refresh(try #require(tokens["refresh_token"]?.stringValue)).error == "invalid_client")
    }
  }
}
