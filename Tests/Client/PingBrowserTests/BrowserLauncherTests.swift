import CommonFixtures
import Concurrency
import Foundation
import Testing

@testable import PingBrowser

@Suite("Opening the browser", .serialized) @MainActor
struct BrowserLauncherTests {
  private static let redirect = "com.example.app://oauth2redirect"

  private func launch(
    _ launcher: BrowserLauncher, _ type: BrowserType = .authSession, params: [String: String]? = nil
  ) async throws -> URL {
    try await launcher.launch(
      url: try page(redirect: Self.redirect), customParams: params, browserType: type,
      callbackURLScheme: "com.example.app")
  }

  @Test(arguments: [
    "javascript:alert(1)", "file:///etc/passwd", "com.example.app://x?redirect_uri=a:b", "data:text/html,x",
    "http://am.example.com/authorize?redirect_uri=com.example.app://oauth2redirect", "https:///nothing",
    "https://user@am.example.com/authorize", "about:blank",
  ])
  func `only web addresses that nobody on the way can read are opened`(address: String) async throws {
    let desktop = ScriptedDesktop()
    let launcher = desktop.launcher()
    let url = try #require(URL(string: address))
    await #expect(throws: BrowserError.externalUserAgentFailure) {
      try await launcher.launch(url: url, callbackURLScheme: "com.example.app")
    }
    #expect(desktop.opened.withLock { $0.isEmpty } && !launcher.isInProgress)
  }

  @Test func `an app's own scheme comes back by the monitor, and no other redirect counts`() async throws {
    let desktop = ScriptedDesktop()
    let launcher = desktop.launcher()
    let former = BrowserLauncher.currentBrowser
    BrowserLauncher.currentBrowser = launcher
    defer { BrowserLauncher.currentBrowser = former }
    let result = Task { try await launch(launcher, params: ["theme": "dark"]) }
    try await eventually("the browser is there") { desktop.opened.withLock { !$0.isEmpty } }
    #expect(desktop.opened.withLock { $0[0] }.hasSuffix("&theme=dark"))
    for forged in [
      "com.example.other://oauth2redirect?code=c&state=s1", "com.example.app://elsewhere?code=c&state=s1",
      "com.example.app://oauth2redirect?code=c&state=s2", "com.example.app://oauth2redirect?code=c",
    ] {
      #expect(OpenURLMonitor.shared.handleOpenURL(try #require(URL(string: forged))) == false, "\(forged)")
    }
    let right = try #require(URL(string: Self.redirect + "?code=c&state=s1"))
    #expect(OpenURLMonitor.shared.handleOpenURL(right))
    #expect(try await result.value == right)
    #expect(OpenURLMonitor.shared.handleOpenURL(right) == false)
  }

  @Test func `one page at a time, until it is given up`() async throws {
    let desktop = ScriptedDesktop()
    let launcher = desktop.launcher()
    let first = Task { try await launch(launcher) }
    try await eventually("the browser is there") { desktop.opened.withLock { !$0.isEmpty } }
    #expect(launcher.isInProgress)
    await #expect(throws: BrowserError.externalUserAgentAuthenticationInProgress) {
      try await launch(launcher)
    }
    launcher.handleAppActivation()
    #expect(launcher.isInProgress)
    launcher.reset()
    await #expect(throws: BrowserError.externalUserAgentCancelled) { try await first.value }
    #expect(!launcher.isInProgress)
  }

  @Test func `who comes back from the browser's app without a redirect has cancelled`() async throws {
    let desktop = ScriptedDesktop()
    let launcher = desktop.launcher()
    let first = Task { try await launch(launcher, .nativeBrowserApp) }
    try await eventually("the browser is there") { desktop.opened.withLock { !$0.isEmpty } }
    launcher.handleAppActivation()
    await #expect(throws: BrowserError.externalUserAgentCancelled) { try await first.value }
  }

  @Test func `a page that never comes back is given up when the time is up`() async throws {
    let clock = ManualClock()
    let desktop = ScriptedDesktop()
    let launcher = desktop.launcher(clock: clock)
    let first = Task { try await launch(launcher) }
    try await eventually("the time runs") { clock.sleeperCount > 0 }
    clock.advance(by: .seconds(601))
    await #expect(throws: BrowserError.externalUserAgentCancelled) { try await first.value }
    #expect(!launcher.isInProgress)
  }

  @Test func `who stops waiting closes the page`() async throws {
    let desktop = ScriptedDesktop()
    let launcher = desktop.launcher()
    let task = Task { try await launch(launcher) }
    try await eventually("the browser is there") { desktop.opened.withLock { !$0.isEmpty } }
    task.cancel()
    await #expect(throws: BrowserError.externalUserAgentCancelled) { try await task.value }
    #expect(!launcher.isInProgress)
  }

  @Test func `a browser that cannot be opened fails at once, also when that is known only later`()
    async throws
  {
    struct Missing: Error {}
    let missing = BrowserLauncher(agent: SystemBrowser(place: .desktop) { _, _ in throw Missing() })
    await #expect(throws: BrowserError.externalUserAgentFailure) { try await launch(missing) }
    let late = BrowserLauncher(agent: SystemBrowser(place: .desktop) { _, failed in failed() })
    await #expect(throws: BrowserError.externalUserAgentFailure) { try await launch(late) }
    let nowhere = BrowserLauncher(agent: SystemBrowser(place: .nowhere) { _, _ in })
    await #expect(throws: BrowserError.externalUserAgentFailure) { try await launch(nowhere) }
  }

  @Test func `in a terminal the address is shown`() async throws {
    let launcher = BrowserLauncher(agent: SystemBrowser(place: .terminal) { _, _ in })
    let former = BrowserLauncher.showAddress
    defer { BrowserLauncher.showAddress = former }
    var shown: [URL] = []
    BrowserLauncher.showAddress = { url in
      shown.append(url)
      launcher.reset()
    }
    await #expect(throws: BrowserError.externalUserAgentCancelled) { try await launch(launcher) }
    #expect(shown == [try page(redirect: Self.redirect)])
  }

  @Test func `a request whose redirect has another scheme than the app expects opens no browser`()
    async throws
  {
    let desktop = ScriptedDesktop()
    let launcher = desktop.launcher()
    await #expect(throws: BrowserError.externalUserAgentFailure) {
      try await launcher.launch(
        url: try page(redirect: "com.evil.app://x"), callbackURLScheme: "com.example.app")
    }
    #expect(desktop.opened.withLock { $0.isEmpty })
  }
}
