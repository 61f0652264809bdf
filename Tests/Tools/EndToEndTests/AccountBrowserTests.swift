import Assembly
import BindingFormats
import CommonFixtures
import Foundation
import JourneyStore
import SealringTesting
import StrictJSON
import Testing

/// A person in a real browser who looks after the account.
@Suite(.serialized) struct AccountBrowserTests {
  private static let password = "correct horse 1"
  private static let mira = UniversalID(username: "mira", realm: "alpha")

  private static func device(_ id: String, name: String) -> BoundDeviceRecord {
    BoundDeviceRecord(
      uuid: id, realm: "alpha", username: "mira", deviceID: id, deviceName: name,
      key: ["kty": "EC", "crv": "P-256", "alg": "ES256", "kid": .string(id)], thumbprint: "thumb-\(id)",
      createdDate: Date(), lastAccessDate: Date())
  }

  /// Types name and password where the sign-in page asks for them.
  private func signIn(_ browser: Browser) async throws {
    try await browser.waitOverPages(for: "input[type=password]")
    // Who is signed in is asked for the password alone.
    if try await browser.evaluate("return document.getElementById('IDToken2') !== null") == true {
      try await browser.type("mira", into: "#IDToken1")
    }
    try await browser.type(Self.password, into: "input[type=password]")
    try await browser.click("button[type=submit]")
  }

  private func run(_ body: @escaping @Sendable (Browser, TestServer, String) async throws -> Void)
    async throws
  {
    try await TestServer.run(configure: { $0.clock = { Date() } }) { server in
      try await server.addUser("mira", password: Self.password)
      try await Browser.run { browser in
        try await body(browser, server, "\(server.address)/account")
        #expect(try await browser.complaints() == [])
      }
    }
  }

  @Test(.timeLimit(.minutes(10)))
  func
    `a person comes by a deep link, adds a passkey, renames it, removes it after a warning, and is gone after the sign-out`()
    async throws
  {
    try await run { browser, server, account in
      try await browser.go(to: "\(account)/methods?realm=/alpha")
      try await signIn(browser)
      try await browser.waitOverPages(for: "a[href*='methods/add/passkey']")
      #expect(try await browser.text().contains("There is no device yet."))

      try await browser.click("a[href*='methods/add/passkey']")
      try await signIn(browser)
      try await browser.waitOverPages(for: "#create-passkey")
      try await browser.click("#create-passkey")
      try await browser.waitOverPages(for: ".codes")
      try await browser.click("button[type=submit]")
      try await browser.waitOverPages(for: ".items a[href*='methods/passkey/']")
      #expect(try await browser.address().contains("/am/account/methods"))
      #expect(try await browser.text(of: ".items").contains("Passkey of this device"))

      try await browser.click(".items a[href*='methods/passkey/']")
      try await browser.waitOverPages(for: "#name")
      _ = try await browser.evaluate("document.getElementById('name').value = ''")
      try await browser.type("<b>Laptop</b> \u{5D0}\u{5D1}", into: "#name")
      try await browser.click("form.line button")
      try await browser.waitOverPages(for: "#notice")
      #expect(try await browser.text(of: "h1") == "<b>Laptop</b> \u{5D0}\u{5D1}")

      try await browser.click("#remove")
      try await browser.waitOverPages(for: "#warning")
      #expect(try await browser.text(of: "#warning").contains("your last device"))
      try await browser.click("main button.danger")
      try await browser.waitOverPages(for: "#notice")
      #expect(try await browser.text().contains("The method was removed."))
      #expect(try await server.store.webAuthnDevices.all(of: Self.mira).isEmpty)

      try await browser.click("#signOut")
      try await browser.waitOverPages(for: "input[type=password]")
      _ = try await browser.evaluate("history.back()")
      try await browser.waitOverPages(for: "input[type=password]")
      #expect(try await !browser.text().contains("mira"))
    }
  }

