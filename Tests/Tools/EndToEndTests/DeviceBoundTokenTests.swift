import Assembly
import Bytes
import CommonFixtures
import DeviceKeys
import Foundation
import JourneyStore
import PingBinding
import PingJourney
import PingJourneyPlugin
import PingLogger
import PingOidc
import PingOrchestrate
import PingStorage
import ProofFixtures
import SealringTesting
import StrictJSON
import Testing

/// An app's tokens, bound to the key that binding has made (RFC 9449), at a real server.
@Suite struct DeviceBoundTokenTests {
  private static let password = "Correct horse battery 1"

  /// A server with the client `app`, and mira's device, which is bound without a PIN.
  private func run(
    nonces: Bool = false, _ body: @escaping @Sendable (TestServer, TestDevice) async throws -> Void
  ) async throws {
    try await withTemporaryFolder { folder in
      let clients: JSONObject = [
        "require_dpop_nonce": .bool(nonces),
        "clients": [
          [
            "client_id": "app", "token_endpoint_auth_method": "none",
            "scope": "openid profile offline_access",
            "redirect_uris": ["com.example.app://oauth2redirect"], "require_consent": false,
            "dpop_bound_access_tokens": true,
          ]
        ],
      ]
      let file = folder.appending(path: "clients.json")
      try Data(clients.serialized).write(to: file)
      try await TestServer.run(configure: { $0.openIDClients = file }) { server in
        try await server.addUser("mira", password: Self.password)
        let device = TestDevice()
        let bound = await device.play("BindDeviceNoPin", on: server, as: "mira", password: Self.password)
        #expect(bound.isSuccess)
        try await body(server, device)
      }
    }
  }

  private func issuer(_ server: TestServer) -> String { "\(server.address)/oauth2/realms/root/realms/alpha" }

  /// The app on `device`, in which mira has signed in.
  private func signIn(on server: TestServer, _ device: TestDevice) async throws -> Journey {
    let bound = device.journey(on: server)
    let (address, issuer, clock) = (server.address, issuer(server), server.clock)
    let app = Journey.createJourney { config in
      config.logger = LogManager.none
      config.serverUrl = address
      config.realm = "alpha"
      config.module(SessionModule.config) { $0.storage = MemoryStorage<SSOTokenImpl>() }
      config.module(PingJourney.OidcModule.config) { oidc in
        oidc.clientId = "app"
        oidc.scopes = ["openid", "profile", "offline_access"]
        oidc.redirectUri = "com.example.app://oauth2redirect"
        oidc.discoveryEndpoint = issuer + "/.well-known/openid-configuration"
        oidc.storage = MemoryStorage<Token>()
        oidc.now = { clock.now }
        oidc.proofKey = BoundProofKey(journey: bound) {
          device.configure($0, person: ScriptedPerson(pins: []), clock: clock)
        }
      }
    }
    var node = await app.start("Login")
    while let step = node as? ContinueNode {
      for callback in step.callbacks {
        if let callback = callback as? NameCallback { callback.name = "mira" }
        if let callback = callback as? PasswordCallback { callback.password = Self.password }
      }
      node = await step.next()
    }
    #expect(node is SuccessNode)
    return app
  }

  /// The status of a request to userinfo.
  private func ask(
    _ server: TestServer, _ scheme: String, _ token: String, proof key: (any DeviceKey)? = nil
  ) async throws -> Int {
    let url = issuer(server) + "/userinfo"
    var headers = ["Authorization": "\(scheme) \(token)"]
    if let key {
      headers["DPoP"] = try await proof("GET", url, token, key, server)
    }
    return try await WebRequests.send(url, headers: headers).status
  }

  private func proof(
    _ method: String, _ url: String, _ token: String?, _ key: any DeviceKey, _ server: TestServer
  ) async throws -> String {
    try await KeyHolder(signer: key, publicKey: key.publicKey).proof(
      method: method, url: url, accessToken: token, at: server.clock.now)
  }

