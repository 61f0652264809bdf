import Assembly
import CommonFixtures
import Foundation
import PingBinding
import PingJourney
import PingJourneyPlugin
import PingOidc
import PingOrchestrate
import ProofFixtures
import SealringTesting
import StrictJSON
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The guides' code, with the configuration that the published SDK's live tests have for a tenant: the short OAuth path, a redirect with a
/// scheme without a dot, a cookie name of 15 hexadecimal digits. Nothing else is configured, so each test runs in a process with a home of its own.
@Suite struct PlatformDefaultsTests {
  private static let password = "Correct horse battery 1"
  private static let cookie = "e1babb394ea5130"
  private static let redirect = "frauth://oauth2redirect"

  /// A server as a tenant is, with mira's account and the client `iosClient`.
  private static func run(_ body: @escaping @Sendable (TestServer) async throws -> Void) async throws {
    try await withTemporaryFolder { folder in
      let tool = CommandLineTool(home: folder.appending(path: "home"))
      let clients = folder.appending(path: "clients.json")
      let added = try await tool.run([
        "oidc", "client", "add", "iosClient", "--file", clients.path(percentEncoded: false), "--public",
        "--redirect", redirect, "--scope", "openid profile email address", "--no-consent",
      ])
      #expect(added.status == 0, "\(added.errors)")
      #expect(added.errors.contains("the scheme frauth has no dot"))
      try await TestServer.run(
        clock: TestClock(start: Date()),
        configure: {
          $0.cookieName = cookie
          $0.openIDClients = clients
        }
      ) { server in
        try await server.addUser("mira", password: password)
        try await body(server)
      }
    }
  }

  private static let short = "/oauth2/alpha/.well-known/openid-configuration"

  private static func app(_ server: TestServer, clientId: String = "iosClient", document: String = short)
    -> Journey
  {
    let address = server.address
    return Journey.createJourney { config in
      config.serverUrl = address
      config.realm = "alpha"
      config.cookie = cookie
      config.module(PingJourney.OidcModule.config) { oidc in
        oidc.clientId = clientId
        oidc.scopes = ["openid", "profile", "email", "address"]
        oidc.redirectUri = redirect
        oidc.discoveryEndpoint = address + document
      }
    }
  }

  // "Binding a device" and "Signing", as the guides have them.
  private static func handleDeviceBinding(callback: DeviceBindingCallback) async {
    let result = await callback.bind()
    if case .failure(let error) = result { Issue.record(error) }
  }

  private static func handleDeviceSigning(callback: DeviceSigningVerifierCallback) async {
    let result = await callback.sign()
    if case .failure(let error) = result { Issue.record(error) }
  }

  private static func play(_ name: String, in app: Journey) async -> any Node {
    var node = await app.start(name)
    while let step = node as? ContinueNode {
      for callback in step.callbacks {
        switch callback {
        case let callback as NameCallback: callback.name = "mira"
        case let callback as PasswordCallback: callback.password = password
        case let callback as DeviceBindingCallback: await handleDeviceBinding(callback: callback)
        case let callback as DeviceSigningVerifierCallback: await handleDeviceSigning(callback: callback)
        default: break
        }
      }
      node = await step.next()
    }
    return node
  }

  private static func status(of token: String, _ server: TestServer) async throws -> Int {
    try await WebRequests.send(
      server.address + "/oauth2/alpha/userinfo", headers: ["Authorization": "Bearer \(token)"]
    ).status
  }

  @Test func `an app binds, signs in, gets tokens and signs out as at the platform`() async throws {
    let folder = TemporaryFolder()
    let path = folder.url.path
    await #expect(processExitsWith: .success) { [path = path as String] in
      setenv("SEALRING_HOME", path, 1)
      BindingModule.applicationId = "com.sealring.cli"
      try await Self.run { server async throws in
        let issuer = server.address + "/oauth2/alpha"
        let app = Self.app(server)
        for journey in ["Login", "BindDeviceNoPin", "SignIn"] {
          let success = try #require(await Self.play(journey, in: app) as? SuccessNode, "\(journey)")
          #expect(!success.session.value.isEmpty)
          let user = try #require(await app.journeyUser())
          let token = try await user.token().get()
          let claims = try UnverifiedToken(try #require(token.idToken)).claims
          #expect(claims["iss"]?.stringValue == issuer && claims["aud"] == "iosClient")
          #expect(try UnverifiedToken(token.accessToken).claims["iss"]?.stringValue == issuer)
          #expect(
            Set((token.scope ?? "").split(separator: " ")) == ["openid", "profile", "email", "address"])
          let info = try await user.userinfo(cache: false).get()
          #expect(info["sub"] as? String == claims["sub"]?.stringValue)
          #expect(info["preferred_username"] as? String == "mira")

          let renewed = try await user.refresh().get()
          #expect(renewed.accessToken != token.accessToken && renewed.refreshToken != token.refreshToken)
          #expect(try await Self.status(of: renewed.accessToken, server) == 200)
          await user.revoke()
          #expect(try await Self.status(of: renewed.accessToken, server) == 401)
          // The session is still there, and gives new ones.
          let again = try await user.token().get()
          #expect(try await Self.status(of: again.accessToken, server) == 200)

          try await app.journeySignOff().get()
          #expect(await app.journeyUser() == nil)
          #expect(try await Self.status(of: again.accessToken, server) == 401)
          let session = try await WebRequests.send(
            server.address + "/json/realms/root/realms/alpha/sessions?_action=validate",
            headers: [Self.cookie: success.session.value], json: [:])
          #expect(session.json["valid"] == false)
        }
        #expect(try await server.devices(of: "mira").count == 1)
      }
    }
  }

  @Test func `an app may have any form of the realm's address`() async throws {
    let folder = TemporaryFolder()
    let path = folder.url.path
    await #expect(processExitsWith: .success) { [path = path as String] in
      setenv("SEALRING_HOME", path, 1)
      try await Self.run { server async throws in
        for (document, issuer) in [
          (
            "/oauth2/realms/root/realms/alpha/.well-known/openid-configuration",
            "/oauth2/realms/root/realms/alpha"
          ),
          ("/oauth2/realms/alpha/.well-known/openid-configuration", "/oauth2/realms/alpha"),
          ("/oauth2/.well-known/openid-configuration?realm=/alpha", "/oauth2/alpha"),
          ("/oauth2/.well-known/openid-configuration?realm=alpha", "/oauth2/alpha"),
        ] {
          let app = Self.app(server, document: document)
          #expect(await Self.play("Login", in: app) is SuccessNode, "\(document)")
          let user = try #require(await app.journeyUser())
          for token in [try await user.token().get(), try await user.refresh().get()] {
            let claims = try UnverifiedToken(try #require(token.idToken)).claims
            #expect(claims["iss"]?.stringValue == server.address + issuer)
          }
          try await app.journeySignOff().get()
        }
      }
    }
  }

  /// The SDK puts the answer's body into its error.
  @Test func `the server's reason was lost: an unknown client's error says invalid_client`() async throws {
    let folder = TemporaryFolder()
    let path = folder.url.path
    await #expect(processExitsWith: .success) { [path = path as String] in
      setenv("SEALRING_HOME", path, 1)
      try await Self.run { server async throws in
        let app = Self.app(server, clientId: "unknown")
        #expect(await Self.play("Login", in: app) is SuccessNode)
        let user = try #require(await app.journeyUser())
        guard case .failure(.apiError(let code, let message)) = await user.token() else {
          Issue.record("a token for an unknown client")
          return
        }
        #expect(code == 400 && message.contains("invalid_client"))
      }
    }
  }
}
