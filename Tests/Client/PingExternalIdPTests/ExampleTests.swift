import CommonFixtures
import Foundation
import OpenIDFixtures
import SealringTesting
import StrictJSON
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// `Examples/Provider`, as a program on a terminal, with a browser that does what the provider says.
@Suite(.serialized) struct ExampleTests {
  /// The program: on a terminal, without a desktop.
  private func start(
    _ journey: String, _ provider: FakeOpenIDProvider, _ server: TestServer
  ) throws -> (PseudoTerminal, SpawnedProgram) {
    let terminal = try #require(PseudoTerminal())
    let program = try SpawnedProgram(
      BuiltProgram.path("provider"), [],
      environment: SpawnedProgram.environment([
        "PROVIDER_SERVER": server.address, "PROVIDER_JOURNEY": journey, "PROVIDER_ISSUER": provider.issuer,
        "DISPLAY": "", "WAYLAND_DISPLAY": "",
      ]),
      input: .device(terminal.path), output: .device(terminal.path), errors: .device(terminal.path),
      leadsSession: true)
    return (terminal, program)
  }

  /// Opens the address that the program shows, and brings the redirect that `change` makes of the provider's back to the program's port.
  ///
  /// - Returns: the status with which the program answered the browser.
  private func browse(
    _ terminal: PseudoTerminal, _ provider: FakeOpenIDProvider, _ change: (String) -> String = { $0 }
  ) async throws -> Int {
    _ = await terminal.read(until: "Open this address in a browser on this machine:\r\n")
    let address = await terminal.read(until: "\r\n").trimmingCharacters(in: .whitespacesAndNewlines)
    let answer = try await provider.answer(FakeOpenIDProvider.Request("GET", address))
    let back = try #require(URL(string: change(answer.headers["Location"] ?? "")))
    #expect(back.host == "127.0.0.1")
    let (_, response) = try await URLSession.shared.data(from: back)
    return (response as? HTTPURLResponse)?.statusCode ?? 0
  }

  private static let person: @Sendable (inout FakeOpenIDProvider.Behaviour) -> Void = { behaviour in
    let claims: JSONObject = [
      "sub": "ada", "given_name": "Ada", "family_name": "Byron", "email": "ada@example.com",
      "email_verified": true,
    ]
    behaviour.userinfo = claims
    // An app's own sign-in brings the ID token alone.
    behaviour.claims = { $0.merge(claims) }
  }

  @Test(.timeLimit(.minutes(1)), arguments: ["NativeAccount", "BrowserAccount"])
  func `the example signs a person in at a provider in the browser`(journey: String) async throws {
    // The server's own sign-in there has a registered redirect, and with it a port.
    let redirect =
      journey == "NativeAccount" ? "http://127.0.0.1/callback" : "http://127.0.0.1:\(try freePort())/callback"
    try await World.run(redirect: redirect) { provider, server in
      provider.lie(Self.person)
      let (terminal, program) = try start(journey, provider, server)
      let shown = await terminal.read(until: "Sign in by (1 to 2): ")
      #expect(shown.contains("1. op\r\n2. localAuthentication"))
      terminal.type("1\n")
      #expect(try await browse(terminal, provider) == 200)
      let end = await terminal.read(until: "\u{0}")
      #expect(end.contains("Signed in."), "\(end)")
      #expect(await program.end() == 0)
    }
  }

  @Test(.timeLimit(.minutes(1)))
  func `a choice that is none, and a person who declines, end the example with a reason`() async throws {
    try await World.run(redirect: "http://127.0.0.1/callback") { provider, server in
      let (terminal, program) = try start("NativeAccount", provider, server)
      _ = await terminal.read(until: "Sign in by (1 to 2): ")
      terminal.type("7\n")
      #expect(await terminal.read(until: "\u{0}").contains("That is none of them."))
      #expect(await program.end() == 1)

      provider.lie { $0.redirect = { ($0["code"], $0["error"]) = (nil, "access_denied") } }
      let (other, declined) = try start("NativeAccount", provider, server)
      _ = await other.read(until: "Sign in by (1 to 2): ")
      other.type("1\n")
      #expect(try await browse(other, provider) == 200)
      let end = await other.read(until: "\u{0}")
      #expect(end.contains("access_denied") && !end.contains("Signed in."), "\(end)")
      #expect(await declined.end() == 1)
    }
  }

  /// A port that nobody listens on now.
  private func freePort() throws -> Int {
    let listener = try LoopbackListener()
    return Int(listener.port)
  }
}
