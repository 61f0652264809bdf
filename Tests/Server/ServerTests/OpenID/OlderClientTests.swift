import Bytes
import CommonFixtures
import Concurrency
import Crypto
import Foundation
import HTTPTypes
import ProofFixtures
import StrictJSON
import Testing

@testable import Assembly
@testable import OpenIDProvider

/// Clients that know only RS256 or send their secret in the form.
@Suite("OpenID Connect: older clients") struct OlderClientTests {
  private static let address = "https://old.example.com/cb"

  /// A world that has the client `old`, too.
  private func run(_ body: @Sendable (OpenIDFixture) async throws -> Void) async throws {
    try await OpenIDFixture.run(
      { file in
        let hash = Base64URL.encode(SHA256.hash(data: Array(OpenIDFixture.webSecret.utf8)))
        file["clients"] = .array(
          (file["clients"]?.arrayValue ?? []) + [
            [
              "client_id": "old", "client_secret_sha256": .string(hash), "require_consent": false,
              "token_endpoint_auth_method": "client_secret_post",
              "id_token_signed_response_alg": "RS256",
              "redirect_uris": [.string(Self.address)],
              "backchannel_logout_uri": "https://old.example.com/out",
              "post_logout_redirect_uris": ["https://old.example.com/bye"],
            ]
          ])
      }, body: body)
  }

  private func keys(_ world: OpenIDFixture) async throws -> [JSONObject] {
    try await world.get("/connect/jwk_uri").json["keys"]?.arrayValue?.compactMap(\.objectValue) ?? []
  }

  private func tokens(_ world: OpenIDFixture) async throws -> JSONValue {
    let session = try await world.local.signIn("ada")
    let code = try await world.code(
      ["client_id": "old", "redirect_uri": Self.address, "scope": "openid"], session: session)
    let page = try await world.redeem(
      code,
      ["client_id": "old", "client_secret": OpenIDFixture.webSecret, "redirect_uri": Self.address])
    #expect(page.status == 200 && page.headers[.cacheControl] == "no-store", "\(page.text)")
    return page.json
  }

  /// What the token endpoint says to a proof; nothing is asked of it that could succeed.
  private func answer(
    _ world: OpenIDFixture, _ parameters: [String: String], headers: [String: String] = [:]
  ) async throws -> String? {
    try await world.post(
      "/access_token",
      ["grant_type": "refresh_token", "refresh_token": "none"].merging(parameters) { $1 }, headers: headers
    ).error
  }

  @Test func `the client gets its ID token by a secret in the form, signed with RS256, and nobody else does`()
    async throws
  {
    try await run { world in
      let tokens = try await tokens(world)
      let token = try #require(tokens["id_token"]?.stringValue)
      let header = try UnverifiedToken(token).header
      #expect(header["alg"] == "RS256")
      let key = try #require(try await keys(world).first { $0["kid"] == header["kid"] })
      #expect(key["kty"] == "RSA" && key["alg"] == "RS256" && key["d"] == nil && key["p"] == nil)
      let claims = try VerifiedToken(token, rsaKey: key).claims
      #expect(claims["aud"] == "old" && claims["at_hash"] != nil)
      // Access tokens, and the tokens of all other clients, stay as they are.
      let access = try #require(tokens["access_token"]?.stringValue)
      #expect(try UnverifiedToken(access).header["alg"] == "ES256")
      #expect(try await world.userinfo(access).status == 200)
      let other = try await world.tokens(session: try await world.local.signIn("ada"))
      #expect(try UnverifiedToken(try #require(other["id_token"]?.stringValue)).header["alg"] == "ES256")
    }
  }

