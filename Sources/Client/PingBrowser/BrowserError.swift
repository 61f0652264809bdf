public import Foundation

/// Why the browser returned no redirect.
public enum BrowserError: Error, Sendable {
  /// The browser cannot be opened, or not for this address, or the redirect cannot be received; the log says which.
  case externalUserAgentFailure
  /// The browser is open for another request. Only one can be open; ``BrowserLauncherProtocol/reset()`` cancels it.
  case externalUserAgentAuthenticationInProgress
  /// The person closed the browser, the time limit passed, or the request was cancelled.
  case externalUserAgentCancelled
}

extension BrowserError: LocalizedError {
  public var errorDescription: String? {
    switch self {
    case .externalUserAgentFailure: "The browser could not be opened for this sign-in."
    case .externalUserAgentAuthenticationInProgress: "The browser is already open for another sign-in."
    case .externalUserAgentCancelled: "The sign-in in the browser was cancelled."
    }
  }
}
