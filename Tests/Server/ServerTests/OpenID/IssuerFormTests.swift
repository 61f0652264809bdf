import BindingFormats
import CommonFixtures
import Concurrency
import Foundation
import HTTPTypes
import HummingbirdTesting
import JourneyStore
import PasswordHashing
import ProofFixtures
import StrictJSON
import Testing

@testable import Assembly
@testable import JourneyFiles
@testable import OpenIDProvider
@testable import Operations
@testable import ServerHTTP

/// PingAM has an issuer for each form of a realm's address; what one has issued is good at the others.
@Suite("OpenID Connect: the issuer is the one that was addressed") struct IssuerFormTests {
  typealias Address = OpenIDFixture.Address

  static let base = "https://id.example.com/am/oauth2"
  static let short = Address(path: "/am/oauth2/alpha", issuer: base + "/alpha")

  /// Realm alpha in all forms.
  static let alpha = [
    short, .long, Address(path: "/am/oauth2/realms/alpha", issuer: base + "/realms/alpha"),
    Address(path: "/am/oauth2", realm: "/alpha", issuer: short.issuer),
    Address(path: "/am/oauth2", realm: "alpha", issuer: short.issuer),
  ]

  static let root = [
    Address(path: "/am/oauth2", issuer: base),
    Address(path: "/am/oauth2/realms/root", issuer: base + "/realms/root"),
    Address(path: "/am/oauth2", realm: "/", issuer: base),
  ]

  @Test(arguments: alpha + root)
  func `the document's addresses begin with the issuer, and the issuer with the address`(
    address: Address
  ) async throws {
    try await OpenIDFixture.run { world in
      let json = try await world.at(address).get("/.well-known/openid-configuration").json
      #expect(json["issuer"]?.stringValue == address.issuer)
      let endpoints =
        json.objectValue?.filter { $0.name.hasSuffix("_endpoint") || $0.name == "jwks_uri" } ?? []
      #expect(endpoints.count == 10)
      for endpoint in endpoints {
        #expect(endpoint.value.stringValue?.hasPrefix(address.issuer + "/") == true, "\(endpoint)")
      }
    }
  }

