internal import Foundation

/// Shows a page to the person in a browser.
@MainActor protocol UserAgent: Sendable {
  typealias Answer = @Sendable (Result<URL, BrowserError>) -> Void

  /// Opens `url`.
  ///
  /// - Parameters:
  ///   - launcher: the launcher that opens the page.
  ///   - answer: receives the redirect, or the reason why there will be none. The first call counts.
  func open(
    _ url: URL, expecting: ExpectedRedirect, type: BrowserType, of launcher: BrowserLauncher,
    answer: @escaping Answer
  ) throws(BrowserError)

  /// Closes what is still open.
  func close()
}
