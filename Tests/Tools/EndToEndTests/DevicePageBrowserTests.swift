import Assembly
import CommonFixtures
import Foundation
import PingOidc
import PingStorage
import SealringTesting
import StrictJSON
import Testing

/// A device that asks, by our own client, and a person who approves in a real browser.
@Suite(.serialized) struct DevicePageBrowserTests {
  private static let password = "correct horse 1"

  private static let clients = """
    {"clients": [{"client_id": "tv", "client_name": "Television", "token_endpoint_auth_method": "none",
      "grant_types": ["refresh_token", "urn:ietf:params:oauth:grant-type:device_code"]}]}
    """

  @Test(.timeLimit(.minutes(5)))
  func `a person opens a device's link, signs in, compares, and allows`() async throws {
    try await withTemporaryFolder { folder in
      let file = folder.appending(path: "clients.json")
      try Data(Self.clients.utf8).write(to: file)
      try await TestServer.run(configure: {
        $0.openIDClients = file
        $0.clock = { Date() }
      }) { server in
        try await server.addUser("mira", password: Self.password)
        try await Browser.run { browser in
          let config = OidcClientConfig()
          let address = server.address.replacing("127.0.0.1", with: "localhost")
          config.discoveryEndpoint = "\(address)/oauth2/alpha/.well-known/openid-configuration"
          config.clientId = "tv"
          config.scopes = ["openid"]
          config.storage = MemoryStorage<Token>()
          var user: OidcUser?
          for await state in OidcDeviceClient(config: config).deviceAuthorization() {
            switch state {
            case .started(let answer): try await Self.approve(answer, browser)
            case .polling: break
            case .success(let approved): user = approved
            default: Issue.record("\(state)")
            }
          }
          let token = try await #require(user).token().get()
          #expect(token.idToken != nil && token.refreshToken != nil)
          #expect(try await browser.complaints() == [])
        }
      }
    }
  }

  private static func approve(_ answer: DeviceAuthorizationResponse, _ browser: Browser) async throws {
    try await browser.go(to: try #require(answer.verificationUriComplete))
    try await browser.waitOverPages(for: "input[type=password]")
    try await browser.type("mira", into: "#IDToken1")
    try await browser.type(password, into: "#IDToken2")
    try await browser.click("button[type=submit]")
    try await browser.waitOverPages(for: "#user_code")
    #expect(try await browser.accessibilityViolations() == [])
    // The link has filled the code in, and no more.
    #expect(
      try await browser.evaluate("return document.querySelector('#user_code').value")
        == .string(answer.userCode))
    try await browser.click("button[type=submit]")
    try await browser.waitOverPages(for: "#allow")
    #expect(try await browser.text(of: "#code") == answer.userCode)
    #expect(try await browser.text().contains("Television asks for access from another device"))
    #expect(try await browser.accessibilityViolations() == [])
    try await browser.click("#allow")
    try await browser.waitForText("The device is connected")
    #expect(try await browser.accessibilityViolations() == [])
  }
}
