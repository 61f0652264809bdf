public import Foundation

/// Opens a page for the person, and returns the redirect with which it ends. Tests put one of their own into
/// ``BrowserLauncher/currentBrowser``.
@MainActor public protocol BrowserLauncherProtocol: Sendable {
  /// Whether a page is open.
  var isInProgress: Bool { get }

  /// Opens `url` and waits for the redirect.
  ///
  /// - Parameters:
  ///   - url: a web address, whose `redirect_uri` is where the page ends.
  ///   - customParams: are added to its query.
  ///   - browserType: how the browser is shown.
  ///   - browserMode: what it is opened for.
  ///   - callbackURLScheme: the scheme of the redirect.
  /// - Returns: the redirect. Whether it answers the request is for the caller to check.
  /// - Throws: ``BrowserError``.
  func launch(
    url: URL, customParams: [String: String]?, browserType: BrowserType, browserMode: BrowserMode,
    callbackURLScheme: String
  ) async throws -> URL

  /// Cancels the open page: its `launch` fails as cancelled.
  func reset()

  /// To be called when the app becomes active again. A person who comes back from the browser's own app without a redirect has
  /// cancelled.
  func handleAppActivation()
}
