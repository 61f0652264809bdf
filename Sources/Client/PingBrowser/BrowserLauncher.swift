internal import Concurrency
public import Foundation
internal import PingLogger

/// Opens the system's browser, and returns the redirect with which the page ends.
///
/// On Apple's systems it uses the system's sign-in window. Elsewhere it opens the person's browser (`xdg-open`) or, in a terminal
/// without a desktop, shows the address. The redirect then goes to a port of this machine (RFC 8252 §7.3), for which the address
/// `http://127.0.0.1:PORT/PATH` has to be registered, or through ``OpenURLMonitor`` to an app that handles a scheme of its own.
@MainActor public final class BrowserLauncher: NSObject, BrowserLauncherProtocol {
  /// The browser that the modules use; replace it in tests.
  public static var currentBrowser: any BrowserLauncherProtocol {
    get { ScriptedBrowser.current ?? chosen }
    set { chosen = newValue }
  }

  private static var chosen: any BrowserLauncherProtocol = BrowserLauncher()

  /// Shows an address in a terminal where no browser can be opened. The default prints it on standard error. A QR code does not help,
  /// because the redirect goes to a port of this machine, which a phone cannot reach. For phones, use `OidcDeviceClient` (RFC 8628).
  public static var showAddress: @MainActor (URL) -> Void = { url in
    FileHandle.standardError.write(
      Data("Open this address in a browser on this machine:\n\(url.absoluteString)\n".utf8))
  }

  private struct Pending {
    let answer: FirstAnswer<Result<URL, BrowserError>>
    let expected: ExpectedRedirect
    let type: BrowserType
  }

  private let agent: any UserAgent
  private let limit: Duration
  private let clock: any Clock<Duration>
  private var pending: Pending?

  /// A launcher of the system's browser, in which a person has ten minutes.
  public convenience override init() {
    self.init(agent: SystemBrowser())
  }

  init(
    agent: any UserAgent, limit: Duration = .seconds(600), clock: any Clock<Duration> = ContinuousClock()
  ) {
    (self.agent, self.limit, self.clock) = (agent, limit, clock)
    super.init()
  }

  public var isInProgress: Bool { pending != nil }

  public func launch(
    url: URL, customParams: [String: String]? = nil, browserType: BrowserType = .authSession,
    browserMode: BrowserMode = .login, callbackURLScheme: String
  ) async throws -> URL {
    guard pending == nil else { throw BrowserError.externalUserAgentAuthenticationInProgress }
    let page = url.adding(customParams ?? [:])
    guard page.isForBrowsers else {
      LogManager.logger.w(
        "No browser is opened for an address that is not https: \(page.scheme ?? "none")", error: nil)
      throw BrowserError.externalUserAgentFailure
    }
    let expected =
      try RedirectHint.current?.expected(scheme: callbackURLScheme)
      ?? ExpectedRedirect(of: page, scheme: callbackURLScheme)
    let answer = FirstAnswer<Result<URL, BrowserError>>()
    pending = Pending(answer: answer, expected: expected, type: browserType)
    defer {
      pending = nil
      agent.close()
      // Releases a caller that still waits.
      answer.give(.failure(.externalUserAgentCancelled))
    }
    try agent.open(page, expecting: expected, type: browserType, of: self) { answer.give($0) }
    do {
      return try await firstOf(
        { await answer.value }, orAfter: limit, on: clock,
        throwing: BrowserError.externalUserAgentCancelled, abandoning: true
      ).get()
    } catch is CancellationError { throw BrowserError.externalUserAgentCancelled }
  }

  public func reset() { pending?.answer.give(.failure(.externalUserAgentCancelled)) }

  public func handleAppActivation() {
    if pending?.type == .nativeBrowserApp { reset() }
  }

  /// Takes a redirect that the system has passed to the app, and returns whether it answers the open request.
  func take(_ url: URL) -> Bool {
    guard let pending, pending.expected.isMet(by: url) else { return false }
    return pending.answer.give(.success(url))
  }
}

/// A browser for one task only, so that tests can run in parallel.
package enum ScriptedBrowser {
  @TaskLocal package static var current: (any BrowserLauncherProtocol)?
}