  @Test(arguments: alpha) func `everything that is issued names the issuer`(address: Address) async throws {
    try await OpenIDFixture.run { world in
      let world = world.at(address)
      let sent = try await world.get("/authorize", OpenIDFixture.appRequest).target()
      #expect(sent.parameters["realm"] == "/alpha")
      #expect(sent.parameters["goto"]?.hasPrefix(address.issuer + "/authorize?interaction=") == true)
      #expect(try await world.authorize(["prompt": "none"], session: "")["iss"] == address.issuer)

      let session = try await world.local.signIn("ada")
      let answer = try await world.authorize(session: session)
      #expect(answer["iss"] == address.issuer)
      let tokens = try await world.redeem(try #require(answer["code"])).json
      let access = try #require(tokens["access_token"]?.stringValue)
      let claims = try await world.claims(access, type: "at+jwt")
      #expect(claims["iss"]?.stringValue == address.issuer && claims["aud"]?.stringValue == address.issuer)
      #expect(try await issuer(of: tokens, world) == address.issuer)
      #expect(try await world.userinfo(access).status == 200)
      #expect(try await world.introspect(access)["iss"]?.stringValue == address.issuer)
      let refresh = try #require(tokens["refresh_token"]?.stringValue)
      let renewed = try await world.refresh(refresh).json
      #expect(try await issuer(of: renewed, world) == address.issuer)
    }
  }

  private func issuer(of tokens: JSONValue, _ world: OpenIDFixture) async throws -> String? {
    try await world.claims(tokens["id_token"]?.stringValue, type: "JWT")["iss"]?.stringValue
  }

  @Test(arguments: alpha.prefix(4), alpha.prefix(4)) func `what one form has issued is good at the others`(
    one: Address, other: Address
  ) async throws {
    try await OpenIDFixture.run { world in
      let (here, there) = (world.at(one), world.at(other))
      let session = try await world.local.signIn("ada")
      let tokens = try await there.redeem(try await here.code(session: session)).json
      // In the form of the endpoint that gave them, whose document the client has.
      #expect(try await issuer(of: tokens, world) == other.issuer)
      let access = try #require(tokens["access_token"]?.stringValue)
      #expect(try await here.userinfo(access).status == 200)
      #expect(try await here.introspect(access)["active"] == true)
      let renewed = try await here.refresh(try #require(tokens["refresh_token"]?.stringValue)).json
      #expect(try await issuer(of: renewed, world) == one.issuer)

      // A request that waits for its person, one that was pushed, and consent.
      let sent = try await here.get("/authorize", OpenIDFixture.appRequest).target()
      let goto = try #require(sent.parameters["goto"])
      let interaction = String(goto.drop { $0 != "=" }.dropFirst())
      let back = try await there.get("/authorize", ["interaction": interaction], session: session).target()
      #expect(back.parameters["code"] != nil && back.parameters["iss"] == other.issuer)
      let webRequest = OpenIDFixture.appRequest.merging([
        "client_id": "web", "redirect_uri": OpenIDFixture.webAddress,
      ]) { $1 }
      let pushed = try await here.post("/par", webRequest, headers: OpenIDFixture.basic("web"))
      let asked = try await there.get(
        "/authorize", ["client_id": "web", "request_uri": try #require(pushed["request_uri"])],
        session: session)
      let allowed = try await here.post(
        "/authorize", ["consent": try asked.hidden("consent"), "decision": "allow"], session: session)
      #expect(try allowed.target().parameters["code"] != nil)
      #expect(
        try await there.get("/authorize", webRequest, session: session).target().parameters["code"] != nil)

      let out = try await here.get(
        "/connect/endSession",
        [
          "id_token_hint": try #require(tokens["id_token"]?.stringValue),
          "post_logout_redirect_uri": "https://app.example.com/bye",
        ], session: session)
      #expect(try out.target().address == "https://app.example.com/bye", "\(out.text)")
      #expect(try await there.userinfo(access).status == 401, "signed out")
    }
  }

  @Test(arguments: alpha) func `revoking at one form ends the tokens at all`(address: Address) async throws {
    try await OpenIDFixture.run { world in
      let tokens = try await world.at(Self.short).tokens(session: try await world.local.signIn("ada"))
      let access = try #require(tokens["access_token"]?.stringValue)
      let answer = try await world.at(address).post("/token/revoke", ["client_id": "app", "token": access])
      #expect(answer.status == 200)
      #expect(try await world.at(Self.short).userinfo(access).status == 401)
    }
  }

  // MARK: Other realms

  static let beta = [
    Address(path: "/am/oauth2/beta", issuer: base + "/beta"),
    Address(path: "/am/oauth2/realms/root/realms/beta", issuer: base + "/realms/root/realms/beta"),
    Address(path: "/am/oauth2", realm: "/beta", issuer: base + "/beta"),
    Address(path: "/am/oauth2", issuer: base),
  ]

  /// The app is a client of beta and root, too, under the same id.
  private static func everywhere(_ json: inout JSONObject) {
    var clients = json["clients"]?.arrayValue ?? []
    for realm in ["beta", "root"] {
      for index in [0, 1, 2] {
        guard var client = clients[index].objectValue else { continue }
        client["realm"] = .string(realm)
        clients.append(.object(client))
      }
    }
    json["clients"] = .array(clients)
  }

  @Test(arguments: beta) func `another realm takes nothing of this one, whatever the form`(
    address: Address
  ) async throws {
    try await OpenIDFixture.run(Self.everywhere, configure: { $0.realms.append("beta") }) { world in
      let (here, there) = (world.at(Self.short), world.at(address))
      let session = try await world.local.signIn("ada")
      let code = try await here.code(session: session)
      let refused = try await there.redeem(code)
      #expect(refused.status == 400 && refused.error == "invalid_grant")
      // Nor is it used up by that.
      let page = try await here.redeem(code)
      let access = try #require(page["access_token"], "\(page.text)")
      #expect(try await there.userinfo(access).status == 401)
      #expect(try await there.introspect(access) == ["active": false])
      let refresh = try #require(page["refresh_token"])
      #expect(try await there.refresh(refresh).error == "invalid_grant")
      _ = try await there.post("/token/revoke", ["client_id": "app", "token": refresh])
      #expect(try await here.refresh(refresh).status == 200)
      let hint = try #require(page["id_token"])
      let out = try await there.get("/connect/endSession", ["id_token_hint": hint], session: session)
      #expect(out.status == 400)
      // The session is the realm's, too.
      #expect(try await there.authorize(["prompt": "none"], session: session)["error"] == "login_required")
    }
  }

  /// RFC 7523 §3: an assertion is for the server that it names.
  @Test func `an assertion may name any form of the realm, and none of another realm`() async throws {
    try await OpenIDFixture.run(Self.everywhere, configure: { $0.realms.append("beta") }) { world in
      for address in Self.alpha {
        for target in Self.alpha {
          for end in ["", "/access_token"] {
            let assertion = try await world.assertion { $0["aud"] = .string(target.issuer + end) }
            #expect(
              try await world.at(address).answer(to: assertion) == "invalid_grant", "\(target) at \(address)")
            #expect(try await world.at(address).answer(to: assertion) == "invalid_client", "once")
          }
        }
        let foreign = try await world.assertion { $0["aud"] = .string(Self.base + "/beta") }
        #expect(try await world.at(address).answer(to: foreign) == "invalid_client")
      }
    }
  }

  // MARK: Proofs, messages

  @Test(arguments: alpha) func `a proof is for the address that was asked`(address: Address) async throws {
    for prefix in ["https://id.example.com/am", "https://example.com/sso/am"] {
      try await OpenIDFixture.run(configure: { $0.publicURL = prefix }) { world in
        let world = world.at(address)
        // As the client has it; a proof has no query (RFC 9449 §4.2).
        let own = prefix + address.path.dropFirst(3)
        let key = try KeyHolder()
        let session = try await world.local.signIn("ada")
        for wrong in [prefix + "/oauth2/beta", prefix] {
          let code = try await world.code(session: session)
          let refused = try await world.redeem(code, headers: key.header(issuer: wrong))
          #expect(refused.error == "invalid_dpop_proof")
        }
        let answer = try await world.authorize(session: session)
        #expect(answer["iss"]?.hasPrefix(prefix + "/oauth2") == true)
        let page = try await world.redeem(try #require(answer["code"]), headers: key.header(issuer: own))
        let access = try #require(page["access_token"], "\(page.text)")
        let info = try await world.userinfo(
          access, scheme: "DPoP", headers: key.header("GET", "/userinfo", token: access, issuer: own))
        #expect(info.status == 200)
      }
    }
  }

  @Test func `a sign-out is told by the issuer that gave the tokens`() async throws {
    try await OpenIDFixture.run { world in
      for (address, other) in [(Self.short, Address.long), (.long, Self.short)] {
        let session = try await world.local.signIn("ada")
        let request = ["client_id": "web", "redirect_uri": OpenIDFixture.webAddress]
        let page = try await world.at(other).get(
          "/authorize",
          OpenIDFixture.appRequest.merging(request) { $1 }.merging(["prompt": "consent"]) { $1 },
          session: session)
        let code = try await world.at(other).post(
          "/authorize", ["consent": try page.hidden("consent"), "decision": "allow"], session: session
        ).target().parameters["code"]
        let tokens = try await world.at(address).redeem(
          try #require(code), ["client_id": "", "redirect_uri": OpenIDFixture.webAddress],
          headers: OpenIDFixture.basic("web"))
        #expect(tokens.status == 200, "\(tokens.text)")
        _ = try await world.local.call(
          .post, "\(LocalServer.alpha)/sessions?_action=logout", token: session, body: [:])
        let provider = world.local.server.openID
        let sent = Locked<[String]>([])
        try await LogoutNotifier(
          file: provider.file, grants: provider.grants, keys: provider.keys, clock: provider.clock,
          randomBytes: provider.randomBytes, logger: provider.logger
        ) { _, body in
          let form = try FormParameters.parse(String(decoding: body, as: UTF8.self))
          sent.withLock { $0.append(form["logout_token"] ?? "") }
          return 200
        }.run()
        let token = try #require(sent.withLock { $0.first })
        #expect(try await world.claims(token, type: "logout+jwt")["iss"]?.stringValue == address.issuer)
      }
    }
  }

  @Test func `a sign-in by push that began at one form ends at another`() async throws {
    try await OpenIDFixture.run { world in
      let phone = try await world.local.enrolled()
      func proven(_ parameters: [String: String]) async throws -> [String: String] {
        let own = [
          "client_assertion_type": "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
          "client_assertion": try await world.assertion(),
        ]
        return parameters.merging(own) { $1 }
      }
      let began = try await world.post(
        "/bc-authorize", try await proven(["scope": "openid", "login_hint": "ada"]))
      let message = try #require(try await phone.poll(world.local).first)
      #expect(try await phone.answer(message, at: world.local).status == 200)
      world.local.clock.advance(by: 6)
      let page = try await world.at(Self.short).post(
        "/access_token",
        try await proven([
          "grant_type": "urn:openid:params:grant-type:ciba",
          "auth_req_id": try #require(began["auth_req_id"], "\(began.text)"),
        ]))
      #expect(page.status == 200, "\(page.text)")
      #expect(try await issuer(of: page.json, world) == Self.short.issuer)
    }
  }

  // MARK: Names

  @Test func `a realm below a realm is an issuer in each form, also where its path is percent-encoded`()
    async throws
  {
    let name = "alpha/branch"
    let addresses = [
      Address(path: "/am/oauth2/alpha/branch", issuer: "\(Self.base)/alpha/branch"),
      Address(path: "/am/oauth2/%61lpha/br%61nch", issuer: "\(Self.base)/alpha/branch"),
      Address(
        path: "/am/oauth2/realms/root/realms/alpha/realms/branch",
        issuer: "\(Self.base)/realms/root/realms/alpha/realms/branch"),
      Address(path: "/am/oauth2", realm: "/\(name)", issuer: "\(Self.base)/alpha/branch"),
    ]
    try await OpenIDFixture.run(
      { json in
        guard var app = json["clients"]?[0]?.objectValue else { return }
        app["realm"] = .string(name)
        json["clients"] = [.object(app)]
      }, configure: { $0.realms.append(name) }
    ) { world in
      try await world.local.store.createUser(
        UserRecord(
          realm: name, username: "ada",
          passwordHash: try await PasswordHasher(cost: Argon2Cost(memoryKiB: 8, iterations: 1)).hash(
            "quiet meadow"),
          createdAt: world.local.clock.now))
      let session = try await world.local.signIn(
        "ada", password: "quiet meadow", realm: "/am/json/realms/root/realms/alpha/realms/branch")
      for address in addresses {
        let world = world.at(address)
        let json = try await world.get("/.well-known/openid-configuration").json
        #expect(json["issuer"]?.stringValue == address.issuer)
        let answer = try await world.authorize(session: session)
        #expect(answer["iss"] == address.issuer)
        let key = try KeyHolder()
        let own = "https://id.example.com" + address.path
        let page = try await world.redeem(try #require(answer["code"]), headers: key.header(issuer: own))
        #expect(page.status == 200, "\(page.text)")
        #expect(try await issuer(of: page.json, world) == address.issuer)
      }
    }
  }

  @Test func `a realm below a realm has each of its names in the path`() {
    #expect(
      RealmForm.allCases.map { $0.path(of: "alpha/a b") } == [
        "/alpha/a%20b", "/realms/root/realms/alpha/realms/a%20b", "/realms/alpha/realms/a%20b",
      ])
    #expect(RealmForm.allCases.map { $0.path(of: "root") } == ["", "/realms/root", "/realms/root"])
    let paths = [
      ["alpha", "authorize"], ["realms", "Root", "realms", "alpha"], ["realms", "alpha"], ["authorize"],
      ["realms"],
    ]
    #expect(paths.map { RealmForm(of: $0) } == [.short, .long, .partial, .short, .partial])
  }
}
