import Accounts
import Assembly
import BindingFormats
import Foundation
import JourneyNodes
import JourneyStore
import OATH
import SealringTesting
import StrictJSON
import Testing

/// A second factor in a real browser, from its setup to its removal, which needs it once more.
@Suite(.serialized) struct FactorBrowserTests {
  private static let password = "correct horse 1"
  private static let enter = "\u{E007}"
  private static let code = "input[autocomplete=one-time-code]"

  private func signIn(_ browser: Browser) async throws {
    try await browser.waitOverPages(for: "input[type=password]")
    // Who is signed in is asked for the password alone.
    if try await browser.evaluate("return document.getElementById('IDToken2') !== null") == true {
      try await browser.type("mira", into: "#IDToken1")
    }
    try await browser.type(Self.password, into: "input[type=password]")
    try await browser.click("button[type=submit]")
  }

  /// An authenticator app that was set up by the address in the page.
  private func app(_ address: String) throws -> OneTimePassword {
    let components = try #require(URLComponents(string: address))
    let enrolment = try OATHEnrolmentParameters(host: components.host ?? "") { name in
      components.queryItems?.first { $0.name == name }?.value
    }
    return OneTimePassword(secret: enrolment.secret, profile: enrolment.profile)
  }

  private func code(of app: OneTimePassword, _ server: TestServer) throws -> String {
    app.code(at: try #require(app.profile.factor.step(at: server.clock.now.timeIntervalSince1970)))
  }

  @Test(.timeLimit(.minutes(10)))
  func `an authenticator app is set up from the page, asked for before it is removed, and gone`() async throws
  {
    try await TestServer.run(configure: { $0.factorChanges = FactorChangePolicy(realms: ["alpha": .strong]) })
    {
      server in
      try await server.addUser("mira", password: Self.password)
      let mira = UniversalID(username: "mira", realm: "alpha")
      try await Browser.run { browser in
        try await browser.go(to: "\(server.address)/account/methods?realm=/alpha")
        try await signIn(browser)
        try await browser.waitOverPages(for: "a[href*='methods/add/app']")
        try await browser.click("a[href*='methods/add/app']")
        try await signIn(browser)
        try await browser.waitOverPages(for: "img.enrolment:not([hidden])")
        #expect(try await browser.accessibilityViolations() == [])
        let address = try await browser.evaluate(
          "return document.querySelector('a[href^=\"otpauth:\"]').href")
        let app = try app(try #require(address.stringValue))
        try await browser.click(".buttons button")
        try await browser.wait(for: Self.code)
        #expect(try await browser.accessibilityViolations() == [])
        try await browser.type(try code(of: app, server), into: Self.code)
        try await browser.click(".buttons button")
        try await browser.wait(for: ".codes")
        try await browser.click("button[type=submit]")
        try await browser.waitOverPages(for: ".items a[href*='methods/app/']")
        #expect(try await server.store.oathDevices.all(of: mira).count == 1)

        // Each code counts once.
        server.clock.advance(by: 30)
        try await browser.click(".items a[href*='methods/app/']")
        try await browser.waitOverPages(for: "#remove")
        try await browser.click("#remove")
        try await browser.waitOverPages(for: "input[type=password]")
        #expect(try await browser.address().contains("service=StepUp"))
        // For password managers: the account is known, and not asked for.
        #expect(
          try await browser.evaluate("return document.querySelector('#form [autocomplete=username]').value")
            == "mira")
        try await browser.type(Self.password + Self.enter, into: "input[type=password]")
        try await browser.wait(for: Self.code)
        try await browser.type(try code(of: app, server), into: Self.code)
        try await browser.click(".buttons button")
        try await browser.waitOverPages(for: "main button.danger")
        #expect(try await browser.address().contains("/am/account/methods/app/"))
        try await browser.click("main button.danger")
        try await browser.waitOverPages(for: "#notice")
        #expect(try await browser.text().contains("The method was removed."))
        #expect(try await server.store.oathDevices.all(of: mira).isEmpty)
        let complaints = try await browser.complaints()
        #expect(complaints == [], "\(complaints)")
      }
    }
  }
}