  @Test(.timeLimit(.minutes(10)))
  func `a person signs in, looks around and signs out at another path, in a realm below a realm`()
    async throws
  {
    try await TestServer.run(configure: {
      $0.clock = { Date() }
      $0.basePath = "/sso/openam"
      $0.cookieName = "8f2c3b1d9e0a7f6"
      $0.realms = ["root", "alpha", "alpha/branch"]
    }) { server in
      try await server.addUser("mira", password: Self.password, realm: "alpha/branch")
      try await Browser.run { browser in
        try await browser.go(to: "\(server.address)/account/methods?realm=/alpha/branch")
        try await signIn(browser)
        try await browser.waitOverPages(for: ".tabs a[href*=sessions]")
        #expect(try await browser.address().contains("/sso/openam/account/methods?realm=%2Falpha%2Fbranch"))
        try await browser.click(".tabs a[href*=sessions]")
        try await browser.waitOverPages(for: ".tabs a[href*=sessions][aria-current]")
        #expect(try await browser.address().contains("/sso/openam/account/sessions"))
        try await browser.click("#signOut")
        try await browser.waitOverPages(for: "input[type=password]")
        #expect(try await browser.address().contains("/sso/openam/XUI/"))
        let account = UniversalID(username: "mira", realm: "alpha/branch")
        #expect(try await server.store.sessions(of: account, now: Date()).isEmpty)
        #expect(try await browser.complaints() == [])
      }
    }
  }

  @Test(.timeLimit(.minutes(10)))
  func `with the keyboard alone a person finds the other sign-in and ends it`() async throws {
    try await run { browser, server, account in
      _ = try await server.store.addBoundDevice(Self.device("d1", name: "Kiosk"), limit: 0)
      try await browser.go(to: "\(account)/?realm=/alpha")
      try await browser.waitOverPages(for: "input[type=password]")
      // The first field has the focus.
      try await browser.press("mira\u{E004}\(Self.password)\u{E007}")
      try await browser.waitOverPages(for: ".tabs")
      let own = try #require(try await server.store.sessions(of: Self.mira, now: Date()).first)
      var other = own
      other.tokenHash = Array(repeating: 7, count: 32)
      other.handle = "shandle:other"
      _ = try await server.store.openSession(NewSession(other, now: Date()), by: nil)

      try await browser.press("\u{E004}")
      #expect(try await browser.evaluate("return document.activeElement.className") == "skip")
      try await tab(browser, to: ".tabs a[href*=sessions]")
      try await browser.press("\u{E007}")
      try await browser.waitOverPages(for: "#others")
      try await tab(browser, to: "#others")
      try await browser.press("\u{E007}")
      try await browser.waitOverPages(for: "#notice")
      #expect(try await browser.text(of: "#notice") == "You are signed out everywhere else.")
      #expect(try await server.store.sessions(of: Self.mira, now: Date()).map(\.handle) == [own.handle])
    }
  }

  /// Presses the tabulator until the element has the focus, and can be seen to have it.
  private func tab(_ browser: Browser, to selector: String) async throws {
    for _ in 1...40 {
      try await browser.press("\u{E004}")
      let state = try await browser.evaluate(
        """
        const element = document.activeElement;
        return [element.matches(arguments[0]), getComputedStyle(element).outlineStyle];
        """, [.string(selector)])
      guard state[0] == true else { continue }
      #expect(state[1] == "solid", "the focus cannot be seen")
      return
    }
    Issue.record("the tabulator does not reach \(selector)")
  }

  @Test(.timeLimit(.minutes(10)))
  func `axe-core has nothing to complain of on any page of the account, in light and in dark`() async throws {
    try await run { browser, server, account in
      _ = try await server.store.addBoundDevice(Self.device("d1", name: "Kiosk"), limit: 0)
      try await browser.go(to: "\(account)/?realm=/alpha")
      try await signIn(browser)
      try await browser.waitOverPages(for: ".tabs")
      for page in [
        "", "methods", "methods/key/d1", "methods/key/d1/remove", "sessions", "activity", "activity/report",
        "signatures", "password", "codes", "nothing",
      ] {
        try await browser.go(to: "\(account)/\(page)?realm=/alpha&lang=\(page == "methods" ? "de" : "en")")
        try await browser.waitOverPages(for: "h1")
        let violations = try await browser.accessibilityViolations()
        #expect(violations == [], "\(page)")
      }
      // And it does find what is wrong.
      _ = try await browser.evaluate(
        "document.querySelector('main').append(document.createElement('img'), document.createElement('select'))"
      )
      let found = try await browser.accessibilityViolations()
      #expect(found.count == 4 && found.contains { $0.hasPrefix("dark: image-alt") })
      #expect(found.contains { $0.hasPrefix("light: select-name") })
      // The page that is not there is an error to the browser's log as well.
      _ = try await browser.complaints()
    }
  }
}
