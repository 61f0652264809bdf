import CommonFixtures
import BindingFormats
import Foundation
import JourneyStore
import SealringTesting
import StrictJSON
import Testing

/// A real browser against a real server, with an authenticator that the browser simulates.
@Suite(.serialized) struct WebAuthnBrowserTests {
  private static let password = "correct horse 1"

  private func enterName(_ browser: Browser) async throws {
    try await browser.wait(for: "#IDToken1")
    try await browser.type("mira", into: "#IDToken1")
    try await browser.click("button[type=submit]")
  }

  private func register(_ journey: String, _ browser: Browser, _ server: TestServer) async throws {
    try await browser.open(journey, at: server.address)
    try await browser.wait(for: "input[type=password]")
    try await browser.type("mira", into: "#IDToken1")
    try await browser.type(Self.password, into: "#IDToken2")
    try await browser.click("button[type=submit]")
    try await browser.wait(for: "#create-passkey")
    try await browser.click("#create-passkey")
  }

  private static let signedIn = "#title[data-end=success]"
  private static let refused = "#title[data-end=failure]"

  @Test(.timeLimit(.minutes(5)))
  func `at a numeric address the page says that passkeys do not work, and links to the one where they do`()
    async throws
  {
    try await TestServer.run { server in
      try await Browser.run { browser in
        try await browser.open("WebAuthnSignIn", at: server.address, host: "127.0.0.1")
        try await browser.wait(for: "#address a")
        let said = try await browser.text()
        #expect(said.contains("Passkeys do not work at this address. Use localhost:"), "\(said)")
        try await browser.click("#address a")
        try await browser.wait(for: "#address[hidden]")
        #expect(try await !browser.text().contains("Passkeys do not work"))
      }
    }
  }

  @Test(.timeLimit(.minutes(5)))
  func `Chromium registers, signs in with a name and without, and is refused without verification`()
    async throws
  {
    try await TestServer.run { server in
      try await server.addUser("mira", password: Self.password)
      try await Browser.run { browser in
        try await register("WebAuthnRegister", browser, server)
        try await browser.wait(for: ".codes")
        try await browser.click("button[type=submit]")
        try await browser.wait(for: Self.signedIn)
        let credential = try #require(try await browser.credentials().first)
        #expect(credential["rpId"] == "localhost" && credential["isResidentCredential"] == true)

        try await browser.open("WebAuthnSignIn", at: server.address)
        try await enterName(browser)
        try await browser.wait(for: Self.signedIn)
        #expect(try await browser.text().contains("You are signed in."))

        try await browser.open("Usernameless", at: server.address)
        try await browser.wait(for: Self.signedIn)
        let device = try #require(
          try await server.store.webAuthnDevices.all(of: UniversalID(username: "mira", realm: "alpha")).first)
        #expect(device.signCount >= 2 && device.isUserVerificationInitialized)
        #expect(try await browser.complaints() == [])

        // The authenticator has a credential of this account, and Limit registrations is on.
        try await register("WebAuthnRegister", browser, server)
        try await browser.wait(for: Self.refused)
        #expect(server.log.lines.contains { $0.contains("the client reported \"InvalidStateError:") })

        try await browser.setUserVerified(false)
        try await browser.open("Usernameless", at: server.address)
        try await browser.wait(for: Self.refused)
        #expect(try await browser.text().contains("You could not be signed in."))
        #expect(server.log.lines.contains { $0.contains("the client reported \"NotAllowedError:") })
        // Another way, to the same place: the realm's own journey, except for the person who is signed in already.
        let page = "\(server.address)/XUI/?realm=/alpha&service=Usernameless"
        try await browser.go(to: page + "&ForceAuth=true&sessionUser=true")
        try await browser.wait(for: Self.refused)
        let said = try await browser.text()
        #expect(said.contains("Start again") && !said.contains("Sign in another way"), "\(said)")
        _ = try await browser.command("Network.clearBrowserCookies", [:])
        for choice in ["&ForceAuth=true", ""] {
          try await browser.go(to: page + choice)
          try await browser.wait(for: Self.refused)
          #expect(try await browser.text().contains("Start again"))
          #expect(try await browser.text(of: "#form a.button") == "Sign in another way")
          try await browser.click("#form a.button")
          try await browser.waitOverPages(for: "input[type=password]")
          let address = try await browser.address()
          #expect(!address.contains("Usernameless") && address.contains("ForceAuth") == !choice.isEmpty)
        }
        let after = try await server.store.webAuthnDevices.all(
          of: UniversalID(username: "mira", realm: "alpha"))
        #expect(after == [device])
      }
    }
  }

  @Test(.timeLimit(.minutes(5)))
  func `The page does what the scripts for browsers ask, and executes none`() async throws {
    try await withTemporaryFolder { folder in
      for name in ["WebAuthnRegister", "WebAuthnSignIn"] {
        let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
          .deletingLastPathComponent().deletingLastPathComponent()
          .appending(path: "journeys/\(name).journey.json")
        let text = try String(contentsOf: file, encoding: .utf8)
          .replacing("\"asScript\": false", with: "\"asScript\": true")
        try FileManager.default.createDirectory(
          at: folder.appending(path: "alpha"), withIntermediateDirectories: true)
        try text.write(
          to: folder.appending(path: "alpha/\(name).journey.json"), atomically: true, encoding: .utf8)
      }
      try await TestServer.run(journeys: folder) { server in
        try await server.addUser("mira", password: Self.password)
        try await Browser.run { browser in
          try await register("WebAuthnRegister", browser, server)
          try await browser.wait(for: ".codes")
          try await browser.click("button[type=submit]")
          try await browser.wait(for: Self.signedIn)
          try await browser.open("WebAuthnSignIn", at: server.address)
          try await enterName(browser)
          try await browser.wait(for: Self.signedIn)
          #expect(try await browser.complaints() == [])
          try await register("WebAuthnRegister", browser, server)
          try await browser.wait(for: Self.refused)
          #expect(server.log.lines.contains { $0.contains("the client reported \"InvalidStateError:") })
        }
      }
    }
  }
}
