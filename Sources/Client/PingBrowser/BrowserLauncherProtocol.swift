public import Foundation

/// Opens a page for the person, and returns the redirect with which the page ends. Tests set a launcher of their own as
/// ``BrowserLauncher/currentBrowser``.
@MainActor public protocol BrowserLauncherProtocol: Sendable {
  /// Whether a page is open.
  var isInProgress: Bool { get }

  /// Opens `url` and waits for the redirect.
  ///
  /// - Parameters:
  ///   - url: a web address, whose `redirect_uri` is the address of the redirect.
  ///   - customParams: parameters to add to the query of `url`.
  ///   - browserType: how the browser is shown.
  ///   - browserMode: what the browser is opened for.
  ///   - callbackURLScheme: the scheme of the redirect.
  /// - Returns: the redirect. Whether it answers the request is for the caller to check.
  /// - Throws: ``BrowserError``.
  func launch(
    url: URL, customParams: [String: String]?, browserType: BrowserType, browserMode: BrowserMode,
    callbackURLScheme: String
  ) async throws -> URL

  /// Cancels the open page: its `launch` fails as cancelled.
  func reset()

  /// Call it when the app becomes active again. A person who returns from the browser's own app without a redirect has
  /// cancelled.
  func handleAppActivation()
}
