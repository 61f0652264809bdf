import Bytes
import CommonFixtures
import Crypto
import Foundation
import QRCodeReader
import SealringTesting
import Testing

/// An authenticator app that a person enrols and uses on the sign-in page, in a real browser. The app is a few lines here (RFC 6238), which
/// know nothing of Sealring.
@Suite(.serialized) struct AuthenticatorAppBrowserTests {
  private static let password = "correct horse 1"

  private struct App {
    let secret: [UInt8]

    init(_ address: String) throws {
      let parts = try #require(URLComponents(string: address))
      #expect(parts.scheme == "otpauth" && parts.host == "totp")
      let text = parts.queryItems?.first { $0.name == "secret" }?.value
      secret = try #require(text.flatMap { Base32.decode($0) })
    }

    func code(at time: Date) -> String {
      let step = UInt64(time.timeIntervalSince1970) / 30
      let counter = (0..<8).map { UInt8(truncatingIfNeeded: step >> (56 - 8 * $0)) }
      let mac = Array(
        HMAC<Insecure.SHA1>.authenticationCode(for: counter, using: SymmetricKey(data: secret)))
      let start = Int(mac[19] & 15)
      let number = mac[start..<start + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) } & 0x7FFF_FFFF
      return String(("00000" + String(number % 1_000_000)).suffix(6))
    }
  }

  private func signIn(_ journey: String, _ browser: Browser, _ server: TestServer) async throws {
    try await browser.open(journey, at: server.address)
    try await browser.wait(for: "input[type=password]")
    try await browser.type("mira", into: "#IDToken1")
    try await browser.type(Self.password, into: "#IDToken2")
    try await browser.click("button[type=submit]")
  }

  private func enter(_ code: String, _ browser: Browser) async throws {
    try await browser.wait(for: "form:not(:has(input[type=password])):not([aria-busy=true]) #IDToken1")
    try await browser.type(code, into: "#IDToken1")
    // The first of the answers that the step has.
    try await browser.click(".buttons button")
  }

  @Test(.timeLimit(.minutes(10)))
  func `an authenticator app is enrolled by the picture or the key, and its code signs in once`() async throws
  {
    try await TestServer.run { server in
      try await server.addUser("mira", password: Self.password)
      try await Browser.run { browser in
        try await signIn("OathRegister", browser, server)
        try await browser.wait(for: "img.enrolment:not([hidden])")
        let picture = try GreyImage(png: try await browser.screenshot(of: "img.enrolment"))
        let app = try App(try #require(try QRCodeReader.texts(in: picture).first))
        // Who cannot scan gets the same secret as text.
        try await browser.click("summary")
        let key = Base32.encode(app.secret)
        let said = try await browser.text().filter { !$0.isWhitespace }
        #expect(said.contains(key))
        #expect(try await browser.accessibilityViolations() == [])
        try await browser.click(".buttons button")

        try await enter(app.code(at: server.clock.now), browser)
        try await browser.wait(for: ".codes:not(details *)")
        try await browser.click("button[type=submit]")
        try await browser.wait(for: "#title[data-end=success]")

        server.clock.advance(by: 30)
        let code = app.code(at: server.clock.now)
        try await signIn("OathSignIn", browser, server)
        try await enter(code, browser)
        try await browser.wait(for: "#title[data-end=success]")
        // Seen over the shoulder, it is of no use.
        try await signIn("OathSignIn", browser, server)
        try await enter(code, browser)
        try await browser.wait(for: "#title[data-end=failure]")
        #expect(try await browser.text().contains("You could not be signed in."))
      }
    }
  }
}