  @Test func `tokens are bound to the device's key, and are nothing without it`() async throws {
    try await run { server, device in
      let app = try await signIn(on: server, device)
      let user = try #require(await app.journeyUser())
      let token = try await user.token().get()
      #expect(token.tokenType == "DPoP")
      let thumbprint = try #require(try await server.devices(of: "mira").first?.thumbprint)
      let claims = try UnverifiedToken(token.accessToken).claims
      #expect(claims["cnf"]?["jkt"]?.stringValue == thumbprint)
      let info = try await user.userinfo(cache: false).get()
      #expect(info["sub"] as? String == claims["sub"]?.stringValue)
      #expect(info["preferred_username"] as? String == "mira")

      let own = try await device.onlyKey()
      let thiefs = try await MemoryKeyStore().createKey(tag: "thief", protection: .none, unlock: .nothing)
      #expect(Thumbprint.of(own.publicKey) == thumbprint)
      #expect(try await ask(server, "DPoP", token.accessToken, proof: own) == 200)
      #expect(try await ask(server, "DPoP", token.accessToken, proof: thiefs) == 401)
      #expect(try await ask(server, "DPoP", token.accessToken) == 401)
      #expect(try await ask(server, "Bearer", token.accessToken) == 401)
      #expect(try await ask(server, "Bearer", token.accessToken, proof: own) == 401)

      // Nor does the refresh token go to another key; the device has not lost it by that.
      let endpoint = issuer(server) + "/access_token"
      let form =
        "grant_type=refresh_token&client_id=app&refresh_token=\(PercentEncoding.encode(try #require(token.refreshToken)))"
      let stolen = try await WebRequests.send(
        endpoint, headers: ["DPoP": try await proof("POST", endpoint, nil, thiefs, server)], form: form)
      #expect(stolen.status == 400 && stolen.json["error"] == "invalid_grant")
      #expect(try await WebRequests.send(endpoint, form: form).status == 400)
      let renewed = try await user.refresh().get()
      #expect(renewed.tokenType == "DPoP" && renewed.accessToken != token.accessToken)
      _ = try await user.userinfo(cache: false).get()
    }
  }

  @Test func `a server that wants its nonce in each proof gets it`() async throws {
    try await run(nonces: true) { server, device in
      let app = try await signIn(on: server, device)
      let user = try #require(await app.journeyUser())
      let token = try await user.token().get()
      _ = try await user.userinfo(cache: false).get()
      // The right key, and no nonce.
      #expect(try await ask(server, "DPoP", token.accessToken, proof: device.onlyKey()) == 401)
      // Nonces go after ten minutes at most, and the access token has ended, too.
      server.clock.advance(by: 1200)
      #expect(try await user.token().get().accessToken != token.accessToken)
      _ = try await user.userinfo(cache: false).get()
    }
  }

  @Test func `a device that is not bound gets no tokens, and the person no bearer tokens in their place`()
    async throws
  {
    try await run { server, _ in
      let app = try await signIn(on: server, TestDevice())
      let user = try #require(await app.journeyUser())
      await #expect(throws: OidcError.self) { try await user.token().get() }
    }
  }

  @Test func `signing off ends the tokens at the server`() async throws {
    try await run { server, device in
      let app = try await signIn(on: server, device)
      let user = try #require(await app.journeyUser())
      let token = try await user.token().get()
      let own = try await device.onlyKey()
      #expect(try await ask(server, "DPoP", token.accessToken, proof: own) == 200)
      _ = try await app.journeySignOff().get()
      #expect(try await ask(server, "DPoP", token.accessToken, proof: own) == 401)
    }
  }
}

extension TestDevice {
  /// The one key that the device has.
  fileprivate func onlyKey() async throws -> any DeviceKey {
    let known = try #require(try await userKeys.get()?.first)
    return try await keyStore.openKey(tag: known.keyTag, unlock: .nothing)
  }
}
