import AuthenticatorFixtures
import BindingFormats
import CommonFixtures
import Crypto
import Foundation
import HTTPTypes
import HummingbirdTesting
import JourneyStore
import StrictJSON
import Testing

@testable import Assembly

@Suite("Locks, over HTTP") struct LockoutTests {
  /// The status of a sign-in with a password, and the known-device cookie that came with it.
  @discardableResult
  private func signIn(
    _ name: String = "ada", _ password: String = "ada-password", on server: LocalServer, cookie: String? = nil
  ) async throws -> (status: Int, cookie: String?) {
    var headers = ["X-OpenAM-Username": name, "X-OpenAM-Password": password]
    headers["Cookie"] = cookie
    let answer = try await server.call(
      .post, "\(LocalServer.alpha)/authenticate?authIndexType=service&authIndexValue=Login",
      headers: headers)
    #expect(answer.status == 200 || answer.message == "Login failure")
    let cookies = answer.headers[values: .setCookie].filter { $0.hasPrefix("sealring-device=") }
    return (answer.status, cookies.first?.split(separator: ";").first.map(String.init))
  }

  private func guess(_ name: String = "ada", times: Int = 5, on server: LocalServer, cookie: String? = nil)
    async throws
  {
    for _ in 0..<times {
      #expect(try await signIn(name, "guess", on: server, cookie: cookie).status == 401)
    }
  }

  @Test func `wrong passwords do not stop a passkey, and wrong signatures do not stop the password`()
    async throws
  {
    try await LocalServer.run(.router, LocalServer.bundled) { server in
      var passkey = SoftAuthenticator()
      try await server.register(passkey)
      try await guess(on: server)
      #expect(try await signIn(on: server).status == 401)
      let step = try await server.startSignIn()
      #expect(try await server.answer(step, passkey.authenticate(challenge: step.challenge)).status == 200)
      // The passkey's success says nothing of the passwords that were guessed.
      #expect(try await signIn(on: server).status == 401)
      server.clock.advance(by: 61)

      for _ in 1...5 {
        let step = try await server.startSignIn()
        let wrong = try passkey.authenticate(challenge: step.challenge) { $0.key = P256.Signing.PrivateKey() }
        #expect(try await server.answer(step, wrong).status == 401)
      }
      let late = try await server.startSignIn()
      #expect(try await server.answer(late, passkey.authenticate(challenge: late.challenge)).status == 401)
      #expect(try await signIn(on: server).status == 200)
    }
  }

  @Test
  func `somebody who knows a name cannot keep its owner out of a browser that the account has used before`()
    async throws
  {
    try await LocalServer.run(.router, LocalServer.bundled) { server in
      let cookie = try #require(try await signIn(on: server).cookie)
      try await guess(on: server)
      #expect(try await signIn(on: server).status == 401)
      #expect(try await signIn(on: server, cookie: cookie).status == 200)
    }
  }

  @Test func `a stolen known-device cookie has five tries of its own, and none for another account`()
    async throws
  {
    try await LocalServer.run(.router, LocalServer.bundled) { server in
      let cookie = try #require(try await signIn(on: server).cookie)
      try await guess(on: server, cookie: cookie)
      #expect(try await signIn(on: server, cookie: cookie).status == 401)
      // The owner elsewhere is not concerned.
      #expect(try await signIn(on: server).status == 200)

      // For another account it is nothing.
      try await guess("bob", on: server)
      #expect(try await signIn("bob", "bob-password", on: server, cookie: cookie).status == 401)
    }
  }

