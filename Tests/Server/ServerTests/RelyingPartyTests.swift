import AuthenticatorFixtures
import BindingFormats
import Foundation
import HummingbirdTesting
import JourneyStore
import StrictJSON
import Testing

@testable import Assembly
@testable import Operations

@Suite("The relying party of the bundled journeys, over HTTP") struct RelyingPartyTests {
  private static func publicly(_ configuration: inout ServerConfiguration) {
    configuration.journeysDirectory = nil
    configuration.publicURL = "https://id.example.com/am"
  }

  private static let page = ["Origin": "https://id.example.com"]

  private static func passkey() -> SoftAuthenticator {
    SoftAuthenticator(relyingPartyID: "id.example.com", origin: "https://id.example.com")
  }

  /// Browsers let each of these pages ask for passkeys of `id.example.com`, or of the port next to it.
  @Test(arguments: ["https://x.id.example.com", "https://id.example.com:8443", "http://id.example.com"])
  func `a page elsewhere in the relying party's domain cannot relay a sign-in`(elsewhere: String) async throws
  {
    try await LocalServer.run(.router, Self.publicly) { server in
      var passkey = Self.passkey()
      try await server.register(passkey, headers: Self.page)
      let step = try await server.startUsernameless(headers: Self.page)
      let relayed = try passkey.authenticate(challenge: step.challenge) {
        $0.userHandle = "YWRh"
        $0.origin = elsewhere
      }
      let refused = try await server.answer(step, relayed, headers: ["Origin": elsewhere])
      #expect(refused.status == 401 && refused.message == "Login failure")
      #expect(server.logContains("originNotAllowed"))

      let own = try await server.startUsernameless(headers: Self.page)
      let text = try passkey.authenticate(challenge: own.challenge) { $0.userHandle = "YWRh" }
      #expect(try await server.answer(own, text, headers: Self.page)["tokenId"]?.stringValue != nil)
    }
  }

  @Test func `a page elsewhere cannot have a passkey registered for itself`() async throws {
    try await LocalServer.run(.router, Self.publicly) { server in
      for elsewhere in ["https://x.id.example.com", "https://evil.example.org"] {
        let host = String(elsewhere.dropFirst("https://".count))
        let step = try await server.startRegistration(headers: ["Origin": elsewhere, "Host": host])
        #expect(step.metadata?["_relyingPartyId"] == "id.example.com")
        let passkey = SoftAuthenticator(relyingPartyID: "id.example.com", origin: elsewhere)
        let text = try passkey.register(challenge: step.challenge)
        #expect(try await server.answer(step, text, headers: ["Origin": elsewhere]).status == 401)
      }
      #expect(
        try await server.store.webAuthnDevices.all(of: UniversalID(username: "ada", realm: "alpha")).isEmpty)
    }
  }

  @Test
  func
    `without a public URL the relying party is localhost, at the port that the server listens on and no other`()
    async throws
  {
    try await LocalServer.run(.live, { $0.journeysDirectory = nil }) { server in
      let port = try #require(server.client.port)
      let page = ["Origin": "http://localhost:\(port)"]
      var passkey = SoftAuthenticator(relyingPartyID: "localhost", origin: "http://localhost:\(port)")
      try await server.register(passkey, headers: page)
      for (origin, status) in [
        ("http://localhost:\(port + 1)", 401), ("http://localhost:\(port)", 200),
        ("http://a.localhost:\(port)", 401),
      ] {
        let step = try await server.startUsernameless(headers: ["Origin": origin])
        #expect(step.metadata?["_relyingPartyId"] == "localhost")
        let text = try passkey.authenticate(challenge: step.challenge) {
          $0.userHandle = "YWRh"
          $0.origin = origin
        }
        #expect(try await server.answer(step, text, headers: ["Origin": origin]).status == status)
      }
    }
  }

  @Test
  func
    `a found security key and a name are not enough: the bundled sign-ins require verification of the person`()
    async throws
  {
    try await LocalServer.run(.router, LocalServer.bundled) { server in
      var key = SoftAuthenticator()
      try await server.register(key)
      let step = try await server.startSignIn()
      #expect(step.metadata?["userVerification"] == "required")
      let touched = try key.authenticate(challenge: step.challenge) { $0.flags = 0x01 }
      #expect(try await server.answer(step, touched).status == 401)
      #expect(server.logContains("userNotVerified"))
    }
  }

  @Test func `who has a passkey, and who exists, cannot be seen from what is asked for a name`() async throws
  {
    try await LocalServer.run(.router, LocalServer.bundled) { server in
      try await server.register(SoftAuthenticator())
      var seen: [String: JSONValue] = [:]
      for name in ["ada", "bob", "zoe", "nobody", "NOBODY", "somebody"] {
        let first = try await server.startSignIn(of: name)
        let second = try await server.startSignIn(of: name)
        #expect(first.status == 200)
        let credentials = try #require(first.metadata?["_allowCredentials"])
        #expect(credentials.arrayValue?.isEmpty == false)
        // A second look shows the same.
        #expect(second.metadata?["_allowCredentials"] == credentials)
        #expect(first["callbacks"]?.arrayValue?.count == second["callbacks"]?.arrayValue?.count)
        seen[name] = credentials
      }
      #expect(seen["nobody"] == seen["NOBODY"])
      #expect(Set(seen.values.map(\.text)).count == 5)
      // No answer to such a question signs anybody in, and it looks like any wrong one.
      var stranger = SoftAuthenticator()
      let step = try await server.startSignIn(of: "nobody")
      let answer = try await server.answer(step, stranger.authenticate(challenge: step.challenge))
      #expect(answer.status == 401 && answer.message == "Login failure")
    }
  }
}