  @Test func `both are offered where a client is registered for them, and nowhere else`() async throws {
    let form: JSONValue = "client_secret_post"
    try await run { world in
      let json = try await world.get("/.well-known/openid-configuration").json
      #expect(json["id_token_signing_alg_values_supported"] == ["ES256", "RS256"])
      for name in ["token", "introspection", "revocation"] {
        #expect(
          json["\(name)_endpoint_auth_methods_supported"]?.arrayValue?.contains(form) == true, "\(name)")
      }
      #expect(
        try await keys(world).map { $0["alg"] } == ["ES256", "ES256", "ES256", "RS256", "RS256", "RS256"])
      let root = world.at(
        OpenIDFixture.Address(path: "/am/oauth2", issuer: "https://id.example.com/am/oauth2"))
      #expect(
        try await root.get("/.well-known/openid-configuration").json["id_token_signing_alg_values_supported"]
          == ["ES256"])
      #expect(try await keys(root).allSatisfy { $0["alg"] == "ES256" })
    }
    try await OpenIDFixture.run { world in
      let json = try await world.get("/.well-known/openid-configuration").json
      #expect(json["id_token_signing_alg_values_supported"] == ["ES256"])
      #expect(
        json["token_endpoint_auth_methods_supported"] == ["none", "client_secret_basic", "private_key_jwt"])
      #expect(
        json["introspection_endpoint_auth_methods_supported"] == ["client_secret_basic", "private_key_jwt"])
      #expect(try await keys(world).map { $0["alg"] } == ["ES256", "ES256", "ES256"])
    }
  }

  @Test func `a client proves itself in its own way, and in one way`() async throws {
    try await run { world in
      let secret = OpenIDFixture.webSecret
      // Past the proof: then the refresh token is looked at.
      #expect(try await answer(world, ["client_id": "old", "client_secret": secret]) == "invalid_grant")
      #expect(
        try await answer(world, ["client_id": "web"], headers: OpenIDFixture.basic("web")) == "invalid_grant")
      let assertion = try await world.assertion()
      let assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
      for (parameters, headers) in [
        // The wrong secret, no client, a client that is not there.
        (["client_id": "old", "client_secret": secret + "x"], [:]), (["client_secret": secret], [:]),
        (["client_id": "nobody", "client_secret": secret], [:]),
        // Clients of another way: the header, none, a key.
        (["client_id": "web", "client_secret": secret], [:]),
        (["client_id": "app", "client_secret": secret], [:]),
        (["client_id": "bank", "client_secret": secret], [:]),
        ([:], OpenIDFixture.basic("old")), (["client_id": "old"], [:]),
        // Two at once, also when each is right.
        (["client_id": "old", "client_secret": secret], OpenIDFixture.basic("old")),
        (["client_id": "old", "client_secret": secret], OpenIDFixture.basic("web")),
        (["client_secret": secret], OpenIDFixture.basic("web")),
        (
          [
            "client_id": "bank", "client_secret": secret, "client_assertion": assertion,
            "client_assertion_type": assertionType,
          ], [:]
        ),
      ] as [([String: String], [String: String])] {
        #expect(try await answer(world, parameters, headers: headers) == "invalid_client", "\(parameters)")
      }
    }
  }

  @Test func `a secret in an address is refused, and is neither in the answer nor in the log`() async throws {
    try await run { world in
      let secret = OpenIDFixture.webSecret
      for parameters in [["client_id": "old", "client_secret": secret], ["client_id": "old"]] {
        let query = OpenIDFixture.form(["client_secret": secret])
        let page = try await world.post("/access_token?\(query)", parameters)
        #expect(page.error == "invalid_request" && !page.text.contains(secret))
      }
      // At /authorize a form becomes an address.
      var request = OpenIDFixture.appRequest
      request["client_secret"] = secret
      let form = try await world.post("/authorize", request)
      #expect(form.status == 400 && form.headers[.location] == nil && !form.text.contains(secret))
      let address = try await world.get("/authorize", request)
      #expect(address.status == 400 && address.headers[.location] == nil && !address.text.contains(secret))
      _ = try await answer(world, ["client_id": "web", "client_secret": secret])
      let log = world.local.log.withLock { $0.joined(separator: "\n") }
      #expect(log.contains("not registered for client_secret_post"))
      let words = [secret, secret.replacing(" ", with: "%20"), secret.replacing(" ", with: "+")]
      #expect(words.allSatisfy { !log.contains($0) })
    }
  }

  @Test func `a pushed request proves its client by the form, and keeps nothing of the secret`() async throws
  {
    try await run { world in
      var request = OpenIDFixture.appRequest
      request.merge([
        "client_id": "old", "client_secret": OpenIDFixture.webSecret, "redirect_uri": Self.address,
        "scope": "openid",
      ]) { $1 }
      let pushed = try await world.post("/par", request)
      #expect(pushed.status == 201, "\(pushed.text)")
      let session = try await world.local.signIn("ada")
      let answer = try await world.get(
        "/authorize", ["client_id": "old", "request_uri": try #require(pushed["request_uri"])],
        session: session)
      #expect(try answer.target().parameters["code"] != nil)
    }
  }

  /// A token with another header: what somebody would forge who has a published key, which everybody has.
  private func forged(_ token: String, _ header: JSONObject, signature: [UInt8] = []) throws -> String {
    let payload = try #require(token.split(separator: ".").dropFirst().first)
    return "\(Base64URL.encode(header.serialized)).\(payload).\(Base64URL.encode(signature))"
  }

  @Test func `a token is believed with the algorithm of its own key only`() async throws {
    try await run { world in
      let token = try #require(try await tokens(world)["id_token"]?.stringValue)
      let bye = ["id_token_hint": token, "post_logout_redirect_uri": "https://old.example.com/bye"]
      let good = try await world.get("/connect/endSession", bye)
      #expect(good.headers[.location] == "https://old.example.com/bye", "\(good.text)")
      let header = try UnverifiedToken(token).header
      let ec = try #require(try await keys(world).first { $0["kty"] == "EC" })
      let rsa = try #require(try await keys(world).first { $0["kid"] == header["kid"] })
      let right = try #require(
        token.split(separator: ".").last.flatMap { Base64URL.decode(String($0)) })
      let modulus = try #require(rsa["n"]?.stringValue)
      let ecID = ec["kid"] ?? .null
      let mac = Array(SHA256.hash(data: Array(modulus.utf8)))
      let forgeries: [(JSONObject, [UInt8])] = [
        (["alg": "none"] as JSONObject, []), (["alg": "ES256"] as JSONObject, right),
        (["alg": "RS384"] as JSONObject, right), (["kid": ecID] as JSONObject, right),
        (["kid": ecID, "alg": "ES256"] as JSONObject, right),
        // The public key as the secret of a MAC.
        (["alg": "HS256"] as JSONObject, mac), (["typ": "at+jwt"] as JSONObject, right),
      ]
      for (change, signature) in forgeries {
        var wrong = header
        wrong.merge(change)
        let bad = try forged(token, wrong, signature: signature)
        let page = try await world.get("/connect/endSession", ["id_token_hint": bad])
        #expect(page.status == 400, "\(change)")
      }
      // An access token has no other algorithm than ES256, not even by a key of this server.
      let signed = try await world.local.server.openID.keys.current(.rs256).sign(
        ["sub": "ada"], type: "at+jwt")
      let claims: JSONValue? = try await world.local.server.openID.verified(signed, type: "at+jwt")
      #expect(claims == nil)
      #expect(try await world.userinfo(signed).status == 401)
    }
  }

  @Test func `the RSA key turns like the others, is removed, and ends with them`() async throws {
    try await run { world in
      let provider = world.local.server.openID
      func names() async throws -> [String] {
        (try await keys(world)).filter { $0["kty"] == "RSA" }.compactMap { $0["kid"]?.stringValue }
      }
      let before = try await names()
      #expect(Set(before).count == 3)
      #expect(try await provider.keys.current(.rs256).id == before[0])
      world.local.clock.advance(by: TokenKeys.period)
      #expect(try await provider.keys.current(.rs256).id == before[1])
      #expect(try await names().contains(before[0]))
      world.local.clock.advance(by: TokenKeys.period)
      #expect(try await !names().contains(before[0]))
      let first = Int((LocalServer.morning.timeIntervalSince1970 / TokenKeys.period).rounded(.down))
      world.local.clock.advance(by: TokenKeys.period)
      #expect(provider.keys.retiredNames.contains(TokenKeys.name(first, .rs256)))
      #expect(provider.keys.retiredNames.contains(TokenKeys.name(first, .es256)))
      let now = Set(try await names())
      try await TokenKeys.end(in: world.local.store)
      world.local.clock.advance(by: TokenKeys.memory)
      #expect(now.isDisjoint(with: try await names()))
    }
  }

  @Test func `a sign-out is told in the client's own algorithm`() async throws {
    try await run { world in
      _ = try await tokens(world)
      let session = try await world.local.signIn("ada")
      let code = try await world.code(
        ["client_id": "old", "redirect_uri": Self.address, "scope": "openid"], session: session)
      _ = try await world.redeem(
        code,
        ["client_id": "old", "client_secret": OpenIDFixture.webSecret, "redirect_uri": Self.address])
      _ = try await world.local.call(
        .post, "\(LocalServer.alpha)/sessions?_action=logout", token: session, body: [:])
      let provider = world.local.server.openID
      let sent = Locked<[String]>([])
      let notifier = LogoutNotifier(
        file: provider.file, grants: provider.grants, keys: provider.keys, clock: provider.clock,
        randomBytes: provider.randomBytes, logger: provider.logger
      ) { _, body in
        let form = try FormParameters.parse(String(decoding: body, as: UTF8.self))
        sent.withLock { $0.append(form["logout_token"] ?? "") }
        return 200
      }
      try await notifier.run()
      let token = try #require(sent.withLock { $0.first })
      #expect(try UnverifiedToken(token).header["alg"] == "RS256")
    }
  }
}
