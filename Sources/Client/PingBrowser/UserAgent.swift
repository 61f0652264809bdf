internal import Foundation

/// What shows a page to the person, apart from the app.
@MainActor protocol UserAgent: Sendable {
  typealias Answer = @Sendable (Result<URL, BrowserError>) -> Void

  /// Opens `url`.
  ///
  /// - Parameters:
  ///   - launcher: whose page it is.
  ///   - answer: receives the redirect, or why there will be none. The first call counts.
  func open(
    _ url: URL, expecting: ExpectedRedirect, type: BrowserType, of launcher: BrowserLauncher,
    answer: @escaping Answer
  ) throws(BrowserError)

  /// Closes what is still open.
  func close()
}
