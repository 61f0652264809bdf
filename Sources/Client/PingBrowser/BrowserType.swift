/// How the browser is shown. Systems other than Apple's always use the person's own browser.
public enum BrowserType: Int, Sendable {
  /// The system's sign-in window (`ASWebAuthenticationSession`), which shares the browser's cookies.
  case authSession = 0
  /// The browser's own app. The redirect comes to ``OpenURLMonitor``.
  case nativeBrowserApp = 1
  /// A browser in the app (`SFSafariViewController`). The redirect comes to ``OpenURLMonitor``.
  case sfViewController = 2
  /// The system's sign-in window without the browser's cookies.
  case ephemeralAuthSession = 3
}

/// What the browser is opened for.
public enum BrowserMode: Sendable {
  /// To sign in.
  case login
  /// To sign out.
  case logout
  /// Something else.
  case custom
}