  @Test func `a new password ends the known devices of the old one`() async throws {
    try await LocalServer.run(.router, LocalServer.bundled) { server in
      let cookie = try #require(try await signIn(on: server).cookie)
      let administrator = try await server.signInAdministrator()
      let set = try await server.call(
        .put, "\(LocalServer.alpha)/users/ada", token: administrator,
        body: ["userpassword": "a new password 7"])
      #expect(set.status == 200)
      try await guess(on: server)
      #expect(try await signIn("ada", "a new password 7", on: server, cookie: cookie).status == 401)
      server.clock.advance(by: 61)
      let renewed = try #require(
        try await signIn("ada", "a new password 7", on: server, cookie: cookie).cookie)
      try await guess(on: server)
      #expect(try await signIn("ada", "a new password 7", on: server, cookie: renewed).status == 200)
    }
  }

  @Test func `passwords and recovery codes are counted together`() async throws {
    try await LocalServer.run(.router, LocalServer.bundled) { server in
      let codes = try await server.register(SoftAuthenticator())
      func enter(_ code: String) async throws -> Int {
        let step = try await server.startSignIn()
        let asked = try await server.call(
          .post, "\(LocalServer.alpha)/authenticate",
          body: [
            "authId": step["authId"] ?? .null,
            "callbacks": [["input": [["name": "IDToken3", "value": 0]]]],
          ])
        return try await server.call(
          .post, "\(LocalServer.alpha)/authenticate", body: LocalServer.reply(to: asked, code)
        ).status
      }
      try await guess(times: 3, on: server)
      for _ in 0..<2 { #expect(try await enter("AAAA-AAAA-AAAA-AAAA") == 401) }
      #expect(try await signIn(on: server).status == 401)
      #expect(try await enter(codes[0]) == 401)
      server.clock.advance(by: 61)
      #expect(try await enter(codes[0]) == 200)
    }
  }

  @Test
  func `names that nobody has are answered, counted and locked like others, and are known to no device`()
    async throws
  {
    try await LocalServer.run(.router, LocalServer.bundled) { server in
      let cookie = try #require(try await signIn(on: server).cookie)
      for cookie in [nil, cookie] {
        try await guess("nobody", times: 6, on: server, cookie: cookie)
        #expect(try await signIn("nobody", "guess", on: server, cookie: cookie).cookie == nil)
      }
      let state = try await server.store.lockout(of: UniversalID(username: "nobody", realm: "alpha"))
      #expect(state.lockCount == 1 && state.isLocked(at: server.clock.now))
    }
  }

  @Test func `the cookie is for the server alone, and lasts`() async throws {
    try await LocalServer.run(
      .router,
      {
        LocalServer.bundled(&$0)
        $0.secureCookie = true
      }
    ) { server in
      let answer = try await server.call(
        .post, "\(LocalServer.alpha)/authenticate",
        headers: ["X-OpenAM-Username": "ada", "X-OpenAM-Password": "ada-password"])
      let cookie = try #require(
        answer.headers[values: .setCookie].first { $0.hasPrefix("sealring-device=") })
      #expect(cookie.hasSuffix("; Path=/; Max-Age=7776000; HttpOnly; SameSite=Lax; Secure"))
      // Nobody gets one without a session.
      let bare = try await server.call(
        .post, "\(LocalServer.alpha)/authenticate?noSession=true",
        headers: ["X-OpenAM-Username": "ada", "X-OpenAM-Password": "ada-password"])
      #expect(bare.status == 200 && bare.headers[values: .setCookie].isEmpty)
    }
  }

  @Test func `somebody who sends wrong signatures for a name does not keep its owner out of a known browser`()
    async throws
  {
    try await LocalServer.run(.router, LocalServer.bundled) { server in
      var passkey = SoftAuthenticator()
      try await server.register(passkey)
      let cookie = try #require(try await signIn(on: server).cookie)
      for _ in 1...5 {
        let step = try await server.startSignIn()
        var stranger = SoftAuthenticator()
        #expect(
          try await server.answer(step, stranger.authenticate(challenge: step.challenge)).status == 401)
      }
      for (headers, status) in [([:], 401), (["Cookie": cookie], 200)] {
        let step = try await server.startSignIn()
        let text = try passkey.authenticate(challenge: step.challenge)
        #expect(try await server.answer(step, text, headers: headers).status == status)
      }
    }
  }
}
