import BindingFormats
import CommonFixtures
import Foundation
import JourneyStore
import SealringTesting
import StrictJSON
import Testing

/// The sign-in page in a real browser: what people do with it, and what goes wrong around it.
@Suite(.serialized, .timeLimit(.minutes(10))) struct SignInPageTests {
  private static let password = "correct horse 1"
  private static let signedIn = "#title[data-end=success]"
  private static let tab = "\u{E004}"
  private static let enter = "\u{E007}"

  private func run(_ body: @escaping @Sendable (Browser, TestServer) async throws -> Void) async throws {
    try await TestServer.run { server in
      try await server.addUser("mira", password: Self.password)
      try await Browser.run { browser in try await body(browser, server) }
    }
  }

  private func page(_ journey: String, _ server: TestServer, _ more: String = "") -> String {
    "\(server.address)/XUI/?realm=/alpha&service=\(journey)\(more)"
  }

  private func fillIn(_ browser: Browser, password: String = Self.password) async throws {
    try await browser.wait(for: "input[type=password]")
    try await browser.type("mira", into: "#IDToken1")
    try await browser.type(password, into: "#IDToken2")
  }

  @Test func `by keyboard alone, in German, without a fault for those who see little`() async throws {
    try await run { browser, server in
      try await browser.go(to: page("Login", server, "&lang=de"))
      try await browser.wait(for: "input[type=password]")
      #expect(try await browser.text().contains("Benutzername"))
      #expect(try await browser.accessibilityViolations() == [])
      // The first field has the focus; the button to see the password stands between it and the form's.
      try await browser.press("mira" + Self.tab + Self.password + Self.tab + Self.tab)
      #expect(try await browser.evaluate("return document.activeElement.type") == "submit")
      try await browser.press(Self.enter)
      try await browser.wait(for: Self.signedIn)
      #expect(try await browser.text().contains("Sie sind angemeldet."))
      #expect(try await browser.accessibilityViolations() == [])
      #expect(try await browser.complaints() == [])
      // Remembered, without a word in the address; and the session is seen.
      try await browser.go(to: page("Login", server))
      try await browser.wait(for: Self.signedIn)
      #expect(try await browser.evaluate("return document.documentElement.lang") == "de")
    }
  }

  @Test func `another language changes the step in place, and keeps what was typed`() async throws {
    try await run { browser, server in
      try await browser.go(to: page("Login", server))
      try await fillIn(browser)
      try await browser.click("#languages a[lang=de]")
      try await browser.wait(for: "html[lang=de]")
      #expect(try await browser.text().contains("Passwort"))
      try await browser.click("button[type=submit]")
      try await browser.wait(for: Self.signedIn)
    }
  }

  @Test
  func `after a step that took too long the person starts over with the name, and without the password`()
    async throws
  {
    try await run { browser, server in
      try await browser.go(to: page("Login", server))
      try await fillIn(browser)
      server.clock.advance(by: 301)
      try await browser.click("button[type=submit]")
      try await browser.wait(for: "#title[data-end=expired]")
      #expect(try await browser.text().contains("what you typed is kept"))
      #expect(try await browser.accessibilityViolations() == [])
      try await browser.click("#form button")
      try await browser.wait(for: "input[type=password]")
      #expect(
        try await browser.evaluate("return [IDToken1.value, IDToken2.value]") == ["mira", ""])
      try await browser.type(Self.password, into: "#IDToken2")
      try await browser.click("button[type=submit]")
      try await browser.wait(for: Self.signedIn)
    }
  }

  @Test
  func
    `a form that is sent twice at once is one answer; after the sign-in, back shows that one is signed in`()
    async throws
  {
    try await run { browser, server in
      try await browser.go(to: page("Login", server))
      try await fillIn(browser)
      _ = try await browser.evaluate(
        "window.sent = 0; const own = fetch; window.fetch = (...all) => { sent += 1; return own(...all); }; "
          + "const form = document.getElementById('form'); form.requestSubmit(); form.requestSubmit()")
      try await browser.wait(for: Self.signedIn)
      #expect(try await browser.evaluate("return window.sent") == 1)
      try await browser.go(to: "\(server.address)/")
      try await browser.back()
      try await browser.waitOverPages(for: Self.signedIn)
      #expect(try await browser.text().contains("You are signed in."))
    }
  }

  @Test func `an answer that was sent before, and ended its run, is over: nobody is said to be refused`()
    async throws
  {
    try await run { browser, server in
      try await browser.go(to: page("Login", server))
      try await fillIn(browser, password: "wrong horse 1")
      // As a proxy or an extension does that sends a request again.
      _ = try await browser.evaluate(
        "const own = fetch; window.fetch = async (...all) => { await own(...all); return own(...all); }")
      try await browser.click("button[type=submit]")
      try await browser.wait(for: "#title[data-end=expired]")
      #expect(try await browser.text().contains("it was answered elsewhere"))
    }
  }

  @Test func `two tabs sign in beside each other`() async throws {
    try await run { browser, server in
      try await browser.go(to: page("PushSignIn", server, "&ForceAuth=true"))
      try await fillIn(browser)
      let first = try await browser.tab()
      let second = try await browser.openTab()
      try await browser.go(to: page("Login", server))
      try await fillIn(browser)
      try await browser.click("button[type=submit]")
      try await browser.wait(for: Self.signedIn)
      try await browser.use(tab: first)
      // Its step is its own: she goes on to the enrolment of a device.
      try await browser.click("button[type=submit]")
      try await browser.wait(for: "img.enrolment:not([hidden])")
      #expect(try await browser.accessibilityViolations() == [])
      #expect(first != second)
    }
  }

  @Test func `a link that leads elsewhere after the sign-in is not followed`() async throws {
    try await run { browser, server in
      let own = server.address.replacing("127.0.0.1", with: "localhost")
      try await browser.go(to: page("Login", server))
      try await fillIn(browser)
      try await browser.click("button[type=submit]")
      try await browser.wait(for: Self.signedIn)
      for goto in [
        "https://evil.example/", "//evil.example/x", "javascript:alert(1)", "data:text/html,x",
        "blob:\(own)/x",
        "https://evil.example@x/", "\\\\evil.example", "http://[",
      ] {
        let encoded = try #require(goto.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
        try await browser.go(to: page("Login", server, "&goto=\(encoded)"))
        try await browser.wait(for: Self.signedIn)
        #expect(try await browser.address().hasPrefix("\(own)/XUI/"))
        #expect(try await browser.text().contains("leads to another site"), "\(goto)")
      }
      try await browser.go(to: page("Login", server, "&goto=..%2Faccount%2F"))
      try await browser.waitOverPages(for: "#main")
      #expect(try await browser.address().hasPrefix("\(own)/account/"))
    }
  }

  @Test func `what waits goes on by itself after the network was gone, and is not drawn anew meanwhile`()
    async throws
  {
    try await run { browser, server in
      try await browser.go(to: page("PushRegister", server))
      try await fillIn(browser)
      try await browser.click("button[type=submit]")
      try await browser.wait(for: "img.enrolment:not([hidden])")
      _ = try await browser.evaluate("window.shown = document.querySelector('img.enrolment')")
      #expect(try await browser.text().contains("Time left:"))
      try await browser.setOffline(true)
      try await browser.wait(for: "#message:not([hidden])")
      #expect(try await browser.text().contains("Trying again"))
      try await browser.setOffline(false)
      try await browser.wait(for: "#message[hidden]")
      #expect(try await browser.evaluate("return document.contains(window.shown)") == true)
      // Back leads to the beginning, not out of the page.
      try await browser.back()
      try await browser.wait(for: "input[type=password]")
      #expect(try await browser.evaluate("return IDToken1.value") == "mira")
    }
  }

  @Test func `the browser offers a passkey in the name's field; without one, name and password do`()
    async throws
  {
    try await run { browser, server in
      try await browser.go(to: page("PasskeyOrPassword", server))
      try await browser.wait(for: "#passkey")
      #expect(try await browser.evaluate("return IDToken1.autocomplete") == "username webauthn")
      #expect(try await browser.accessibilityViolations() == [])
      try await browser.type("mira", into: "#IDToken1")
      try await browser.click("button[type=submit]")
      try await browser.wait(for: "input[type=password]")
      try await browser.type(Self.password, into: "input[type=password]")
      try await browser.click("button[type=submit]")
      try await browser.wait(for: Self.signedIn)

      try await browser.go(to: page("WebAuthnRegister", server, "&ForceAuth=true"))
      try await fillIn(browser)
      try await browser.click("button[type=submit]")
      try await browser.wait(for: "#create-passkey")
      #expect(try await browser.accessibilityViolations() == [])
      // A passkey has a name, which nobody has to think of; without one there is none.
      #expect(
        try await browser.evaluate("return document.getElementById('passkey-name').value")
          == "Passkey of this device")
      _ = try await browser.evaluate("document.getElementById('passkey-name').value = ''")
      try await browser.click("#create-passkey")
      #expect(try await browser.evaluate("return Boolean(document.getElementById('create-passkey'))") == true)
      try await browser.type(" My::Laptop é ", into: "#passkey-name")
      try await browser.press(Self.enter)
      try await browser.wait(for: "#recovery")
      let added = try await server.store.webAuthnDevices.all(
        of: UniversalID(username: "mira", realm: "alpha"))
      #expect(added.map(\.deviceName) == ["My:Laptop é"])
      #expect(try await browser.accessibilityViolations() == [])
      try await browser.click("button[type=submit]")
      try await browser.wait(for: Self.signedIn)

      // The simulated authenticator answers the offer as a person who chooses it from the list.
      try await browser.go(to: page("PasskeyOrPassword", server, "&ForceAuth=true"))
      try await browser.wait(for: Self.signedIn)
      let device = try #require(
        try await server.store.webAuthnDevices.all(of: UniversalID(username: "mira", realm: "alpha")).first)
      #expect(device.signCount >= 2)
    }
  }

  @Test func `what did not begin is not offered again on the same address, but the realm's own journey is`()
    async throws
  {
    try await run { browser, server in
      try await browser.go(to: page("Nothing", server))
      try await browser.wait(for: "#title[data-end=failure]")
      let said = try await browser.text()
      #expect(!said.contains("Start again") && said.contains("Sign in another way"), "\(said)")
      try await browser.click("#form a.button")
      try await browser.waitOverPages(for: "input[type=password]")
      #expect(try await !browser.address().contains("Nothing"))
    }
  }

  @Test func `without scripts the page says what it needs`() async throws {
    try await run { browser, server in
      try await browser.command("Emulation.setScriptExecutionDisabled", ["value": true])
      try await browser.go(to: page("Login", server))
      let said = try await browser.text(of: "noscript")
      #expect(said.contains("This page needs JavaScript"))
    }
  }

  private static let firefox = "/usr/bin/firefox-esr"

  @Test(
    .enabled(
      if: FileManager.default.isExecutableFile(atPath: firefox),
      "scripts/bootstrap --test installs firefox-esr"))
  func `Firefox signs in, too`() async throws {
    let program = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../Interoperability/firefox_sign_in.py").standardizedFileURL
    try await TestServer.run { server in
      try await server.addUser("mira", password: Self.password)
      let command = try RunningCommand(
        path: "/usr/bin/python3",
        arguments: [
          program.path(percentEncoded: false), server.address.replacing("127.0.0.1", with: "localhost"),
          "mira",
          Self.password,
        ], environment: ["PATH": "/usr/bin:/bin", "PYTHONDONTWRITEBYTECODE": "1"], input: "")
      let result = await command.finish()
      #expect(result.status == 0, "\(result.output) \(result.errors)")
      #expect(result.output.hasSuffix("all checks passed\n"))
    }
  }
}
