import BindingFormats
import CommonFixtures
import Foundation
import HTTPTypes
import HummingbirdTesting
import JourneyStore
import StrictJSON
import Testing

@Suite("Passwords that were reset or have expired, over HTTP") struct PasswordStateTests {
  private static let path = "\(LocalServer.alpha)/users/ada"
  private static let temporary = "temporary meadow"

  /// Sends name and password by header to a journey.
  private func begin(_ journey: String, _ password: String, on server: LocalServer) async throws -> Answer {
    try await server.call(
      .post, "\(LocalServer.alpha)/authenticate?authIndexType=service&authIndexValue=\(journey)",
      headers: [
        "X-OpenAM-Username": "ada", "X-OpenAM-Password": password, "Origin": "https://example.com",
      ])
  }

  private func types(_ answer: Answer) -> [String] {
    (answer["callbacks"]?.arrayValue ?? []).compactMap { $0["type"]?.stringValue }
  }

  private static let change = [
    "TextOutputCallback", "PasswordCallback", "PasswordCallback", "ConfirmationCallback",
  ]

  /// The bundled journeys that take name and password from headers.
  private static let journeys = [
    "Login", "BindDevice", "BindDeviceBiometric", "WebAuthnRegister", "PushRegister", "PushSignIn",
    "PushNumber",
    "PushCode", "PushBiometric", "OathRegister", "OathSignIn", "CombinedRegister",
  ]

  @Test func `the help desk's password opens nothing before its owner has chosen another`() async throws {
    try await LocalServer.run(.router, LocalServer.bundled) { server in
      let administrator = try await server.signInAdministrator()
      let set = try await server.call(
        .put, Self.path, token: administrator,
        body: ["userpassword": .string(Self.temporary), "pwdReset": true])
      #expect(set.status == 200)
      for journey in Self.journeys {
        #expect(types(try await begin(journey, Self.temporary, on: server)) == Self.change, "\(journey)")
      }
      let asked = try await begin("Login", Self.temporary, on: server)
      let done = try await server.call(
        .post, "\(LocalServer.alpha)/authenticate",
        body: LocalServer.reply(to: asked, "", "own meadow 7", "own meadow 7", "0"))
      #expect(done["tokenId"] != nil)
      #expect(try await begin("Login", Self.temporary, on: server).status == 401)
      #expect(try await begin("Login", "own meadow 7", on: server)["tokenId"] != nil)
    }
  }

  @Test func `an expired password signs nobody in, and its owner may still replace it`() async throws {
    try await LocalServer.run(.router, LocalServer.bundled) { server in
      let administrator = try await server.signInAdministrator()
      let session = try await server.signIn("ada")
      let user = try #require(try await server.store.user(named: "ada", realm: "alpha"))
      var change = UserChange(of: user)
      change.passwordExpiry = .at(server.clock.now)
      change.mustChangePassword = true
      guard case .changed = try await server.store.updateUser(change) else {
        Issue.record("not changed")
        return
      }
      for journey in Self.journeys {
        #expect(try await begin(journey, "ada-password", on: server).status == 401, "\(journey)")
      }
      let own = try await server.call(
        .put, Self.path, token: session,
        body: ["userpassword": "own meadow 7", "currentpassword": "ada-password"])
      #expect(own.status == 200, "\(own.message ?? "")")
      // The end is the administrator's to set.
      #expect(try await begin("Login", "own meadow 7", on: server).status == 401)
      let lifted = try await server.call(
        .put, Self.path, token: administrator, body: ["ds-pwp-password-expiration-time": .null])
      #expect(lifted.status == 200)
      #expect(try await begin("Login", "own meadow 7", on: server)["tokenId"] != nil)
    }
  }
}
